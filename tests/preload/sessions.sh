#!/bin/bash
# sessions.sh RUN_RANKS PRELOAD PROGRAM: a program with sessions of MPI 4 does what it does without PAT, which
# leaves it to MPI and does not say that it never called MPI_Init.
set -u
run_ranks=$1 preload=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

export PAT_MIN_BYTES=0 PAT_ALG=gather=bsls
for arguments in '' init; do
  for threads in own multiple; do
    # As `pat run` does it, which need not be built with this MPI library: it becomes the program.
    export PAT_THREADS=$threads
    # shellcheck disable=SC2016,SC2086
    "$run_ranks" 60 3 sh -c 'export PAT_RUN_PID=$$ LD_PRELOAD="$0"; exec "$@"' "$preload" "$program" $arguments >out 2>err ||
      fail "$arguments $threads: status $?, $(cat err)"
    [ "$(cat out)" = 'all 3 are done' ] && [ ! -s err ] || fail "$arguments $threads: it says $(cat out err)"
  done
done

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
