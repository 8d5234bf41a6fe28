#!/bin/bash
# regret.sh RUN_RANKS BIN SCRIPTS: what `pat bench --alg all --plain` measures on three ranks, the table that
# regret_table makes of it, and bench/reproduce/regret, which leads through both, on a cluster that is none.
set -u
run_ranks=$1 bin=$2 scripts=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; tail -n 20 "$work"/said* >&2; exit 1; }
table() { "$bin/regret_table" "$@" >"$work/said" 2>&1 || fail "regret_table $* ends with $?"; }
says() { grep -q -- "$1" "$work/said" || fail "it does not say '$1'"; }

measure() { # measure FILE OPTIONS...: a few calls each, every one kept
  mkdir -p "$(dirname "$1")"
  "$run_ranks" 120 3 "$bin/pat" bench --alg all --plain --base 1ms --warmup 1 --block 2 --sync window --max-lateness 10s \
    --quiet --config "report=${1%.json}.report.json" --format json --samples -o "$@" >"$work/said" 2>&1 ||
    fail "pat bench ${*:2}"
}

# Every way is there, each in its turn, and each iteration of each way is.
cell=$work/three/gather.json
measure "$cell" --op gather --size 6k --pattern uniform:2ms -n 6
ways=$("$bin/pat" schedule --list --op gather --format json | jq -c 'map(.algorithm) + ["auto", "plain"] | sort')
[[ $(jq -c '[.results[].algorithm] | sort' "$cell") == "$ways" ]] || fail "the ways are not $ways"
[[ $(jq -c '[.results[].samples.iteration] | unique' "$cell") == '[[1,2,3,4,5,6]]' ]] || fail "the iterations"
jq -e 'all(.results[].samples; all([.run_s, .whole_s] | transpose[]; .[1] >= .[0]))' "$cell" >/dev/null ||
  fail "a call takes longer than it and its phase"

# The ratios are those of the medians.
column() { "$bin/regret_table" --format csv "$cell" | awk -F, -v name="$1" '
  NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) n = i; next } { print $n }' | tail -1; }
expected() { # expected EXPRESSION: of $m, the medians by way, and $best
  jq "def median: sort | .[(length - 1) / 2 | floor] / 2 + .[length / 2 | floor] / 2;
    (.results | map({(.algorithm): (.samples.run_s | median)}) | add) as \$m |
    (\$m | del(.auto, .plain) | to_entries | min_by(.value).key) as \$best | $1" "$cell"
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4) }'; }
[[ $(column best) == $(expected '$best' | tr -d '"') ]] || fail "the best way is not $(expected '$best')"
near "$(column auto_over_mpi)" "$(expected '$m.auto / $m.mpi')" || fail "auto over mpi: $(column auto_over_mpi)"
near "$(column auto_over_best)" "$(expected '$m.auto / $m[$best]')" || fail "auto over the best: $(column auto_over_best)"
near "$(column mpi_over_plain)" "$(expected '$m.mpi / $m.plain')" || fail "mpi over plain: $(column mpi_over_plain)"
[[ $(column network) == three && $(column knowledge) == 0.5 && $(column calls) == 6 ]] || fail "the cell"
table --format csv "$cell"
taken=$(grep -oE '"[a-z-]+ [0-9]+(, [a-z-]+ [0-9]+)*: ' "$work/said" | grep -oE '[0-9]+' | paste -sd+)
((taken == 7)) || fail "what auto took in six calls and the warm-up"
table "$cell"
says '^three  *gather  *6 KiB  *uniform:2ms  *0.5  *6 '
says 'auto at most 1.02 of mpi: in [01] of 1 cells'

# A pattern that changes is two rows; nothing told is history alone.
measure "$work/three/reduce.json" --op reduce --size 64k --pattern change:4:single:-1:3ms --no-edges -n 19
table "$cell" "$work/three/reduce.json"
says '^three  *reduce  *64 KiB  *change:4:single:-1:3ms (as before)  *history  *11 '
says '^three  *reduce  *64 KiB  *change:4:single:-1:3ms (changed)  *history  *8 '
says '5 calls after a change: in [0-2] of 2 cells'

