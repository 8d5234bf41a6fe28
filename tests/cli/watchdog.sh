#!/bin/bash
# watchdog.sh RUN_RANKS LATE_RANK LIVE_LOOP PAT: a process that comes late is named by those who wait
# for it, and a job whose process never comes is ended.
set -u
run_ranks=$1 late_rank=$2 live_loop=$3 pat=$4
folder=$(mktemp -d)
output=$folder/output launcher=''
mkdir -m 700 "$folder/run"
export XDG_RUNTIME_DIR=$folder/run
trap '[ -z "$launcher" ] || kill "$launcher" 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
failed=0 begun=0

complain() {
  printf 'watchdog.sh: %s\n' "$*" >&2
  sed 's/^/    /' "$output" >&2
  failed=1
}

# expect PATTERN WHAT: the output has such a line.
expect() {
  grep -Eq "$1" "$output" || complain "$2 (no line matches '$1')"
}

# A process that comes after 1.5 seconds: the call ends well, and those who wait have said so, not
# before half a second, and again later. Who waits for whom depends on the algorithm.
late() {  # OPERATION ALGORITHM DAEMON FUNCTION RANK STATE
  PAT_WATCHDOG=500ms PAT_DAEMON=$3 "$run_ranks" 60 3 "$late_rank" "$1" "$2" 1.5 >"$output" 2>&1 ||
    complain "$1 $2 with daemon $3 and a late process ended with status $?"
  grep -E "\[pat critical\] $4 on rank $5 has waited [0-9.]+ s: $6" "$output" |
    sed -E 's/.* has waited ([0-9.]+) s: .*/\1/' |
    awk '$1 < 0.5 || $1 < before { exit 1 } { before = $1 } END { exit NR < 2 || before < 1.0 }' ||
    complain "$1 $2: rank $5 does not say what it waits for after 0.5 s and again after 1 s (as '$6')"
}

late gather bsls on PAT_Gather 0 '[0-9]+ of [0-9]+ operations open: .*recv from 2'
late scatter bnom on PAT_Scatter 0 '[0-9]+ of [0-9]+ operations open: .*send to 2'
late reduce clairvoyant on PAT_Reduce 0 '[0-9]+ of [0-9]+ operations open: .*recv from [12]'
late reduce local-redirect on PAT_Reduce 0 '[0-9]+ of [0-9]+ pieces on their way'
late persistent lin on PAT_Wait 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late gather mpi on PAT_Gather 0 'in the MPI library, with root 0$'
late gather mpi off PAT_Gather 0 'in the MPI library, with root 0$'
# auto leaves so small a call to the library
PAT_MIN_BYTES=1GiB PAT_EXPLORE=0 late gather auto on PAT_Gather 0 'in the MPI library, with root 0$'
late gather lin off PAT_Gather 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late persistent lin off PAT_Wait 0 '[0-9]+ of [0-9]+ operations open: recv from 2$'
late first auto on PAT_Barrier 0 'for all to come to the call, which makes a communicator$'

# A process that never comes: all who wait say so before the job is ended with status 124.
PAT_WATCHDOG=1 "$run_ranks" 10 3 "$late_rank" gather lin 3600 >"$output" 2>&1
status=$?
[ $status -eq 124 ] || complain "a job that hangs ended with status $status, not 124"
expect 'PAT_Gather on rank 0 has waited [1-9][0-9]*\.[0-9] s: .*recv from 2' 'what the root waits for'
expect '3 ranks did not end within 10 s; their states are above' 'that the time was up'
for _ in {1..50}; do  # the last of them may still be on its way out
  pgrep -f "^$late_rank gather lin 3600" >/dev/null || break
  sleep 0.1
done
pgrep -f "^$late_rank gather lin 3600" >/dev/null && complain 'a process of the job is left'

expect 'ranks? 0.* waited [0-9.]+ s in PAT_Gather: rank 2 has not come' 'who does not come'

