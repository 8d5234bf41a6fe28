#!/bin/bash
# reproduce.sh SCRIPTS BIN: the commands of bench/reproduce that need no cluster.
set -u
scripts=$1 bin=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PAT_BIN=$bin PAT_REPRODUCE_OUT=$work/out
fail() { echo "FAILED: $1" >&2; tail -n 20 "$work/said" >&2; exit 1; }
says() { # says TEXT SCRIPT ARGUMENTS...: ends with 0 and prints TEXT
  timeout 300 "$scripts/$2" "${@:3}" >"$work/said" 2>&1 || fail "${*:2} ends with $?"
  grep -q -- "$1" "$work/said" || fail "${*:2} does not say '$1'"
  ! grep -qw null "$work/said" || fail "${*:2} prints null"
}

says '^helsim-like: *P *64 *iterations *100 *least *1.* mean *1.* largest' seed004 fig3
[[ -s $work/out/seed004-fig3-helsim-like.png ]] || fail "the picture of Fig. 3"
mkdir "$work/bin"
printf '#!/bin/sh\necho "{}"\n' >"$work/bin/pat"
chmod +x "$work/bin/pat"
PAT_BIN=$work/bin "$scripts/seed004" fig3 >"$work/said" 2>&1 && fail "fig3 without numbers ends with 0"
grep -q 'no imbalance_factors' "$work/said" || fail "what fig3 lacks"
echo ok