# What cannot be measured or read is refused in one sentence.
refused() { # refused CODE SENTENCE COMMAND...
  "${@:3}" >"$work/said" 2>&1
  [[ $? == "$1" ]] || fail "exit code of ${*:3}"
  [[ $(grep -c -- "$2" "$work/said") == 1 ]] || fail "'$2' once for ${*:3}"
}
bench() { "$run_ranks" 60 2 "$bin/pat" bench --base 1ms -n 1 --quiet "$@"; }
refused 2 "no operation 'gahter'" bench --op gahter --alg all
refused 2 'all goes with one operation' bench --op gather,reduce --alg all
refused 2 'plain goes with mpi and another' bench --op gather --alg mpi --plain
refused 2 "no pattern 'drift'" bench --op gather --alg all --pattern drift:5ms
refused 2 "'huge'" bench --op gather --alg all --size huge
refused 1 "'/nowhere/cell.json' cannot be read" "$bin/regret_table" /nowhere/cell.json
refused 2 'what `pat bench --format json --samples` writes' "$bin/regret_table" "${cell%.json}.report.json"
echo '{' >"$work/broken.json"
refused 2 "broken.json' or its report is not" "$bin/regret_table" "$work/broken.json"
jq '.results |= map(select(.algorithm != "auto"))' "$cell" >"$work/less.json"
refused 2 "has no 'auto'" "$bin/regret_table" "$work/less.json"
refused 2 'is given, give ' "$bin/regret_table"

# The script: a cluster on which each cell is measured as the file MEASURED; the second one fails.
mkdir "$work/bin"
ln -s "$bin/pat" "$bin/regret_table" "$work/bin"
cat >"$work/bin/pat-cluster" <<'TEXT'
#!/bin/bash
echo "$PAT_CLUSTER_NAME: $*" >>"$ASKED"
[[ $* != *"${FAILING:-nothing}"* ]] || exit 1
while (($#)); do
  [[ $1 != -o ]] || cp "$MEASURED" "$2"
  shift
done
TEXT
chmod +x "$work/bin/pat-cluster"
export PAT_BIN=$work/bin PAT_REPRODUCE_OUT=$work/out ASKED=$work/asked MEASURED=$cell
regret=$scripts/regret
refused 2 "there is no operation 'gahter'" "$regret" --op gahter
refused 2 "there is no network '8nodes'" "$regret" --network 8nodes
refused 2 "are not 3 groups of one size" "$regret" --network 8x1gbit-groups3
refused 2 "one program runs on an emulated cluster" "$regret" --network 8x1gbit-jobs2
refused 2 "there is no pattern 'drift:5ms'" "$regret" --pattern drift:5ms
refused 2 "size is '0'" "$regret" --size 0
refused 2 "knowledge is 'all'" "$regret" --knowledge all
refused 2 "'--nodes' is no option" "$regret" --nodes 8
refused 2 'known takes no lists' "$regret" --known --op gather
refused 1 'nothing is measured' "$regret" --show

run() { "$regret" "$@" >"$work/said" 2>"$work/said.err"; }
FAILING=uniform run --network 8x100mbit-buffer64k-each4 --op gather --size 1MiB --pattern none,uniform:D --knowledge 0.9 &&
  fail "a failed cell ends with 0"
grep -q -- '^regret: up --nodes 8 .*--rate 100mbit --buffer 64k' "$ASKED" || fail "the cluster: $(<"$ASKED")"
grep -q -- 'run --realtime --per-node 4 -- .*--pattern uniform:100ms --edges 0.9' "$ASKED" || fail "the cell: $(<"$ASKED")"
says 'not measured: 1 of 2 cells'
: >"$ASKED"
run --network 8x100mbit-buffer64k-each4 --op gather --size 1MiB --pattern none,uniform:D --knowledge 0.9 ||
  fail "what failed is not measured again"
[[ $(grep -c 'pat bench' "$ASKED") == 1 ]] || fail "what was measured is measured again"
command=$(grep '^bench/reproduce/regret' "$work/said")
[[ $command == *'--pattern uniform:100ms --knowledge 0.9 --iterations 20 --again' ]] || fail "the command: $command"
: >"$ASKED"
# shellcheck disable=SC2086
run ${command#* } || fail "the command of a cell"
[[ $(grep -c 'pat bench' "$ASKED") == 1 ]] || fail "the command of a cell measures another number of cells"
PAT_CLUSTER_NAME=other run --network 8x1gbit --op gather,reduce --size 2k/rank --pattern change:20:single:-1:D --knowledge history || fail "blocks"
grep -q -- '^other: .*--op gather .*--size 2k --per-rank --pattern change:20:single:-1:5ms --no-edges .* -n 92' "$ASKED" ||
  fail "blocks: $(<"$ASKED")"
grep -q -- '--op reduce' "$ASKED" && fail "blocks of a reduction"
run --network 8x1gbit-groups2-beside64k --op gather --size 2k/rank --pattern fixed:D --knowledge 0.5 || fail "groups"
grep -q -- '--per-rank --beside 64k --groups 2' "$ASKED" ||
  fail "groups: $(<"$ASKED")"
run --show --network 8x100mbit-buffer64k-each4 --op gather --size 1MiB --pattern none --knowledge 0.9 || fail "--show"
says '^8x100mbit-buffer64k-each4  *gather'
[[ -s $work/out/regret/regret.csv && -s $work/out/regret/regret.png ]] || fail "table and picture"
echo ok
