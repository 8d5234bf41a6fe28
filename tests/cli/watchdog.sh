#!/bin/bash
# watchdog.sh RUN_RANKS LATE_RANK: a process that comes late is named by those who wait for it, and
# a job whose process never comes is ended.
set -u
run_ranks=$1 late_rank=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

complain() {
  printf 'watchdog.sh: %s\n' "$*" >&2
  sed 's/^/    /' "$output" >&2
  failed=1
}

# expect PATTERN WHAT: the output has such a line.
expect() {
  grep -Eq "$1" "$output" || complain "$2 (no line matches '$1')"
}

# A process that comes after 1.5 seconds: the call ends well, and those who wait have said so after
# half a second and again after one. Who waits for whom depends on the algorithm.
late() {  # OPERATION ALGORITHM DAEMON FUNCTION RANK STATE
  PAT_WATCHDOG=500ms PAT_DAEMON=$3 "$run_ranks" 60 3 "$late_rank" "$1" "$2" 1.5 >"$output" 2>&1 ||
    complain "$1 $2 with daemon $3 and a late process ended with status $?"
  expect "\[pat critical\] $4 on rank $5 has waited 0\.[5-9] s: $6" "$1 $2: what rank $5 waits for"
  expect "$4 on rank $5 has waited 1\.[0-9] s: $6" "$1 $2: that it still waits"
}

late gather bsls on PAT_Gather 0 '[0-9]+ of [0-9]+ operations open: .*recv from 2'
late scatter bnom on PAT_Scatter 0 '[0-9]+ of [0-9]+ operations open: .*send to 2'
late reduce clairvoyant on PAT_Reduce 0 '[0-9]+ of [0-9]+ operations open: .*recv from [12]'
late reduce local-redirect on PAT_Reduce 0 '[0-9]+ of [0-9]+ pieces on their way'
late persistent lin on PAT_Wait 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late gather mpi on PAT_Gather 0 'in the MPI library, with root 0$'
late gather mpi off PAT_Gather 0 'in the MPI library, with root 0$'
late gather auto on PAT_Gather 0 'in the MPI library, with root 0$'
late gather lin off PAT_Gather 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late persistent lin off PAT_Wait 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late first auto on PAT_Barrier 0 'for all to come to the call, which makes a communicator$'

# A process that never comes: all who wait say so before the job is ended with status 124.
PAT_WATCHDOG=1 "$run_ranks" 4 3 "$late_rank" gather lin 3600 >"$output" 2>&1
status=$?
[ $status -eq 124 ] || complain "a job that hangs ended with status $status, not 124"
expect 'PAT_Gather on rank 0 has waited 1\.[0-9] s: .*recv from 2' 'what the root waits for'
expect '3 ranks did not end within 4 s; their states are above' 'that the time was up'
for _ in {1..50}; do  # the last of them may still be on its way out
  pgrep -f "^$late_rank gather lin 3600" >/dev/null || break
  sleep 0.1
done
pgrep -f "^$late_rank gather lin 3600" >/dev/null && complain 'a process of the job is left'

# Processes that gather at different roots, left to the MPI library: each says where it is.
for daemon in on off; do
  PAT_WATCHDOG=500ms PAT_DAEMON=$daemon "$run_ranks" 3 3 "$late_rank" roots auto 0 >"$output" 2>&1
  status=$?
  [ $status -eq 124 ] || complain "different roots, daemon $daemon, ended with status $status, not 124"
  expect 'PAT_Gather on rank 0 has waited [0-9.]+ s: in the MPI library, with root 0$' "the root of rank 0"
  expect 'PAT_Gather on rank 2 has waited [0-9.]+ s: in the MPI library, with root 2$' "the root of rank 2"
done

exit $failed
