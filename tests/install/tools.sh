#!/bin/bash
# tools.sh INSTALLED RUN_RANKS: the commands run from where they are installed, each has its manual page, and
# the shells complete what --help lists.
set -eu
installed=$1 run_ranks=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
pat=$installed/bin/pat

# The preloaded library is found beside the command.
cat >"$work/plain.c" <<'C'
#include <mpi.h>
int main(int argc, char** argv) {
  int one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
C
"${MPICC:-mpicc}" "$work/plain.c" -o "$work/plain"
"$run_ranks" 60 3 "$pat" run --report "$work/r.json" -- "$work/plain" || fail "pat run ends with $?"
jq -e '[.process[].streams[].operation] | contains(["reduce"])' "$work/r.json" >/dev/null || fail "pat run saw no reduction"

"$run_ranks" 120 3 "$installed/bin/pat-fft" --size 4096 --iterations 5 --imbalance uniform:1ms >"$work/log" || fail "pat-fft ends with $?"
(cd "$work" && "$run_ranks" 120 2 "$installed/bin/helsim-mini" --case two-stream --steps 1 --width 32 --height 32 --output frames >log) ||
  fail "helsim-mini ends with $?"

# Manual pages: of the command, each subcommand, and each function of the interface; without warnings.
man=$installed/share/man
subcommands=$("$pat" --help | sed '1,/^Subcommands:/d' | awk '/^  [a-z]/ { print $1 }')
for subcommand in $subcommands; do
  [ -s "$man/man1/pat-$subcommand.1" ] || fail "pat $subcommand has no manual page"
  "$pat" "$subcommand" --help | grep -oE '^  (-[a-zA-Z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | while read -r option; do
    grep -qF -- "${option//-/\\-}" "$man/man1/pat-$subcommand.1" || fail "the page of pat $subcommand lacks $option"
  done
done
if [ -d "$man/man3" ]; then
  nm -D --defined-only "$(find "$installed" -name libpat.so)" | awk '$3 ~ /^PAT_/ { print $3 }' | while read -r function; do
    [ -s "$man/man3/$function.3" ] || fail "$function has no manual page"
  done
fi
if command -v groff >/dev/null; then
  for page in "$man"/man?/*.?; do
    said=$(cd "$man" && groff -man -Tutf8 -ww -r LL=100n -rHY=0 "$page" 2>&1 >/dev/null | grep -v 'cannot break line\|cannot adjust line' || true)
    [ -z "$said" ] || fail "$page: $said"
  done
fi

# complete WORD...: what bash offers for the last word.
complete_in_bash() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pat; printf "%s\n" "${COMPREPLY[@]-}"' \
    bash "$installed/share/bash-completion/completions/pat" "$@"
}
[ "$(complete_in_bash pat inf)" = info ] || fail "bash does not complete pat inf"
[ "$(complete_in_bash pat trace sh)" = show ] || fail "bash does not complete pat trace sh"
[ "$(complete_in_bash pat run --rep)" = --report ] || fail "bash does not complete pat run --rep"
[ -z "$(complete_in_bash pat run --report r)" ] || fail "bash offers options where a file belongs"
[ -z "$(complete_in_bash pat run -- ./app --)" ] || fail "bash completes the options of the program of pat run"
for subcommand in $subcommands; do
  complete_in_bash pat '' | grep -qx -- "$subcommand" || fail "bash does not offer $subcommand"
  complete_in_bash pat "$subcommand" -- | grep -qx -- --help || fail "bash offers no options of $subcommand"
done
if command -v zsh >/dev/null; then
  # What zsh's own functions are asked to offer.
  offered() {
    zsh -f -c 'pages=$1; shift
      _arguments() { print -rl -- "$@"; [[ $* == *"->argument"* ]] && { state=argument; line=($words_typed); (( $#words_typed )) && shift words_typed; }; return 0 }
      words_typed=("$@"); source $pages' zsh "$installed/share/zsh/vendor-completions/_pat" "$@"
  }
  offered run | grep -q -- '--report=\[' || fail "zsh does not complete pat run"
  offered trace show | grep -q -- '--lags' || fail "zsh does not complete pat trace show"
fi

# The file for Environment Modules.
modulecmd=$(command -v /usr/lib/*/modulecmd.tcl | head -n 1 || true)
if [ -n "$modulecmd" ]; then
  loaded=$(MODULEPATH=$installed/share/modulefiles PATH=/usr/bin:/bin tclsh "$modulecmd" bash load pat) || fail "the module cannot be loaded"
  [ "$(env PATH=/usr/bin:/bin bash -c "$loaded"$'\ncommand -v pat')" = "$pat" ] || fail "the module does not lead to pat: $loaded"
  env -u PKG_CONFIG_PATH bash -c "$loaded"$'\npkg-config --exists pat' || fail "the module does not lead pkg-config to pat"
fi
