#!/bin/bash
# other_tool.sh RUN_RANKS PAT PROGRAM TOOL PRELOAD: another tool of the profiling interface, loaded before
# PAT or after it, counts what it counts without PAT, and PAT does the same in both orders.
set -u
run_ranks=$1 pat=$2 program=$3 tool=$4 preload=$5
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

count() { # count NAME LD_PRELOAD COMMAND...: the tool's counts, the program's results and PAT's report by that name
  COUNTING_TOOL=$1.count PAT_REPORT=$1.json "$run_ranks" 100 3 env LD_PRELOAD="$2" "${@:3}" "$program" 3 "$1" \
    >out 2>err || fail "$1: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$1: it says $(cat out err)"
}
made_by_pat() { jq -S -c '[.process[].streams[] | [.operation, .root, .block_bytes, .calls]] | sort' "$1.json"; }

export PAT_ALG=gather=bsls,scatter=bslin PAT_MIN_BYTES=0
count alone "$tool"
[ "$(cut -d' ' -f1 alone.count.0)" -gt 50 ] || fail "the tool counts nothing: $(cat alone.count.0)"
count before "$tool:$preload"
count after "$preload:$tool"
count run "$tool" "$pat" run --
for order in before after run; do
  for rank in 0 1 2; do
    cmp -s alone.count.$rank $order.count.$rank ||
      fail "$order, rank $rank: $(cat alone.count.$rank) without PAT, $(cat $order.count.$rank) with"
    cmp -s alone.$rank $order.$rank || fail "$order, rank $rank: other results"
  done
done
[ "$(made_by_pat before)" = "$(made_by_pat after)" ] || fail "PAT's counts: $(made_by_pat before) $(made_by_pat after)"
jq -e '[.process[].streams[].calls_by_algorithm.bsls // 0] | add > 50' before.json >/dev/null || fail "PAT did nothing"
# Where the program called from is known when PAT comes first.
jq -e '[.process[].regions[].name] | any(startswith("gather at collectives.c:"))' after.json >/dev/null ||
  fail "no place of the program: $(jq -c '[.process[].regions[].name]' after.json)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
