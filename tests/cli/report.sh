#!/usr/bin/env bash
# report.sh RUN_RANKS UNEVEN PAT PAGE: pat report of real runs. What it says a rank on time would save, and equal
# work on all ranks, is what a run without the delay takes less, and one where all have a share of it.
set -u
run_ranks=$1 uneven=$2 pat=$3 page=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# number FILE FILTER
number() { jq -r "$2" "$1"; }
near() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN { exit !(b > 0 && a / b > 1 - by && a / b < 1 + by) }'; }

# Sleeps are large against what a machine adds; a busy one adds more, never less, so of some short
# attempts the least counts on both sides.
least() { awk -v a="$1" -v b="$2" 'BEGIN { print b == "" || a < b ? a : b }'; }
foretold_s='' even_s='' shared_foretold_s='' shared_s=''
for attempt in {1..12}; do
  late_s=$(PAT_REPORT=late.json PAT_TRACE=late.trace "$run_ranks" 60 4 "$uneven" 5 100 200) || fail "$late_s"
  one_s=$(PAT_REPORT=even.html "$run_ranks" 60 4 "$uneven" 5 100 0) || fail "$one_s"
  other_s=$("$run_ranks" 60 4 "$uneven" 5 150 0) || fail "$other_s"
  saved_s=$(number late.json '[.analysis.culprits[] | select(.rank == 2) | .saved_if_on_time_s] | add')
  foretold_s=$(least "$(awk -v a="$late_s" -v b="$saved_s" 'BEGIN { print a - b }')" "$foretold_s")
  even_s=$(least "$one_s" "$even_s")
  saved_if_equal_s=$(number late.json '.analysis.places[0].saved_if_balanced_s')
  shared_foretold_s=$(least "$(awk -v a="$late_s" -v b="$saved_if_equal_s" 'BEGIN { print a - b }')" "$shared_foretold_s")
  shared_s=$(least "$other_s" "$shared_s")
  near "$foretold_s" "$even_s" 0.05 && near "$shared_foretold_s" "$shared_s" 0.05 && break
  echo "attempt $attempt: without the delay $foretold_s s are foretold, it took $even_s s;" \
    "with equal work $shared_foretold_s s, it took $shared_s s"
  [ "$attempt" = 12 ] && fail "rank 2 on time, or equal work, does not save what is foretold"
done
[ "$(number late.json .analysis.culprits[0].rank)" = 2 ] || fail "the culprit is another"
near "$(number late.json '.analysis.skew_s + .analysis.transfer_s')" \
  "$(number late.json .analysis.in_collectives_s)" 0.001 || fail "skew and transfer are not the time in collectives"
grep -q '<!DOCTYPE html>' even.html || fail "PAT_REPORT=even.html writes no page"

# The same of a trace alone, and of both side by side.
"$pat" report late.trace --format json >out.json || fail "a trace alone"
near "$(number out.json '.[0].analysis.culprits[0].saved_if_on_time_s')" "$saved_s" 0.01 || fail "the trace says another"
near "$(number out.json '.[0].analysis | .skew_s + .transfer_s')" "$(number late.json .analysis.in_collectives_s)" 0.05 ||
  fail "the trace has another time in collectives"
"$pat" report late.trace late.json >text || fail "two runs as text"
[ "$(grep -cE '^ +[0-9.]+ m?s +[0-9]+ % .* late\.(trace|json)$' text)" = 2 ] || fail "two runs as text: $(head -5 text)"
head -1 text | grep -qE ' gained +run$' || fail "two runs as text lack what was gained: $(head -1 text)"
"$pat" report late.json late.trace -o both.html >/dev/null || fail "two runs"
grep -q 'late.trace' both.html || fail "the second run is missing"
PAT_REPORT=stderr "$run_ranks" 60 4 "$uneven" 3 10 20 >text 2>&1
for part in 'waiting for who is late: ' '  rank others wait ' 'what would help, '; do
  grep -q "^$part" text || fail "the text lacks '$part': $(cat text)"
done