# Processes that gather at different roots, left to the MPI library: each says where it is.
for daemon in on off; do
  PAT_WATCHDOG=500ms PAT_DAEMON=$daemon "$run_ranks" 7 3 "$late_rank" roots mpi 0 >"$output" 2>&1
  status=$?
  [ $status -eq 124 ] || complain "different roots, daemon $daemon, ended with status $status, not 124"
  expect 'PAT_Gather on rank 0 has waited [0-9.]+ s: in the MPI library, with root 0$' "the root of rank 0"
  expect 'PAT_Gather on rank 2 has waited [0-9.]+ s: in the MPI library, with root 2$' "the root of rank 2"
done

# ---- PAT_WATCHDOG=auto

# expect_within SECONDS PATTERN WHAT: the output has such a line by then.
expect_within() {
  for ((tenth = 0; tenth < 10 * $1; ++tenth)); do
    grep -Eq "$2" "$output" && return
    sleep 0.1
  done
  expect "$2" "$3"
}

# start RANKS ARGUMENT...: the loop in the background; stop ends it.
start() {
  local ranks=$1
  shift
  begin "$ranks" "$live_loop" "$@"
}
# begin RANKS COMMAND...: the same of another program.
begin() {
  output=$folder/output$((++begun))  # who is killed may still write to the one before
  : >"$output"
  PAT_WATCHDOG=auto "$run_ranks" 100 "$@" >"$output" 2>&1 &
  launcher=$!
}
stop() {
  kill "$launcher" 2>/dev/null
  ls "$folder/run/pat" | sed -n 's/.*\.\([0-9]*\)\.sock$/\1/p' | xargs -r kill -KILL 2>/dev/null
  wait "$launcher" 2>/dev/null
  launcher=''
  output=$folder/output
  rm -f "$folder"/run/pat/*
}

# expect_silence WHAT: nobody is named.
expect_silence() {
  ! grep -q 'pat critical' "$output" || complain "$1: somebody is named"
}

# One of eight is stopped: it is named while it is, by one alone, and is none of the others.
pid_of() { basename "$(ls "$folder"/run/pat/*."$1".*.sock)" | cut -d. -f3; }
for daemon in on off; do
  PAT_DAEMON=$daemon start 8 0
  for _ in {1..300}; do [ "$(ls "$folder/run/pat" 2>/dev/null | grep -c 'sock$')" -eq 8 ] && break; sleep 0.1; done
  sleep 2
  expect_silence "eight healthy processes, daemon $daemon"
  stopped=$(pid_of 3)
  kill -STOP "$stopped"
  expect_within 20 "ranks? 0.* waited [0-9.]+ s in PAT_Gather: rank 3 \(process $stopped\) is stopped, kill -CONT $stopped lets it go on$" \
    "who is stopped, daemon $daemon"
  grep 'pat critical' "$output" | grep -v "rank 3 (process $stopped) is stopped, kill -CONT $stopped lets it go on$" |
    grep -q . && complain "others than the stopped process are named, daemon $daemon"
  [ "$(grep -c ' waited 1\.' "$output")" -le 1 ] || complain "several say the same, daemon $daemon"
  waited_s=$(sed -n 's/.* waited \([0-9.]*\) s in PAT_Gather: rank 3 .*/\1/p' "$output" | head -1)
  awk -v s="$waited_s" 'BEGIN { exit !(s > 0 && s < 8) }' || complain "who is stopped is named after ${waited_s:-no} s, daemon $daemon"
  kill -CONT "$stopped"
  expect_within 10 '^\[pat warning\] rank 3 has come after [0-9.]+ m?s: rank [0-9] goes on from PAT_Gather$' \
    "that the stopped process has come, daemon $daemon"
  stop
done

# A phase that lasts longer than foretold: with its region, and what it left last.
for daemon in on off; do
  PAT_DAEMON=$daemon start 3 0 5000
  expect_within 40 'in PAT_Gather: rank 2 is [0-9.]+ s later than foretold \(\+- [0-9.]+ [mu]?s\): it computes solve for [0-9.]+ s.*, and left PAT_Gather [0-9.]+ s ago$' \
    "who is late, daemon $daemon"
  stop
done

# Where it is in the program, if it computes (by file and offset without libdw); if it sleeps it sleeps on.
start 3 0 5000 spin
expect_within 40 'rank 2 is [0-9.]+ s later than foretold .* was seen at (live_loop\.cpp:[0-9]+ \(spin_for\)|live_loop\+0x[0-9a-f]+), and left PAT_Gather' \
  'the line of who is late'
stop
start 3 0 5000
expect_within 40 'rank 2 is [0-9.]+ s later than foretold .* was seen at [a-z_]*nanosleep, and left PAT_Gather' \
  'that who is late sleeps'
stop

# Another collective, root, operator or size of one process; however calls are done.
rule='all ranks of a communicator must make the same collectives in the same order, with the same root, size and operation$'
for daemon in on off; do
  PAT_DAEMON=$daemon begin 3 "$late_rank" different auto 0
  expect_within 20 "ranks 0 and 1 are in PAT_Allreduce, rank 2 is in PAT_Barrier: $rule" "different collectives, daemon $daemon"
  stop
  PAT_DAEMON=$daemon begin 3 "$late_rank" fresh auto 0
  expect_within 20 "ranks 0 and 1 are in PAT_Gather, rank 2 is in PAT_Barrier: $rule" \
    "different first collectives on a communicator, daemon $daemon"
  stop
  for algorithm in mpi auto; do
    PAT_MIN_BYTES=1GiB PAT_EXPLORE=0 PAT_DAEMON=$daemon begin 3 "$late_rank" roots $algorithm 0
    expect_within 20 "rank 0 is in PAT_Gather \(gather, root 0, 80000 bytes\), (rank 1 has been in PAT_Gather \(gather, root 0, 80000 bytes\), )?rank 2 is in PAT_Gather \(gather, root 2, 80000 bytes\): $rule" \
      "different roots, $algorithm, daemon $daemon"
    stop
  done
  for algorithm in lin auto; do  # two have left the call, and wait in PAT_Finalize
    PAT_DAEMON=$daemon begin 3 "$late_rank" left $algorithm 0
    expect_within 20 "rank 0 is in PAT_Gather \(gather, root 0, 4 bytes\), rank 1 has been in PAT_Gather \(gather, root 2, 4 bytes\), rank 2 has been in PAT_Gather \(gather, root 0, 4 bytes\): $rule" \
      "who has left the call, $algorithm, daemon $daemon"
    stop
  done
  PAT_DAEMON=$daemon begin 4 "$late_rank" operators auto 60
  expect_within 20 "ranks 0 and 1 are in PAT_Allreduce \(allreduce, 40000 bytes, MPI_SUM\), rank 2 is in PAT_Allreduce \(allreduce, 40000 bytes, MPI_MAX\): $rule" \
    "different operators, daemon $daemon"
  stop
  PAT_DAEMON=$daemon begin 4 "$late_rank" sizes auto 60
  expect_within 20 "ranks 0 and 1 are in PAT_Allreduce \(allreduce, 40000 bytes, MPI_SUM\), rank 2 is in PAT_Allreduce \(allreduce, 80000 bytes, MPI_SUM\): $rule" \
    "different sizes, daemon $daemon"
  stop
done

# Who comes within what may pass unforetold is not named, nor is anybody in healthy calls, though they
# are late by what they were foretold to be, and share cores.
PAT_WATCHDOG=auto "$run_ranks" 60 3 "$late_rank" gather mpi 2.5 >"$output" 2>&1 || complain 'a late process, auto'
expect_silence 'a process of which nothing is foretold'
PAT_WATCHDOG=auto "$run_ranks" 200 8 "$pat" bench --quiet -n 24 --base 2ms --alg mpi,auto \
  --op gather,allreduce,barrier,bcast --size 64,64k --pattern single:3:20ms uniform:5ms >"$output" 2>&1 ||
  complain 'healthy calls end with an error'
expect_silence 'healthy calls'
[ -z "$(ls "$folder/run/pat")" ] || complain "sockets are left: $(ls "$folder/run/pat")"

exit $failed
