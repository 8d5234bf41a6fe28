#!/bin/sh
# predict.sh PAT: pat trace and pat predict, good and bad input.
pat=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# accepts TEXT ARGS...: ends with 0 and prints TEXT.
accepts() {
  text=$1; shift
  if ! "$pat" "$@" >out 2>err; then fail "pat $*: $(cat err)"
  elif ! grep -qF -- "$text" out; then fail "pat $* does not print '$text'"
  fi
}

# refuses CODE TEXT ARGS...: ends with CODE and says TEXT in one line.
refuses() {
  code=$1; text=$2; shift 2
  "$pat" "$@" >out 2>err
  ended=$?
  [ $ended -eq "$code" ] || fail "pat $* ends with $ended instead of $code"
  grep -qF -- "$text" err || fail "pat $* says '$(cat err)', not '$text'"
  [ "$(wc -l <err)" -eq 1 ] || fail "pat $* says more than one line"
}

mkdir traces
accepts "60 iterations of 6 ranks, seed 3" trace generate regimes -P 6 -n 60 --seed 3 -o traces/a.trace
accepts "60 iterations" trace generate ar -P 4 -n 60 --ar 0.5,0.2 -o traces/b.trace
accepts "shape (skewness)" trace show traces/a.trace
accepts "imbalance factor" trace show traces/a.trace
accepts '"ranks": 6' trace show traces/a.trace --format json
[ "$(jq '[.imbalance_factors, .imbalances_s] | map(length) | unique | . == [60]' out)" = true ] ||
  fail "the imbalance of each iteration"
accepts "PAT_TRACE" trace record
accepts "kept %" predict --trace traces/a.trace --model sma:5 --model ensemble
accepts "in which the forecast was acted on" predict --trace traces/a.trace --model sma:5 --sure
accepts "rank 5" predict --trace traces/a.trace --model last --per-rank
accepts "interval_width_s" predict --trace traces --model last --model arma:2,1 --edge 0.5 --format csv
accepts '"model": "holt"' predict --trace traces --model holt --format json --exchange 4 --exchange interval
accepts "last" predict --trace traces/a.trace --model last --operation gather --algorithm sls --against ls --bytes 64k
[ "$("$pat" predict --trace traces --model last --format csv | wc -l)" -eq 3 ] || fail "one line a trace"

# Times and sizes are taken with their units or as bare seconds and bytes.
accepts "60 iterations" trace generate regimes -P 6 -n 60 --seed 3 --base 100ms --spread 20ms -o units.trace
cmp -s traces/a.trace units.trace || fail "trace generate with units differs"
"$pat" predict --trace units.trace --model last --bytes 16777216 --quiet >bare 2>err
"$pat" predict --trace units.trace --model last --bytes 16MiB --alpha 25us --beta 8ns --gamma 0.0002us \
  --quiet >units 2>err || fail "units: $(cat err)"
cmp -s bare units || fail "predict with units, and with the costs that the library assumes, differs"

# Where nothing is to be gained there is no picture of it, but everything else.
accepts "kept %" predict --trace traces/a.trace --model last --algorithm bnom --against bnom --plot-exchange none.png
grep -q "^pat: nothing is to be gained, so 'none.png' is not drawn" err || fail "nothing to gain: $(cat err)"
[ -e none.png ] && fail "a picture of no gain"
refuses 2 "leave out --no-gain" predict --trace traces/a.trace --model last --no-gain --plot-exchange none.png
refuses 2 "the plot 'fit.jpg' must end in .png or .svg" predict --trace traces/a.trace --model last --plot fit.jpg
[ -s out ] && fail "a study whose picture cannot be drawn"
(PATH=/none; "$pat" predict --trace traces/a.trace --model last --plot fit.png >out 2>err)
grep -q "kept %" out || fail "no tables without gnuplot: $(cat err)"