# A copy of one of the traces of a run counts once; a name's escapes do not reach the terminal.
group() { # group FILE FIRST_RANK REMARK...: two ranks of a run of four
  { printf '# pat-trace 1\n# P: 2\n# iterations: 2\n# unit: s\n# region: \033[2Jsolve\n'
    printf '# processes, by their rank in the session: %s %s\n' "$2" "$(($2 + 1))"
    [ $# = 2 ] || printf '# other processes met in %s\n' "${@:3}"
    printf '# block: arrival\n0.1 0.3\n0.1 0.4\n'; } >"$1"
}
group groups.trace 0 groups-2.trace
group groups-2.trace 2
"$pat" report groups.trace >once 2>err || fail "two groups: $(cat err)"
group groups.trace 0 groups-2.trace groups-3.trace
cp groups-2.trace groups-3.trace
"$pat" report groups.trace >twice 2>err || fail "a copy: $(cat err)"
cmp -s once twice || fail "a copy counts twice: $(diff once twice)"
[ "$(cat err)" = "pat: 'groups-3.trace' is of the same processes as 'groups-2.trace', the report is without it" ] ||
  fail "of a copy is said: $(cat err)"
"$pat" trace show groups.trace >shown || fail "trace show"
"$pat" predict --trace groups.trace --model last --skip 1 --no-gain >foretold 2>&1
grep -q '?\[2Jsolve' once shown || fail "the region is not shown: $(cat once shown)"
grep -l $'\033' once shown foretold && fail "an escape reaches the terminal"

# A rank that becomes slower for good, in the text and in the data.
{
  echo "# pat-trace 1"; echo "# P: 4"; echo "# iterations: 120"; echo "# unit: s"; echo "# region: solve"; echo "# block: arrival"
  awk 'BEGIN { srand(1); for (i = 0; i < 120; ++i) { for (r = 0; r < 4; ++r)
    printf "%.6f ", 0.01 + 0.0002 * rand() + (r == 3 && i >= 70 ? 0.004 : 0); print "" } }'
} >slower.trace
"$pat" report slower.trace | grep -qE '^rank 3 slower by (3.9|4)[.0-9]* ms a call, for good from call 70 ' || fail "no change of level: $("$pat" report slower.trace)"
"$pat" report slower.trace --format json | jq '{analysis: .[0].analysis | {level_changes}}' >slower.json
[ "$(number slower.json '.analysis.level_changes | length')" = 1 ] || fail "changes of level: $(cat slower.json)"

# A gather whose arrivals a hint tells: an algorithm that follows them, and a model that goes by hints, are named with
# their numbers.
{
  echo "# pat-trace 1"; echo "# P: 4"; echo "# iterations: 200"; echo "# unit: s"; echo "# region: gather, root 0, 1048576 bytes"
  awk 'BEGIN { srand(2); for (i = 0; i < 200; ++i) for (r = 0; r < 4; ++r) { kind[i, r] = int(4 * rand())
                 time[i, r] = 0.02 + 0.01 * kind[i, r] + 0.0001 * rand() }
               for (b = 0; b < 3; ++b) { print "# block: " (b == 0 ? "arrival" : b == 1 ? "computing" : "hint kind")
                 for (i = 0; i < 200; ++i) { for (r = 0; r < 4; ++r) printf b < 2 ? "%.6f " : "%d ", b < 2 ? time[i, r] : kind[i, r]; print "" } } }'
} >hinted.trace
"$pat" report hinted.trace --predictor last --format json | jq '{analysis: .[0].analysis | {places, advice}}' >hinted.json
number hinted.json '.analysis.advice[] | .sentence' >sentences
grep -qE '^[a-z-]+ would save [0-9.]+ m?s of [0-9.]+ m?s at .gather, root 0, 1048576 bytes. \(simulated\): PAT_ALG=gather=[a-z-]+$' sentences ||
  fail "no algorithm is named: $(cat sentences)"
grep -qE "^PAT_PREDICTOR=(ensemble|regression), which goes by the program's hints, would cut the forecasts' error before .* from [0-9.]+ ms to [0-9.]+ [mu]s, and so save up to [0-9.]+ m?s$" sentences ||
  fail "no model is named: $(cat sentences)"

