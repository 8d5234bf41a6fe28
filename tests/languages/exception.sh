#!/usr/bin/env bash
# exception.sh RUN_RANKS PYTHON EXCEPTION_PY: a Python exception on one rank ends the job, with a sentence.
set -u
run_ranks=$1 python=$2 script=$3
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
complain() {
  printf 'exception.sh: %s\n' "$*" >&2
  sed 's/^/    /' "$output" >&2
  failed=1
}
expect() { grep -q "$1" "$output" || complain "$2 (no line has '$1')"; }

for daemon in on off; do
  for how in with request; do
    PAT_DAEMON=$daemon "$run_ranks" 60 3 "$python" -m mpi4py "$script" "$how" >"$output" 2>&1
    status=$?
    [ $status -eq 1 ] || complain "$how, daemon $daemon: status $status, not 1"
    expect 'RuntimeError: the solver diverges' "the program's own exception"
    expect 'pat: an exception ends the session without waiting' "what became of the session"
  done
  # As an interpreter that nobody told to abort the others.
  PAT_DAEMON=$daemon "$run_ranks" 60 3 "$python" "$script" close >"$output" 2>&1
  status=$?
  [ $status -eq 124 ] && complain "close, daemon $daemon: hangs"
  expect 'RuntimeError: the solver diverges' "the program's own exception"
  for rank in 0 2; do
    expect "rank $rank: PAT_Finalize: process 1 is in MPI_Finalize and has not called PAT_Finalize" \
      "who is missed by rank $rank"
  done
done
exit $failed
