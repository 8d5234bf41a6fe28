#!/bin/bash
# other_tool.sh RUN_RANKS PAT TOOL PRELOAD PLACE PROGRAM ARGUMENT...: another tool of the profiling interface, loaded
# before PAT or after it, counts what it counts without PAT, and PAT does the same in both orders. One argument is FILE,
# where the program's results go; the report names a region that begins with PLACE.
set -u
run_ranks=$1 pat=$2 tool=$3 preload=$4 place=$5
program=("${@:6}")
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

count() { # count NAME LD_PRELOAD COMMAND...: the tool's counts, the program's results and PAT's report by that name
  COUNTING_TOOL=$1.count PAT_REPORT=$1.json "$run_ranks" 100 3 env LD_PRELOAD="$2" "${@:3}" "${program[@]/#FILE/$1}" \
    >out 2>err || fail "$1: status $?, $(cat err)"
  [ ! -s out ] && [ ! -s err ] || fail "$1: it says $(cat out err)"
}
made_by_pat() { jq -S -c '[.process[].streams[] | [.operation, .root, .block_bytes, .calls]] | sort' "$1.json"; }

export PAT_ALG=gather=bsls,scatter=bslin PAT_MIN_BYTES=0
count alone "$tool"
[ "$(cut -d' ' -f1 alone.count.0)" -ge 6 ] || fail "the tool counts nothing: $(cat alone.count.0)"
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
jq -e '[.process[].streams[].calls_by_algorithm.bsls // 0] | add > 10' before.json >/dev/null || fail "PAT did nothing"
# Where the program called from is known when PAT comes first.
jq -e --arg place "$place" '[.process[].regions[].name] | any(startswith($place))' after.json >/dev/null ||
  fail "no place of the program: $(jq -c '[.process[].regions[].name]' after.json)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
