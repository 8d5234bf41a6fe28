#!/bin/bash
# watchdog.sh RUN_RANKS PAT PROGRAM: `pat run` looks out for who is late by itself, and names the lines of
# the program.
set -u
run_ranks=$1 pat=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
mkdir -m 700 run
export XDG_RUNTIME_DIR=$folder/run

place() { echo "($1:[0-9]+ \($2\)|$3\+0x[0-9a-f]+)"; }  # with debug information that can be read, or without
different="ranks 0 and 1 are in MPI_Allreduce at $(place different.c reduce unchanged_different), \
rank 2 is in MPI_Barrier at $(place different.c main unchanged_different): all ranks of a communicator"

# Set by run_ranks.sh unless it is there; `pat run` looks at whether it is.
run() { sed 's/^export PAT_WATCHDOG=.*//' "$run_ranks" >run_ranks.sh && bash run_ranks.sh "$@"; }
run 8 3 "$pat" run -- "$program" >out 2>&1
grep -Eq "$different" out || fail "different collectives are not named: $(cat out)"
run 8 3 "$pat" run -- "$program" end >out 2>&1
grep -Eq 'ranks 0 and 1 have waited [0-9.]+ s in MPI_Allreduce at .*: rank 2 is in MPI_Finalize without having made this call$' out ||
  fail "who has come to MPI_Finalize is not named: $(cat out)"
run 12 3 "$pat" run -- "$program" recv >out 2>&1
grep -Eq "rank 2 is .* later than foretold .*: it waits in MPI_Recv, in allreduce at \
$(place different.c reduce unchanged_different) for [0-9.]+ s, was seen at $(place different.c main unchanged_different)," out ||
  fail "who waits for a message is not named: $(cat out)"
# Nothing is foretold, but nobody computes: no need to wait for half a minute.
run 15 3 "$pat" run -- "$program" blocked >out 2>&1
grep -Eq 'ranks 0 and 1 have waited [0-9.]+ s in MPI_Allreduce at .*: rank 2 has not come, and all ranks wait: it waits in MPI_Recv' out ||
  fail "who is blocked in a message is not named: $(cat out)"
run 15 3 "$pat" run -- "$program" crossed >out 2>&1
grep -Eq 'rank 2 has not come, and all ranks wait: it is in MPI_Barrier at .*, on another communicator$' out ||
  fail "who waits on another communicator is not named: $(cat out)"
# So is who hangs when few calls were made.
run 15 3 "$pat" run -- "$program" early >out 2>&1
grep -Eq 'ranks 0 and 1 have waited [0-9.]+ s in MPI_Allreduce at .*: rank 2 is [0-9.]+ s later than foretold' out ||
  fail "who hangs early is not named: $(cat out)"
for right in kinds neighbours; do
  run 60 3 "$pat" run -- "$program" $right >out 2>&1 || fail "$right: $(cat out)"
  grep -q 'all ranks of a communicator must' out && fail "$right: a right program is told otherwise: $(cat out)"
done
PAT_WATCHDOG=0 run 5 3 "$pat" run -- "$program" >out 2>&1
grep -q 'are in MPI_Allreduce' out && fail 'PAT_WATCHDOG=0 is not heard'

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
