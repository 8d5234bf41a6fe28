#!/bin/bash
# threads.sh RUN_RANKS RANKS PAT PROGRAM: a right program whose threads make communicators at the same time ends
# under PAT, too, with calls below PAT_MIN_BYTES and above, and each call is counted.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for elements in 10 50000; do
  "$run_ranks" 100 "$ranks" "$pat" run --report "$elements.json" -- "$program" "$elements" >out 2>err ||
    fail "$elements elements: $(tail -5 out err)"
  grep -q 'all rounds done' out || fail "$elements elements: no end: $(tail -5 out err)"
done
# On communicators of part of the processes the library does all; on those of all, PAT may.
grep -q 'several threads make communicators' 50000.json || fail "nothing is said of what was left to the library"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
