#!/bin/bash
# threads.sh RUN_RANKS RANKS PAT PROGRAM: a right program whose threads make communicators at the same time ends
# under PAT, too, with calls below PAT_MIN_BYTES and above, and each call is counted.
set -u
run_ranks=$1 ranks=$2 pat=$3 program=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Sums whose bits must not change are the library's; others on large vectors may be PAT's.
for case in '10 1' '50000 1' '50000 0'; do
  read -r elements fixed <<<"$case"
  PAT_REPRODUCIBLE=$fixed "$run_ranks" 100 "$ranks" "$pat" run --report "$elements.$fixed.json" -- "$program" "$elements" >out 2>err ||
    fail "$case: $(tail -5 out err)"
  grep -q 'all rounds done' out || fail "$case: no end: $(tail -5 out err)"
done
# On communicators of part of the processes the library does all; on those of all, PAT may.
grep -q 'several threads make communicators' 50000.0.json || fail "nothing is said of what was left to the library"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