# Where it ran, and what was set.
number late.json '.settings[] | .name + "=" + .value' >set
for setting in PAT_REPORT=.*late.json PAT_TRACE=.*late.trace; do grep -qx "$setting" set || fail "settings: $(cat set)"; done
[ "${PAT_GAIN-}" != "" ] || ! grep -q '^PAT_GAIN=' set || fail "a setting that is as always: $(cat set)"
[ "$(number late.json .environment.hosts[0])" = "$(uname -n)" ] || fail "the host is $(number late.json .environment.hosts)"
number late.json .environment.program | grep -q 'uneven 5 100 200$' || fail "the program is $(number late.json .environment.program)"
[ "$(number late.json .environment.mpi)" = "$(number late.json .mpi)" ] || fail "the MPI library is $(number late.json .environment.mpi)"
begin_s=$(date -d "$(number late.json .environment.begin)" +%s)
[ "$begin_s" -le "$(date +%s)" ] && [ "$begin_s" -ge "$(($(date +%s) - 3600))" ] || fail "it began $(number late.json .environment.begin)"
grep -q '"PAT_TRACE":"[^"]*late.trace"' both.html || fail "the page lacks the settings"

# Every key is explained in docs/report.md, and every key there is written.
jq -r '[paths | map(select(type == "string")) | join(".")] | unique | .[] | select(. != "")' late.json slower.json hinted.json |
  grep -v 'calls_by_algorithm\.' | sort -u >written
sed -n 's/^| `\([a-z_.]*\)` | .*/\1/p' "$page" | sort -u >explained
diff written explained >difference || fail "written (<) and explained (>) differ: $(cat difference)"

# What is no run is refused in a sentence, and leaves no file.
refuses() {
  local sentence=$1
  shift
  "$pat" report "$@" -o no.html >out 2>&1 && fail "report $* ends well"
  grep -q -- "$sentence" out || fail "report $* says: $(cat out)"
  [ ! -e no.html ] || fail "report $* leaves a page"
}
refuses 'cannot be read' missing.trace
refuses 'is a folder, give a file' .
refuses 'is a device, give a file' /dev/full
printf '0.1,0.2\n' >table.csv
refuses 'give what PAT_TRACE=FILE writes' table.csv
echo '{"processes": 3}' >old.json
refuses 'is no report with an analysis' old.json
echo '{"processes": ' >damaged.json
refuses 'is no report with an analysis' damaged.json
printf '<!doctype html>' >page.html
refuses 'is a page already, open it in a browser' page.html
{ printf '{"analysis": '; head -c 300000 /dev/zero | tr '\0' '['; head -c 300000 /dev/zero | tr '\0' ']'; echo '}'; } >deep.json
refuses 'lists in lists more than 64 deep' deep.json
# Nothing of it is taken to be there, or to be what it should be, at whatever depth.
spoilt() { # spoilt FILTER [OPTION ...]: a report that somebody has changed is refused, not half shown
  local filter=$1
  shift
  jq "$filter" late.json >spoilt.json
  "$pat" report spoilt.json "$@" >out 2>&1
  [ $? = 1 ] || fail "a report without $filter ends with another status, and says: $(cat out)"
  grep -q "^pat: 'spoilt.json' lacks what a report shows" out || fail "a report without $filter says: $(cat out)"
}
spoilt '.analysis.advice = [{}]'
spoilt '.analysis.culprits[0] = {}'
spoilt '.analysis.culprits[0].rank = "two"'
spoilt 'del(.analysis.skew_share)'
spoilt '.analysis.places[0].histogram.counts = "many"'
spoilt '.analysis.maps[0].rows = 1e9' -o spoilt.html
spoilt '.analysis.ranks[0].computing_s = {}' -o spoilt.html
spoilt 'del(.process[0].rank)' -o spoilt.html
spoilt 'del(.process[0].streams[0].calls)' -o spoilt.html
[ ! -e spoilt.html ] || fail 'a spoilt report leaves a page'
refuses 'nosuch' late.trace --predictor nosuch
# What comes through a pipe is read once.
for file in late.trace late.json; do
  "$pat" report "$file" >straight || fail "report $file"
  "$pat" report <(cat "$file") >piped 2>&1 || fail "report of $file through a pipe says: $(cat piped)"
  diff <(sed 1,2d straight) <(sed 1,2d piped) >difference || fail "$file through a pipe differs: $(cat difference)"
done
# Nothing takes the place of what it was made of.
cp late.trace itself.html
"$pat" report itself.html -o itself.html >out 2>&1 && fail 'a page takes the place of its trace'
grep -q 'which is the file that is read' out && cmp -s late.trace itself.html || fail "a page over its trace: $(cat out)"

[ "$failures" = 0 ] && echo "all well"
exit $((failures > 0))
