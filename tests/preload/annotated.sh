#!/bin/bash
# annotated.sh RUN_RANKS PAT PROGRAM: a program that calls PAT itself keeps its session and its annotation
# under `pat run`, and nothing is counted twice.
set -u
run_ranks=$1 pat=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
calls() { jq -c '[.process[0].streams[] | select(.calls > 0) | [.operation, .calls]] | sort' r.json; }
regions() { jq -c '[.process[].regions[] | select(.phases > 0) | [.name, .phases]]' r.json; }

PAT_REPORT=r.json "$run_ranks" 60 3 "$program" >out 2>err || fail "without pat run: $(cat err)"
[ "$(calls)" = '[["gather",12]]' ] || fail "without pat run: $(calls)"
for options in '' '--threads multiple'; do
  # shellcheck disable=SC2086
  "$run_ranks" 60 3 "$pat" run --report r.json $options -- "$program" >out 2>err || fail "$options: $? $(cat err)"
  [ ! -s err ] || fail "$options: it says $(cat err)"
  [ "$(calls)" = '[["allgather",12],["gather",12]]' ] || fail "$options: $(calls)"
  [ "$(regions)" = '[["default",12],["default",12],["default",12]]' ] || fail "$options: $(regions)"
  [ "$(jq '[.places[].iterations] | add' r.json)" = 24 ] || fail "$options: $(jq -c .places r.json)"
done

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
