# Sourced by the tests beside it: a folder of their own, no PAT from outside, and a count of what failed.
# shellcheck shell=bash
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset LD_PRELOAD PAT_RUN
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# Whether the ranks are started by MPICH's launcher.
is_mpich() { "${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -qi hydra; }
