#!/usr/bin/env bash
# abort.sh RUN_RANKS PAT PROGRAM...: a program whose rank 0 ends the run after twenty calls has trace and report.
set -u
run_ranks=$1 pat=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() {
  printf 'abort.sh: %s\n' "$*" >&2
  sed 's/^/    /' out >&2
  exit 1
}

# Open MPI kills for good a second after it has asked to end, which a loaded machine may take to write.
OMPI_MCA_odls_base_sigkill_timeout=4 PAT_TRACE=run.trace PAT_REPORT=r.json "$run_ranks" 60 3 "$@" >out 2>&1 &&
  fail "ends with 0"
if "${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -qi hydra; then # leaves no time to write
  [ -e run.trace ] || "$pat" trace join run.trace >>out 2>&1
else
  [ "$(jq -c '[.complete, .calls]' r.json 2>/dev/null)" = '[false,20]' ] || fail "a report of $(jq -c '[.complete, .calls]' r.json 2>&1)"
fi
[ "$("$pat" trace show run.trace --format json | jq -r '"\(.ranks)x\(.iterations)"')" = 3x20 ] ||
  fail "a trace of $("$pat" trace show run.trace 2>&1)"
