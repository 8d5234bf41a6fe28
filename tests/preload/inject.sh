#!/bin/bash
# inject.sh RUN_RANKS PAT PROGRAM: `pat inject` lets processes come late to the collectives of a program that
# goes on as it did, says what the arrivals were, and refuses what it cannot use.
set -u
run_ranks=$1 pat=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

inject() { # inject OPTIONS...: the program with 6 gathers, and as many exchanges with neighbours
  "$run_ranks" 60 3 "$pat" inject "$@" -- "$program" 6 >out 2>err || fail "$*: status $?, $(cat err)"
  [ ! -s err ] || fail "$*: it says $(cat err)"
}
table() { awk -v head="# $1 on 3 processes" '$0 == head { inside = 1; next } /^$/ { inside = 0 } inside && !/^#/' out; }
column() { table "$1" | awk -v n="$2" '{ print $n }'; }

inject --pattern single:1:30ms
[ "$(column MPI_Gather 1)" = 160000 ] && [ "$(column MPI_Neighbor_allgather 1)" = 8 ] || fail "sizes: $(cat out)"
[ "$(column MPI_Gather 9),$(column MPI_Neighbor_allgather 9),$(column MPI_Barrier 9)" = 6,6,1 ] || fail "calls: $(cat out)"
grep -q '^# PAT inject, single:1:30ms, seed 1$' out || fail "no head: $(cat out)"
grep -q '^# Size        Avg Imbalance(us)  Min Imbalance(us)  Max Imbalance(us)     Off(us)  99% Off(us) Max Off(us)   Avg Latency(us)  Iterations$' out ||
  fail "no heads of columns: $(cat out)"
late=$(column MPI_Gather 2)
inject --pattern none --function MPI_Gather --every 2
[ "$(column MPI_Gather 9)" = 3 ] && [ -z "$(table MPI_Neighbor_allgather)" ] || fail "every second gather: $(cat out)"
awk -v late="$late" -v together="$(column MPI_Gather 2)" 'BEGIN { exit !(late > together) }' ||
  fail "30 ms make an imbalance of $late us, none $(column MPI_Gather 2) us"
inject --pattern uniform:1ms --least 100k --most 1M --alg gather=bsls --threads multiple --report r.json
[ "$(column MPI_Gather 9)" = 6 ] && [ -z "$(table MPI_Barrier)" ] || fail "by size: $(cat out)"
[ "$(jq '[.process[].streams[].calls_by_algorithm.bsls // 0] | add' r.json)" = 18 ] || fail "PAT does not do the gathers"

# A trace of one run is the pattern of another.
"$run_ranks" 60 3 "$pat" run --watch --trace run.trace -- "$program" 6 >out 2>err || fail "trace: $(cat err)"
inject --pattern trace:run.trace --function MPI_Gather
[ "$(column MPI_Gather 9)" = 6 ] || fail "by a trace: $(cat out)"
# Of a trace of several calls only the one that is delayed.
printf '# pat-trace 1\n# P: 3\n# iterations: 4\n# unit: s\n# place: barrier\n# place: gather, root 0\n' >two.trace
printf '# block: arrival\n0 0 0\n0 0 0.03\n0 0 0\n0 0 0.03\n# block: place\n1\n2\n1\n2\n' >>two.trace
inject --pattern trace:two.trace --function MPI_Gather
awk -v least="$(column MPI_Gather 3)" 'BEGIN { exit !(least > 15000) }' || fail "of two calls: $(cat out)"

refused() { # refused WORDS ARGUMENTS OF PAT INJECT...
  "$pat" inject "${@:2}" >out 2>err
  [ $? -eq 2 ] && grep -qF -- "$1" err && [ "$(wc -l <err)" -eq 1 ] || fail "${*:2}: $(cat err)"
}
refused "There is no pattern 'waves'; there are none, single" --pattern waves -- "$program"
refused "'7' is not a rank: there are ranks 0 to 0" --pattern single:7:1ms -- "$program"
refused '--least is above --most, give a range of sizes' --least 5k --most 2k -- "$program"
refused "'5 apples' is not a size, write bytes" --least '5 apples' -- "$program"
refused "'Gather' is no function of MPI, write MPI_Gather" --function Gather -- "$program"
refused "'0' is no count, give 1 or more" --every 0 -- "$program"
refused '--pattern is empty, give it a value or leave it out' --pattern '' -- "$program"
refused '--patern is not known, did you mean --pattern?' --patern=none -- "$program"
refused '--patern is not known, did you mean --pattern?' --patern uniform:1ms -- "$program"
refused 'no program is given, write it after --' --pattern none
"$run_ranks" 60 3 "$pat" inject --function MPI_Scan -- "$program" 6 >out 2>err || fail "nothing to delay: $(cat err)"
[ "$(cat err)" = '[pat warning] nothing was delayed: no collective is as --function, --least, --most and --every say' ] ||
  fail "nothing to delay: $(cat err)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
