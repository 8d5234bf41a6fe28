#!/usr/bin/env bash
# live_cost.sh BUILD [SECONDS]: what it costs a process that somebody looks at it with `pat top`. Two processes
# of tests/mpi/live_loop, which runs for a minute, with PAT_LIVE=1: while nobody looks, with `pat top` at its
# second, and ten times as often. CPU time of the thread pat-live, by /proc, over SECONDS (50); and the median
# of the computing phases, two sleeps of 10 ms each. On a machine that does other things the second tells
# these, and the first is as it is.
set -eu
build=$(realpath "$1") seconds=${2:-50}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
launcher=''
trap '[ -z "$launcher" ] || kill "$launcher" 2>/dev/null; rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/run"
export XDG_RUNTIME_DIR=$folder/run
cd "$folder"

# cpu_ns: of the threads pat-live of both processes.
cpu_ns() {
  local socket pid task sum=0
  for socket in run/pat/*.sock; do
    pid=$(basename "$socket" | cut -d. -f3)
    for task in /proc/"$pid"/task/*; do
      [ "$(cat "$task/comm")" != pat-live ] || sum=$((sum + $(cut -d' ' -f1 "$task/schedstat")))
    done
  done
  echo "$sum"
}

# median_ms TRACE: of the computing times of all ranks.
median_ms() {
  awk '/^# block/ { computing = $3 == "computing" } computing && !/^#/ { for (i = 1; i <= NF; ++i) print 1000 * $i }' "$1" |
    sort -n | awk '{ all[NR] = $1 } END { printf "%.3f", all[int((NR + 1) / 2)] }'
}

# measure NAME INTERVAL: INTERVAL empty: nobody looks.
measure() {
  local before after
  PAT_LIVE=1 PAT_TRACE=run.trace "$here/../tests/mpi/run_ranks.sh" 100 2 "$build/bin/live_loop" 0 >job.out 2>&1 &
  launcher=$!
  for _ in {1..100}; do [ "$(find run -name '*.sock' | wc -l)" -eq 2 ] && break; sleep 0.1; done
  if [ -n "$2" ]; then
    TERM=xterm script -qfec "stty cols 80 rows 24; '$build/bin/pat' top --interval $2" top.out >/dev/null 2>&1 &
  fi
  sleep 2
  before=$(cpu_ns)
  sleep "$seconds"
  after=$(cpu_ns)
  wait "$launcher"
  launcher=''
  awk -v name="$1" -v ns=$((after - before)) -v s="$seconds" -v median="$(median_ms run.trace)" 'BEGIN {
    printf "%-32s  %10.3f  %14.5f  %12s\n", name, ns / 2e6, ns / 2e7 / s, median }'
  rm -f run.trace run/pat/*
}

uptime
printf '%-32s  %10s  %14s  %12s\n' "per process, in $seconds s" 'CPU, ms' '% of a core' 'phase, ms'
measure 'nobody looks' ''
measure 'pat top --interval 1s' 1s
measure 'pat top --interval 100ms' 100ms
