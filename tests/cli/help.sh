#!/bin/bash
# help.sh PROGRAM...: what --help prints is for people: no types and checks of the implementation,
# and lines that fit a terminal.
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

check() { # check COMMAND...
  local text
  text=$("$@" --help) || fail "$* --help ends with $?"
  grep -q -- '--help ' <<<"$text" || fail "$* --help lists no options"
  grep -nE 'BOOLEAN|ENUM|UINT|INT in|value in|\{|=\[' <<<"$text" && fail "$* shows its implementation"
  sed -n '/^Options:/,/^$/p' <<<"$text" | awk 'length > 101' | grep . && fail "$* has lines too long for a terminal"
}

for program in "$@"; do
  check "$program"
  [[ $(basename "$program") == pat ]] || continue
  for subcommand in $("$program" --help | sed '1,/^Subcommands:/d' | awk '/^  [a-z]/ { print $1 }'); do
    check "$program" "$subcommand"
    seen=1
  done
  [[ -n ${seen-} ]] || fail "no subcommands in the help of pat"
done
exit $((failures > 0))