# What PAT_TRACE wrote into the head of what was called is taken over; options beat it.
recorded() { sed "s/^# region:.*/# region: $1/" traces/a.trace >recorded.trace; }
recorded "gather, root 1, 65536 bytes, after region solver"
accepts "recorded, simulated gather, root 1, 65536 bytes, sls against lin:" predict --trace recorded.trace --model last
accepts "simulated gather, root 1, 1048576 bytes, bsls against lin:" predict --trace recorded.trace --model last --bytes 1M --algorithm bsls --against lin
accepts "simulated reduce, root 1, 16777216 bytes, clairvoyant against bnom:" predict --trace recorded.trace --model last --operation reduce
accepts '"bytes": 65536' predict --trace recorded.trace --model last --format json
accepts ",gather,65536,sls,lin" predict --trace recorded.trace --model last --format csv
recorded "scatter, root 0, 4096 bytes, persistent"
accepts "simulated scatter, root 0, 4096 bytes, slin against lin:" predict --trace recorded.trace --model last
recorded "reduce, root 9, 1002 bytes"
accepts "simulated reduce, root 0, 1002 bytes, clairvoyant against kary:" predict --trace recorded.trace --model last
recorded "gather, root 5, blocks of any size"
accepts "simulated gather, root 5, 16777216 bytes, sls against ls:" predict --trace recorded.trace --model last
recorded "before MPI_Allreduce"
accepts "simulated allreduce, 16777216 bytes, straggler against ring:" predict --trace recorded.trace --model last
grep -qF -- "(assumed, as the trace does not tell: 16777216 bytes; --bytes to name another)" out || fail "an assumed size: $(cat out)"
"$pat" predict --trace recorded.trace --model last --bytes 8 >out 2>err
grep -q assumed out && fail "something is assumed: $(cat out)"
recorded "allreduce, root 0, 1048576 bytes"
accepts "simulated allreduce, 1048576 bytes, straggler against rabenseifner:" predict --trace recorded.trace --model last
recorded "barrier, root 0"
accepts "simulated barrier, sbn against linear:" predict --trace recorded.trace --model last
recorded "allgather, root 0, 65536 bytes"
accepts "simulated allgather, 65536 bytes, bdr against bruck:" predict --trace recorded.trace --model last
grep -q 'root [0-9]' out && fail "an operation without a root names one: $(grep 'root [0-9]' out)"
accepts "(assumed, as the trace does not tell: reduce, 16777216 bytes; --op and --bytes to name another)" predict --trace traces/a.trace --model last

# The last sentence says whether anything is to be gained, by what, and why not.
last_sentence() { awk 'BEGIN { RS = "" } END { gsub(/\n/, " "); print }' out; }
says() { last_sentence | grep -qE -- "$1" || fail "pat predict ends with '$(last_sentence)', not '$1'"; }
"$pat" trace generate single-late -P 6 -n 60 --base 1ms --spread 50ms --noise 0 -o recorded.trace >out
sed 's/^# region:.*/# region: gather, root 0, 1048576 bytes/' recorded.trace >late.trace
"$pat" predict --trace late.trace --model last >out 2>err
says '^(bsls|sls|sbn|bsbn), by forecasts of last, would save 2[0-9] % of the .* a call of MPI.s own \(simulated\)$'
sed 's/^# region:.*/# region: allreduce, 8 bytes/' recorded.trace >small.trace
"$pat" predict --trace small.trace --model last >out 2>err
says '^nothing is to be gained: no algorithm .* are the wait for the last process, which none shortens$'
"$pat" predict --trace small.trace --model last --operation gather --bytes 64M >out 2>err
says '^nothing is to be gained: no algorithm .* as all processes come within [0-9.]+ ms$'
"$pat" predict --trace small.trace --model last --no-gain >out 2>err
last_sentence | grep -q gained && fail "--no-gain speaks of gains"
refuses 2 "only runs under MPI" predict --trace traces/a.trace --model last --against mpi

# The tables fit 120 columns, their numbers stand below each other, and each heading is explained.
"$pat" predict --trace traces --per-rank --exchange 1 --exchange interval --operation gather --bytes 1M >tables 2>err ||
  fail "two traces with all models: $(cat err)"
awk 'length > 120' tables | grep . && fail "lines too long"
awk '/^model/ { width = length } !NF { width = 0 } width && length != width { print; bad = 1 } END { exit bad }' tables ||
  fail "the columns are not aligned"
[ "$(grep -c '^model' tables)" -eq 4 ] || fail "two tables a trace: $(grep '^model' tables)"
for heading in $(grep '^model' tables | tr ' ' '\n' | grep -vE '^(model|ms|%|)$' | sort -u); do
  sed '1,/^Forecasts of/d' tables | grep -qE "^  ([A-Za-z]+, )*$heading\\b" || fail "the legend does not explain '$heading'"
done
grep -q 'Above 100' tables || fail "the legend does not say how kept can exceed 100 %"
grep -q 'are not replayed' tables || fail "the legend does not say that edges are not replayed"
accepts "these assume one at 0.5 of the work" predict --trace traces/a.trace --model last --edge 0.5

