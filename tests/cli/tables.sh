#!/usr/bin/env bash
# tables.sh RUN_RANKS BIN PAGE: the first line of every CSV table that a command writes is what its section of
# docs/tables.md has. Commands that this build lacks are left out.
set -u
run_ranks=$1 bin=$2 page=$3 pat=$2/pat
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# explained SECTION: the names in its table, one a line
explained() { awk -v title="## $1" '/^## / { on = $0 == title } on' "$page" | sed -n 's/^| `\([A-Za-z_0-9]*\)` | .*/\1/p'; }
# is_table SECTION: the first line of what stands on the standard input
is_table() {
  head -1 | tr , '\n' >written
  explained "$1" >explained
  [ -s explained ] || fail "there is no section '$1'"
  diff written explained >difference || fail "$1: written (<) and explained (>): $(cat difference)"
}

measure() { "$run_ranks" 60 2 "$pat" bench --base 0 --pattern none --size 64 --alg mpi --warmup 0 -n 2 --quiet "$@" 2>err || fail "pat bench $*: $(cat err)"; }
measure --format csv >summary.csv
measure --format csv --samples >samples.csv
is_table "pat bench" <summary.csv
is_table "pat bench --samples" <samples.csv

"$pat" trace generate ar -P 4 -n 40 --seed 1 -o run.trace >/dev/null || fail "pat trace generate"
"$pat" predict --trace run.trace --model last --bytes 64 --format csv --quiet >predict.csv 2>err || fail "pat predict: $(cat err)"
is_table "pat predict" <predict.csv
"$pat" predict --trace run.trace --model last --no-gain --format csv --quiet >accuracy.csv || fail "pat predict --no-gain"
[ "$(head -1 accuracy.csv)" = "$(head -1 predict.csv | sed 's/\(sent_per_iteration\).*/\1/')" ] || fail "pat predict --no-gain writes $(head -1 accuracy.csv)"
"$pat" trace show run.trace --format csv | is_table "pat trace show"
"$pat" bench-schedule --sizes 4 --repeats 1 --format csv | is_table "pat bench-schedule"
"$pat" simulate --n 4 --runs 10 --format csv --quiet | is_table "pat simulate"

if [ -x "$bin/helsim-mini" ]; then
  "$run_ranks" 100 2 "$bin/helsim-mini" --case two-stream --steps 2 --width 16 --height 16 --study --study-bytes 64 \
    --output study --format csv >study.csv 2>err || fail "helsim-mini --study: $(cat err)"
  is_table "helsim-mini --study" <study.csv
  "$bin/helsim-mini" --case two-stream --steps 1 --picture-every 0 --output run >out 2>&1 || fail "helsim-mini: $(cat out)"
  is_table "helsim-mini, energy.csv" <run/energy.csv
  # Columns of ranks: R stands for each.
  of_ranks() { head -1 "study/$1" 2>/dev/null | tr , '\n' | sed 's/rank_[0-9]*/rank_R/' | awk '!seen[$0]++' | paste -sd' '; }
  [ "$(of_ranks render-times.csv)" = "step rank_R_ms mean_ms median_ms low_ms high_ms" ] || fail "render-times.csv: $(of_ranks render-times.csv)"
  [ "$(of_ranks sequences.csv)" = "step rank_R_ms rank_R_sma5_ms" ] || fail "sequences.csv: $(of_ranks sequences.csv)"
  [ "$(of_ranks autocorrelation.csv)" = "lag rank_R" ] || fail "autocorrelation.csv: $(of_ranks autocorrelation.csv)"
  for name in step rank_R_ms mean_ms median_ms low_ms high_ms rank_R_sma5_ms lag rank_R; do
    grep -q "\`$name\`" "$page" || fail "the page lacks '$name'"
  done
fi
if [ -x "$bin/regret_table" ]; then
  mkdir network
  "$run_ranks" 60 2 "$pat" bench --base 0 --pattern none --size 64 --alg mpi,auto --warmup 0 -n 2 --quiet --samples --format json \
    -o network/cell.json >out 2>&1 || fail "pat bench: $(cat out)"
  "$bin/regret_table" --format csv network/cell.json | is_table "regret_table"
fi
if [ -x "$bin/pat-simgrid" ]; then
  "$bin/pat-simgrid" --machine star:2 --alg bnom --size 64 --costs 2>/dev/null | is_table "pat-simgrid"
fi
if [ -x "$bin/reduce_study" ]; then
  for study in delay balanced absorption segments orders forecast redirect dynamic crossing construction; do
    stdbuf -oL "$bin/reduce_study" "$study" 2>/dev/null | head -1 >written # which ends it: the rest takes long
    sed -n "s/^| \`$study\` | \(.*\) |\$/\1/p" "$page" | grep -o '`[^`]*`' | tr -d '`' | paste -sd, >explained
    diff written explained >difference || fail "reduce_study $study: written (<) and explained (>): $(cat difference)"
  done
fi

[ "$failures" = 0 ] && echo "all well"
exit $((failures > 0))
