#!/usr/bin/env bash
# viewers.sh PAT RUN_RANKS RECORDS SOURCES OTF2: what pat trace export and PAT_TRACE write for viewers
# is read back: by protoc, otf2-print (OTF2 is 1 where PAT has it), jq and awk.
set -u
pat=$1 run_ranks=$2 records=$3 sources=$4 otf2=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
equal() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }

# Three ranks, two calls. In the first rank 1 comes last, and rank 2 leaves before that.
cat >run.trace <<'TEXT'
# pat-trace 1
# P: 3
# iterations: 2
# unit: ms
# region: all
# clock: a test's
# place: gather, root 0, 64 bytes
# place: barrier, root 0
# algorithm: bsls
# block: arrival
1 3 2
2 1 1
# block: computing
1 3 2
2 1 1
# block: edge 0.5
0.5 nan 1.25
0.25 0.5 nan
# block: left
5 4 2.5
2.5 2.5 2.5
# block: start
0
10
# block: place
1
2
# block: algorithm
1
0
TEXT
for ending in pftrace csv talp.json; do
  "$pat" trace export run.trace -o "run.$ending" >out 2>&1 || fail "$ending: $(cat out)"
done

# ---- Perfetto: what a slice is, on which track, in us
# decoded FILE: the packets in text; "TRACK TYPE TIME NAME FLOWS", one an event, in events.
decoded() {
  protoc --decode=perfetto.protos.Trace -I"$sources/tests/cli" perfetto.proto <"$1" >text 2>err || fail "protoc: $(cat err)"
  grep -qE '^ *[0-9]+[:{ ]' text && fail "fields that are not in the schema: $(grep -nE '^ *[0-9]+[:{ ]' text | head -3)"
  awk '/^packet/ { time = track = type = name = flows = ""; depth = 0 }
       /timestamp:/ { time = $2 / 1000 }
       /track_uuid:/ { track = $2 }
       / type:/ { type = substr($2, 6) }
       /^    name:/ { name = $0; sub(/^ *name: /, "", name); gsub(/"/, "", name) }
       /terminating_flow_ids:/ { flows = flows " <" $2; next }
       /flow_ids:/ { flows = flows " >" $2 }
       /^}/ && track != "" { print track, type, time, name flows; track = "" }' text >events
}
decoded run.pftrace
equal 'rank 0' "$(grep -E '^16 ' events | head -8 | paste -sd'|')" \
  '16 SLICE_BEGIN 0 computing|16 INSTANT 500 edge 0.5|16 SLICE_END 1000 |16 SLICE_BEGIN 1000 gather, root 0, 64 bytes|16 SLICE_BEGIN 1000 waiting|16 SLICE_END 3000 |16 SLICE_BEGIN 3000 transfer <1|16 SLICE_END 5000 '
grep -qx '18 INSTANT 3000 comes last >1' events || fail "the flow from the last: $(cat events)"
awk '/^20 / && $3 < 10000 && /transfer/ { exit 1 }' events || fail "rank 2, which had left, has a transfer in: $(grep ^20 events)"
equal 'edges' "$(grep 'edge 0.5' events | paste -sd'|')" \
  '16 INSTANT 500 edge 0.5|20 INSTANT 1250 edge 0.5|16 INSTANT 10250 edge 0.5|18 INSTANT 10500 edge 0.5'
equal 'decisions' "$(grep -E '^2 ' events)" '2 INSTANT 0 bsls'
grep -q 'name: "rank 2"' text || fail "no track is named 'rank 2'"
[ "$(grep -c SLICE_BEGIN events)" = "$(grep -c SLICE_END events)" ] || fail "slices are not closed"

# ---- The table
equal 'csv' "$(sed -n 2,4p run.csv | cut -d, -f1,2,6- | paste -sd'|')" \
  '0,0,"bsls",0.000000000,0.001000000,0.001000000,0.003000000,0.005000000,0.002000000,0.002000000,,,|0,1,"bsls",0.000000000,0.003000000,0.003000000,0.003000000,0.004000000,0.000000000,0.001000000,,,|0,2,"bsls",0.000000000,0.002000000,0.002000000,0.003000000,0.002500000,0.000500000,0.000000000,,,'
equal 'lines' "$(wc -l <run.csv)" 7
head -1 run.csv | tr , '\n' | sort >written
sed -n 's/^| `\([a-z_]*\)` | .*/\1/p' "$sources/docs/viewers.md" | sort >explained
diff written explained >difference || fail "columns written (<) and explained (>): $(cat difference)"

# ---- TALP: 12.5 ms, of which rank 0 is 4.5 ms in MPI, rank 1 2.5 ms, rank 2 2 ms
equal 'talp' "$(jq -c '[.resources.numMpiRanks, .Application.Global.elapsedTime, .Application.Global.mpiTime,
  .Application.Global.parallelEfficiency, [.Process.Global[].usefulTime]]' run.talp.json)" \
  '[3,12500000,9000000,0.76,[8000000,10000000,10500000]]'

