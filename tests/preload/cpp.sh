#!/bin/bash
# cpp.sh RUN_RANKS RANKS PAT PROGRAM: a C++ program comes to its end as without PAT, which sees its calls.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

! ldd "$program" | grep -q libmpi_cxx || fail "the program needs the C++ bindings, which it shall not"
"$run_ranks" 60 "$ranks" "$program" >out 2>err || fail "without PAT: $(cat err)"
for options in '' --watch '--threads multiple' '--alg gather=bsls,scatter=bslin,allgather=ring' \
  '--threads multiple --alg gather=bsls,scatter=bslin,allgather=ring'; do
  # shellcheck disable=SC2086
  "$run_ranks" 60 "$ranks" "$pat" run --report r.json $options -- "$program" >out 2>err || fail "$options: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$options: it says $(cat out err)"
  [ "$(jq '[.process[].streams[] | select(.operation == "gather").calls] | add' r.json)" -ge $((11 * ranks)) ] ||
    fail "$options: not all gathers were seen: $(jq -c '[.process[].streams[] | [.operation, .calls]]' r.json)"
done
[ "$ranks" -eq 1 ] || [ "$(jq '[.process[].streams[].calls_by_algorithm.bsls // 0] | add' r.json)" -ge $((11 * ranks)) ] ||
  fail "PAT did not do the gathers"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