if command -v gnuplot >/dev/null; then
  accepts "sma:5" predict --trace traces/a.trace --model sma:5 --bytes 64k --exchange 1 --exchange interval --plot fit.png --plot-horizon horizon.svg --plot-exchange exchange.png
  accepts "ranks" trace show traces/a.trace --plot acf.png
  accepts "ranks" trace show traces/a.trace --plot-imbalance factor.png
  for picture in fit.png horizon.svg exchange.png acf.png factor.png; do
    [ -s $picture ] || fail "$picture was not written"
  done
  accepts "last" predict --trace traces/a.trace --model last --bytes 64k --plot-exchange single.png --plot-horizon one.png --horizon-max 1
  [ -s single.png ] && [ -s one.png ] || fail "plots of one point"
  [ -s err ] && fail "plots of one point bring up remarks of gnuplot: $(cat err)"
  # Pictures name the trace, its region and the ranks, have one scale, and say what lies beyond it.
  { printf '# pat-trace 1\n# P: 2\n# region: solver\n'
    for i in $(seq 40); do echo "0.00$((i % 3 + 4)) 0.00$((i % 3 + 1))"; done; echo "0.9 0.002"; } >far.trace
  accepts "last" predict --trace far.trace --model last --bytes 64k --plot far.svg --plot-horizon horizon.svg
  accepts "ranks" trace show far.trace --plot acf.svg --plot-imbalance factor.svg
  grep -q '>far, solver<' far.svg && grep -q '>far, solver<' horizon.svg || fail "titles of forecasts"
  grep -q '>far, solver, 2 ranks<' acf.svg && grep -q '>far, solver, 2 ranks<' factor.svg || fail "titles of traces"
  grep -q '>rank 0; beyond the frame: 1 arrival<' far.svg || fail "an arrival far out: $(grep -o '>rank [^<]*' far.svg)"
  grep -q '>rank 1[^<]*arrival' far.svg && fail "rank 1 lies within the frame: $(grep -o '>rank [^<]*' far.svg)"
  grep -oE '> ?[0-9.]+<' far.svg | sort | uniq -c | awk '$1 % 2 { exit 1 }' || fail "the panels differ in their scales"
  refuses 2 ".png or .svg" trace show traces/a.trace --plot acf.jpg
fi

{ printf '# pat-trace 1\n# P: 2\n# place: gather, root 0\n# place: reduce, root 1\n# place: seldom\n'
  for i in $(seq 30); do echo "1 $((i % 3 + 1))"; echo "3 5"; done; echo "9 9"
  echo '# block: hint size'
  for i in $(seq 30); do echo "nan $((i % 3 + 1))"; echo "2 2"; done; echo "nan nan"
  echo '# block: place'
  for i in $(seq 30); do echo 1; echo 2; done; echo 3; } >places.trace
accepts "2: reduce, root 1 (30 iterations)" trace show places.trace
accepts "imbalance (mean, max)     2000 ms" trace show places.trace --place 2
refuses 2 "--place is 4, the trace 'places.trace' has 3 places" trace show places.trace --place 4
accepts "places: reduce, root 1" predict --trace places.trace --model last
grep -q "left out of 'places.trace': seldom, 1 iterations" err || fail "says which place is left out"
accepts '"places: gather, root 0",last' predict --trace places.trace --model last --format csv --quiet
[ -s err ] || fail "says in every format which place is left out"

sed 's/gather, root 0/scan, 8 bytes/' places.trace >scan.trace
accepts "scan: reduce, root 1" predict --trace scan.trace --model last
grep -q "left out of 'scan.trace': scan, 8 bytes, no scan follows the arrivals" err || fail "a place that cannot be studied: $(cat err)"

# Of a folder what is too short is left out, and said.
mkdir several
"$pat" trace generate uniform -n 50 --seed 1 -o several/long.trace >/dev/null
"$pat" trace generate uniform -n 5 --seed 1 -o several/short.trace >/dev/null
"$pat" predict --trace several --no-gain --model last --format csv --quiet >rows 2>err || fail "a short trace ends it: $(cat err)"
[ "$(grep -c ',last,\|^long,' rows)" = 1 ] || fail "the rows are $(cat rows)"
grep -q "^pat: left out: the trace 'several/short.trace' has 5 iterations" err || fail "what is too short: $(cat err)"
rm several/long.trace
"$pat" predict --trace several --no-gain --model last >out 2>&1 && fail "nothing is long enough, and it ends well"
refuses 2 "no place of the trace" predict --trace places.trace --model last --skip 31
"$pat" predict --trace places.trace --model regression --format csv --no-gain 2>err >with
"$pat" predict --trace places.trace --model regression --format csv --no-gain --no-hints 2>err >without
cmp -s with without && fail "--no-hints changes nothing"

