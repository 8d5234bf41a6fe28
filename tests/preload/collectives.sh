#!/bin/bash
# collectives.sh RUN_RANKS RANKS PAT PROGRAM: a program that knows nothing of PAT comes to the same
# results, to the bit, with PAT and without.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$run_ranks" 60 "$ranks" "$program" 3 plain >out 2>err || fail "without PAT: $(cat err)"
[ -s plain.0 ] || fail "no results"

same() { # same WHAT OPTIONS OF PAT RUN... -- MODE: the program's results, and that it says nothing else
  local what=$1 mode=${*: -1} rank
  "$run_ranks" 100 "$ranks" "$pat" run "${@:2:$#-3}" -- "$program" 3 with "$mode" >out 2>err ||
    fail "$what: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$what: it says $(cat out err)"
  for ((rank = 0; rank < ranks; ++rank)); do
    cmp -s "plain.$rank" "with.$rank" || fail "$what, rank $rank: $(diff "plain.$rank" "with.$rank" | head -4)"
  done
  rm -f with.*
}

same 'as it is' -- single
same 'watched only' --watch -- single
same 'a program with threads' -- multiple
same 'with a daemon' --threads multiple -- single
export PAT_MIN_BYTES=0
# In the library's order, so of its bits.
scan=lin exscan=pipeline
if is_mpich; then scan=recursive-doubling exscan=recursive-doubling; fi
everything=gather=bsls,scatter=bslin,allgather=ring,alltoall=pairwise,bcast=bspipe,scan=$scan,exscan=$exscan,neighbor-allgather=b-latest-last,neighbor-alltoall=latest-last
same 'algorithms of PAT' --alg $everything -- single
same 'algorithms of PAT, with a daemon' --threads multiple --alg $everything -- single
same 'trees' --threads multiple --alg gather=bsbn,scatter=bsbn,allgather=bruck,bcast=bsbn -- single
PAT_DISTURB=0.3 same 'messages out of order' --threads multiple --alg $everything -- single

# PAT was there, and counted what the program called.
"$run_ranks" 100 "$ranks" "$pat" run --report r.json --alg $everything -- "$program" 3 with >out 2>err || fail "$(cat err)"
for function in MPI_Iallreduce MPI_Igather; do
  jq -e --arg f $function '[.process[].passed_on[] | select(.function == $f).calls] | add > 0' r.json >/dev/null ||
    fail "$function was not watched"
done
if [ "$ranks" -gt 1 ]; then
  jq -e '[.process[].streams[].calls_by_algorithm.bsls // 0] | add > 0' r.json >/dev/null || fail "no gather was PAT's"
  jq -e '[.process[].streams[].calls_by_algorithm.ring // 0] | add > 0' r.json >/dev/null || fail "no allgather was PAT's"
  jq -e --arg a $exscan '[.process[].streams[] | select(.operation == "exscan").calls_by_algorithm[$a] // 0] | add > 0' r.json >/dev/null ||
    fail "no exscan was PAT's"
  jq -e '[.process[].streams[] | select(.operation == "alltoall" and .varying).calls_by_algorithm.pairwise // 0] | add > 0' r.json >/dev/null ||
    fail "no alltoallv was PAT's"
  jq -e '[.process[].streams[] | select(.operation == "neighbor-allgather").calls_by_algorithm["b-latest-last"] // 0] | add > 0' r.json \
    >/dev/null || fail "no allgather of neighbours was PAT's"
  jq -e '[.process[].streams[] | select(.operation == "neighbor-alltoall" and .varying).calls_by_algorithm["latest-last"] // 0] | add > 0' \
    r.json >/dev/null || fail "no alltoallv of neighbours was PAT's"
  jq -e '[.process[].streams[].calls_by_algorithm.bspipe // 0] | add > 0' r.json >/dev/null || fail "no broadcast was PAT's"
  jq -e '[.process[].regions[].name] | any(startswith("gather at collectives.c:"))' r.json >/dev/null ||
    fail "no region is named by its line: $(jq -c '[.process[].regions[].name]' r.json)"
fi

# Allreduces of PAT add in another order, so the last bits may differ.
PAT_REPRODUCIBLE=0 "$run_ranks" 100 "$ranks" "$pat" run --report r.json --alg allreduce=straggler -- "$program" 3 with \
  >out 2>err || fail "$(cat err)"
[ "$ranks" -lt 2 ] ||
  jq -e '[.process[].streams[].calls_by_algorithm.straggler // 0] | add > 0' r.json >/dev/null ||
  fail "no allreduce was PAT's"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
