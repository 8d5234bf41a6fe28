#!/bin/bash
# fortran.sh RUN_RANKS RANKS PAT PROGRAM: a Fortran program comes to the same results with PAT and
# without, and PAT sees where it calls from.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$run_ranks" 60 "$ranks" "$program" plain >out 2>err || fail "without PAT: $(cat err)"
[ -s plain.0 ] || fail "no results"

same() { # same WHAT OPTIONS OF PAT RUN...
  local what=$1 rank
  "$run_ranks" 100 "$ranks" "$pat" run "${@:2}" -- "$program" with >out 2>err || fail "$what: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$what: it says $(cat out err)"
  for ((rank = 0; rank < ranks; ++rank)); do
    cmp -s "plain.$rank" "with.$rank" || fail "$what, rank $rank: $(diff "plain.$rank" "with.$rank" | head -4)"
  done
  rm -f with.*
}

same 'as it is'
same 'watched only' --watch
PAT_MIN_BYTES=0 same 'algorithms of PAT' --alg gather=bsls,scatter=bslin,allgather=ring
PAT_MIN_BYTES=0 same 'with a daemon' --threads multiple --alg gather=ls,scatter=slin --report r.json
jq -e '[.process[].streams[].operation] | contains(["gather", "scatter", "allgather", "bcast", "reduce", "allreduce"])' \
  r.json >/dev/null || fail "not all was seen: $(jq -c '[.process[].streams[].operation] | unique' r.json)"
if [ "$ranks" -gt 1 ]; then
  jq -e '[.process[].streams[].calls_by_algorithm | (.ls // 0) + (.slin // 0)] | add > 0' r.json >/dev/null ||
    fail "nothing was PAT's"
fi
# The barrier that ends the middle of the program follows a pause.
"$run_ranks" 100 "$ranks" "$pat" run --report r.json -- "$program" with pause >out 2>err || fail "$(cat err)"
jq -e '[.process[].regions[] | select(.name | startswith("barrier at fortran.F90:")).phases] | add > 0' r.json \
  >/dev/null || fail "no region is named by its line: $(jq -c '[.process[].regions[].name]' r.json)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