printf 'time,a,b\n1,2.5,3\n2,1,4\n' >table.csv
accepts "2 iterations of 2 ranks" trace import table.csv --skip-columns 1 --unit ms -o c.trace
grep -q '^0.0025 0.003$' c.trace || fail "import converts units"
accepts "2 iterations of 2 ranks" trace import table.csv --skip-columns 1 --transpose -o c.trace

refuses 2 "there is no generator named 'x'" trace generate x -o x.trace
refuses 2 "only the generator helsim" trace generate ar --expected -o x.trace
refuses 2 "1 to 1048576 ranks" trace generate flat -P 0 -o x.trace
refuses 1 "cannot be written" trace generate flat -o missing/x.trace
# The address sanitizer ends a program that asks for so much.
[ -n "${ASAN_OPTIONS-}" ] || refuses 1 "more memory than there is" trace generate flat -P 1048576 -n 16777216 -o x.trace
[ -e x.trace ] && fail "a trace is left although nothing was made"
refuses 1 "cannot be read" trace show missing.trace
echo "no trace" >bad.trace
refuses 1 "line 1" trace show bad.trace
printf '# pat-trace 1\n# P: 2\n1 2\n1 x\n' >bad.trace
refuses 1 "line 4" predict --trace bad.trace
printf '1,2\n3\n' >bad.csv
refuses 1 "line 2" trace import bad.csv -o x.trace
refuses 2 "c.trace is a trace already, give it as it is" trace import c.trace -o x.trace
for export in csv pftrace talp.json; do
  accepts "" trace export c.trace -o "c.$export"
  refuses 2 "is what \`pat trace export\` writes for viewers, which is not read back" trace import "c.$export" -o x.trace
done
printf '1,x\n2,3\n' >bad.csv
refuses 1 "line 1: field 2, 'x'" trace import bad.csv -o x.trace
printf 'rank 0,-1\n2,3\n' >bad.csv
refuses 1 "line 1: field 1, 'rank 0'" trace import bad.csv -o x.trace
printf 'a,b\nc,d\n2,3\n' >bad.csv
refuses 1 "line 2: field 1, 'c'" trace import bad.csv -o x.trace
printf '1,2\n3,4\n' >bad.csv
refuses 1 "the line has 2 fields, --skip-columns is 2" trace import bad.csv --skip-columns 2 -o x.trace
refuses 1 "the file '.' is a folder" trace import . -o x.trace
refuses 1 "the file '/dev/zero' is a device" trace import /dev/zero -o x.trace
refuses 2 "which is the file that is read" trace import bad.csv -o ./bad.csv
cp c.trace itself.csv
refuses 2 "which is the file that is read" trace export itself.csv -o itself.csv
printf 'a\0b,1\n' >nul.csv
refuses 1 "field 1, 'a?b', is no time" trace import nul.csv -o x.trace
refuses 1 "is a device, give a file" trace join /dev/zero
refuses 1 "give what PAT_TRACE=FILE writes" trace join nul.csv
accepts "1 iterations" trace generate normal -P 3 -n 1 -o one.trace
accepts "runs test" trace show one.trace
grep -q "lags 1 to 0" out && fail "one iteration has no autocorrelation"
printf '# pat-trace 1\n# P: 2\n' >bad.trace
refuses 1 "has no iteration" trace show bad.trace
refuses 2 "has 0 iterations" predict --trace bad.trace --model last
printf '# a table\nrank 0,rank 1\n2,3\n' >title.csv
accepts "1 iterations of 2 ranks" trace import title.csv -o c.trace
refuses 2 "no model named 'x'" predict --trace traces/a.trace --model x
refuses 2 "--skip must be less" predict --trace traces/a.trace --model last --skip 60
refuses 2 "longest horizon" predict --trace traces/a.trace --model last --horizon 41
refuses 2 "horizon must be 1 to 64" predict --trace traces/a.trace --model last --horizon 0
refuses 2 "1 to 4096" predict --trace traces/a.trace --model sma:0
refuses 2 "--segments is 0" predict --trace traces/a.trace --model last --segments 0
refuses 2 "--alpha" predict --trace traces/a.trace --model last --alpha nan
refuses 2 "share of the work" predict --trace traces/a.trace --model last --edge nan
refuses 2 "--bytes" predict --trace traces/a.trace --model last --bytes 0
refuses 2 "share of the work" predict --trace traces/a.trace --model last --edge 1.5
refuses 2 "--exchange is '0'" predict --trace traces/a.trace --model last --exchange 0
refuses 2 "--bytes" predict --trace traces/a.trace --model last --bytes x
refuses 2 "no gather algorithm named 'nonsense'" predict --trace traces/a.trace --model last --operation gather --algorithm nonsense

[ $failures -eq 0 ] && echo "all good"
exit $failures
