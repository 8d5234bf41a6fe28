#!/bin/bash
# one_leaves.sh RUN_RANKS ONE_LEAVES: a process that throws, or ends MPI, while the others wait for it:
# the job ends by itself and a sentence says why.
set -u
run_ranks=$1 one_leaves=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

complain() {
  printf 'one_leaves.sh: %s\n' "$*" >&2
  sed 's/^/    /' "$output" >&2
  failed=1
}
expect() {
  grep -q "$1" "$output" || complain "$2 (no line has '$1')"
}

# Past the launcher: MPICH's loses the last words of who aborts.
one_of_three_leaves() { # one_of_three_leaves HOW [RANK]
  : >"$output"
  # shellcheck disable=SC2016,SC2094
  PAT_DAEMON=$daemon "$run_ranks" 60 3 bash -c 'exec "$1" "${@:2}" >>"$0" 2>&1' "$output" "$one_leaves" "$@" >>"$output" 2>&1
}

for daemon in on off; do
  for how in exception request persistent; do
    one_of_three_leaves $how
    status=$?
    [ $status -eq 3 ] || complain "$how on one rank with daemon $daemon: status $status, not 3"
    expect 'the solver diverges' "the program's own sentence"
    expect 'an exception ends the session without PAT_Finalize' "what became of the session"
  done

  one_of_three_leaves finalize
  status=$?
  [ $status -eq 0 ] || complain "one rank in MPI_Finalize with daemon $daemon: status $status"
  for rank in 0 2; do
    expect "rank $rank: PAT_Finalize: process 1 is in MPI_Finalize and has not called PAT_Finalize" \
      "who is missed by rank $rank"
  done

  # Said once, also where nobody looks at what PAT_Finalize returns.
  for how in ignored session; do
    for who in 0 1; do
      one_of_three_leaves $how $who
      status=$?
      [ $status -eq 0 ] || complain "$how, rank $who in MPI_Finalize with daemon $daemon: status $status"
      [ "$(grep -c "^\[pat error\] PAT_Finalize: process $who is in MPI_Finalize and has not called" "$output")" -eq 1 ] ||
        complain "$how: not said once that rank $who is missed"
      expect "^\[pat warning\] rank $who called MPI_Finalize while PAT is running, call PAT_Finalize before it" \
        "$how: what rank $who has done"
    done
  done
done
exit $failed