# ---- Forecasts are replayed where computing was recorded, and nowhere else
"$pat" trace generate ar -P 4 -n 60 --seed 1 -o arrivals.trace >/dev/null || fail "generate"
{ cat arrivals.trace; sed -n '/block: arrival/,$p' arrivals.trace | sed 's/block: arrival/block: computing/'; } >long.trace
"$pat" trace export long.trace -o long.csv >/dev/null || fail "long.csv"
"$pat" trace export arrivals.trace -o arrivals.csv >/dev/null || fail "arrivals.csv"
"$pat" trace export long.trace -o long.pftrace >/dev/null || fail "long.pftrace"
foretold() { awk -F, '$1 ~ /^[0-9]/ && $(NF - 2) != "" { ++n } END { print n + 0 }' "$@"; }
[ "$(foretold long.csv)" -gt 100 ] || fail "few forecasts: $(foretold long.csv)"
equal 'without computing' "$(foretold arrivals.csv)" 0
decoded long.pftrace
grep -q 'name: "forecast of rank 0, ' text || fail "no track is named 'forecast of rank 0'"
begun=$(grep -cE '^17 SLICE_BEGIN [0-9.e+]+ 90 %$' events)
equal 'intervals of rank 0' "$begun" "$(awk -F, '$2 == 0' long.csv | foretold)"
equal 'intervals that end' "$(grep -c '^17 SLICE_END ' events)" "$begun"
awk '/^17 / { if ($3 + 0 < time + 0) exit 1; time = $3 }' events || fail "intervals overlap: $(grep '^17 ' events | head)"

# ---- OTF2
if [ "$otf2" = 1 ]; then
  mkdir -p taken/run
  "$pat" trace export run.trace -o taken/run.otf2 >out 2>&1 && fail "takes the folder 'run' for its own"
  grep -q "'.*taken/run' is in the way" out || fail "in the way: $(cat out)"
  for again in 1 2; do "$pat" trace export run.trace -o run.otf2 >out 2>&1 || fail "otf2 $again: $(cat out)"; done
  otf2-print run.otf2 >events 2>&1 || fail "otf2-print: $(head -3 events)"
  grep -qE 'MPI_COLLECTIVE_END +0 +5000000 .*GATHER.*Root: 0' events || fail "a gather: $(cat events)"
  grep -qE 'ENTER +1 +3000000 .*"gather, root 0, 64 bytes"' events || fail "rank 1: $(cat events)"
  grep -q 'PAT algorithm' events || fail "the algorithm: $(cat events)"
  "$pat" trace import run.otf2 -o back.trace >out 2>&1 || fail "import: $(cat out)"
  blocks() { sed -n '/block: arrival/,$p' "$1" >"$1.blocks"; }
  "$pat" trace export back.trace -o back.csv >/dev/null || fail "back.csv"
  diff run.csv back.csv >difference || fail "there and back: $(cat difference)"
  grep -i warning events && fail "otf2-print has its doubts"
  # Between two calls nobody need have computed.
  awk '/^# block:/ { computing = /computing/; row = 0 } computing && /^[0-9]/ && row++ % 2 { gsub(/[^ ]+/, "0") } { print }' run.trace >still.trace
  cmp -s still.trace run.trace && fail "still.trace has all the computing of run.trace"
  "$pat" trace export still.trace -o still.otf2 >out && "$pat" trace import still.otf2 -o still.back.trace >>out ||
    fail "without computing: $(cat out)"
  for one in still still.back; do  # when a phase begins that is none is not kept
    "$pat" trace export $one.trace -o $one.csv >/dev/null
    sed -i -E 's/^([0-9]+,[0-9]+,"[^"]*",[^,]*),[^,]*/\1/' $one.csv
  done
  diff still.csv still.back.csv >difference || fail "without computing, there and back: $(cat difference)"
  for damage in run.otf2 run.def run/0.evt; do
    mkdir -p damaged && cp -r run.otf2 run.def run damaged
    printf 'xyz' | dd of="damaged/$damage" bs=1 seek=8 conv=notrunc 2>/dev/null
    "$pat" trace import "damaged/$damage" -o no.trace >out 2>&1
    code=$?
    [ "$code" -lt 128 ] || fail "damaged $damage: ends with $code: $(cat out)"
    rm -rf damaged no.trace
  done
  echo hello >no.otf2
  "$pat" trace import no.otf2 -o no.trace >out 2>&1 && fail "no.otf2 is an archive"
  grep -q "'no.otf2' is no OTF2 archive" out || fail "no archive: $(cat out)"
else
  "$pat" trace export run.trace -o run.otf2 >out 2>&1 && fail "OTF2 without its library"
  grep -q 'built without OTF2' out || fail "without OTF2: $(cat out)"
fi

# ---- What cannot be is said in a sentence
"$pat" trace export run.trace -o run.xyz >out 2>&1 && fail "takes .xyz"
grep -q 'it can be .pftrace, .csv, .talp.json or .otf2' out || fail "an ending: $(cat out)"
"$pat" trace export missing.trace -o x.csv >out 2>&1 && fail "takes a missing trace"
[ ! -e x.csv ] || fail "a file of no trace"

# ---- The library writes them itself, one a group of processes
endings="pftrace csv talp.json"
[ "$otf2" = 1 ] && endings+=" otf2"
for ending in $endings; do
  rm -rf rows*
  PAT_TRACE=rows.$ending "$run_ranks" 60 4 "$records" finalize 20 >out 2>&1 || fail "$ending: $(cat out)"
  for part in "" -2 -3 -4; do [ -s "rows$part.$ending" ] || fail "no rows$part.$ending in $(ls)"; done
  [ -e "rows-5.$ending" ] && fail "rows-5.$ending"
done
rm -rf rows*
PAT_TRACE=rows.csv "$run_ranks" 60 4 "$records" finalize 20 >out 2>&1
equal 'rows' "$(cat rows*.csv | awk -F'"' '/reduce, root 0, 32768/ && $4 != ""' | wc -l)" 80
awk -F, 'NR > 1 && ($(NF - 4) < 0 || $(NF - 5) < $(NF - 7)) { exit 1 }' rows.csv || fail "waits below 0"
PAT_TRACE=nowhere/rows.csv "$run_ranks" 60 2 "$records" finalize 20 >out 2>&1 && fail "writes to a folder that is not"
exit $((failures > 0))
