#!/usr/bin/env bash
# annotation.sh RUN_RANKS WRONG_ANNOTATION: what a program does wrong in saying how far it is, and whose
# return codes it ignores, is a warning, one for each kind, and a line of the report.
set -u
run_ranks=$1 wrong_annotation=$2
err=$(mktemp)
trap 'rm -f "$err"' EXIT
failures=0
fail() { echo "FAILED: $*: $(cat "$err")"; failures=$((failures + 1)); }
# expect NUMBER TEXT: that many lines have the text.
expect() { [ "$(grep -cF -- "$2" "$err")" -eq "$1" ] || fail "$who, daemon $daemon: not $1 x '$2'"; }

range="PAT_Edge got the fraction 50 in region 'default', give one above 0 and below 1"
open="PAT_Finalize was called inside a computing phase of region 'default', end it first"
twice="PAT_ProcessingStart was called twice for region 'default', end the computing phase first"
for daemon in on off; do
  export PAT_DAEMON=$daemon
  who=all
  "$run_ranks" 60 5 "$wrong_annotation" all >/dev/null 2>"$err" || fail "status $?"
  expect 3 "[pat warning]"
  expect 1 "rank 0: $range"
  expect 1 "rank 0: $twice"
  expect 1 "rank 0: $open"

  who=odd
  PAT_REPORT=stderr "$run_ranks" 60 5 "$wrong_annotation" odd >/dev/null 2>"$err" || fail "status $?"
  expect 3 "[pat warning]"
  expect 1 "[pat warning] ranks 1 and 3: $open (2 of the kind in all)"
  expect 1 "[pat warning] ranks 1 and 3: $range (8 of the kind in all)"
  expect 1 "[pat warning] ranks 1 and 3: $twice (6 of the kind in all)"
  expect 1 " 8 x  share of the work out of range, region 'default', ranks 1 and 3, first: $range"
  expect 1 " 2 x  phase that did not end, region 'default', ranks 1 and 3, first: $open"
  expect 1 " 6 x  start inside a phase, region 'default', ranks 1 and 3, first: $twice"

  who=none
  PAT_REPORT=stderr "$run_ranks" 60 5 "$wrong_annotation" none >/dev/null 2>"$err" || fail "status $?"
  expect 0 "[pat warning]"
  expect 0 "mistakes"
done
who=all
PAT_REPORT=stderr PAT_LOG=error "$run_ranks" 60 3 "$wrong_annotation" all >/dev/null 2>"$err" || fail "status $?"
expect 0 "[pat warning]"
expect 1 "12 x  share of the work out of range, region 'default', ranks 0-2, first: $range"

# What is wrong in the settings, and known to all processes, is said by one of them.
who=settings
for daemon in on off; do
  PAT_DAEMON=$daemon PAT_ALG=gather=nope "$run_ranks" 60 5 "$wrong_annotation" none >/dev/null 2>"$err" && fail "goes on"
  expect 1 "[pat error]"
  expect 1 "there is no gather algorithm named 'nope'"
done

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
