#!/bin/bash
# requests.sh RUN_RANKS RANKS PAT PROGRAM: a program's requests of collectives end as without PAT, and PAT
# does their calls where a background thread runs.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

right() { # right OPTIONS OF PAT RUN...
  rm -f r.json
  "$run_ranks" 60 "$ranks" "$pat" run --report r.json "$@" -- "$program" >out 2>err || fail "$*: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$*: it says $(cat out err)"
}
left() { # left FUNCTION: how often it was left to MPI
  jq --arg f "$1" '[.process[].passed_on[] | select(.function == $f).calls] | add // 0' r.json
}
done_by() { # done_by OPERATION ALGORITHM: calls of that algorithm
  jq --arg o "$1" --arg a "$2" '[.process[].streams[] | select(.operation == $o).calls_by_algorithm[$a] // 0] | add // 0' r.json
}

"$run_ranks" 60 "$ranks" "$program" >out 2>err || fail "without PAT: $(cat err)"
right
[ "$(left MPI_Igather)" -gt 0 ] || fail "in the foreground: $(left MPI_Igather) gathers were left to MPI"
right --threads multiple
right --threads multiple --watch
[ "$(left MPI_Igather)" -gt 0 ] || fail "watched: $(left MPI_Igather) gathers were left to MPI"
for algorithms in gather=bsls,scatter=bslin,allgather=ring,reduce=clairvoyant gather=bnom,scatter=sbn,reduce=local-redirect; do
  PAT_REPRODUCIBLE=0 right --threads multiple --alg $algorithms
  [ "$ranks" -gt 1 ] || continue
  for pair in ${algorithms//,/ }; do
    [ "$(done_by "${pair%=*}" "${pair#*=}")" -ge $((27 * ranks)) ] ||
      fail "$algorithms: $(done_by "${pair%=*}" "${pair#*=}") calls of $pair"
  done
  # The first on a communicator are left to MPI, and the next plain call lets PAT do those after it.
  [ "$(left MPI_Igather)" -eq $((4 * ranks)) ] || fail "$algorithms: $(left MPI_Igather) gathers were left to MPI"
done
PAT_DISTURB=0.3 right --threads multiple --alg gather=ls,scatter=bslin,allgather=bruck

# The first process waits as long in each way, and its time in calls holds that.
waits() {
  "$run_ranks" 60 "$ranks" "$pat" run --report r.json --threads multiple --alg gather=ls -- "$program" "$1" >out 2>err ||
    fail "$1: $(cat out err)"
  jq '[.process[0].streams[] | select(.operation == "gather").in_call_s] | add' r.json
}
if [ "$ranks" -gt 1 ]; then
  usual_s=$(waits wait)
  for how in any some; do
    waited_s=$(waits $how)
    awk -v w="$waited_s" -v u="$usual_s" 'BEGIN { exit !(w > u / 2) }' || fail "$how: in calls for $waited_s s, by MPI_Wait for $usual_s s"
  done
fi

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
