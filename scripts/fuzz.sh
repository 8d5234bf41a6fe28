#!/usr/bin/env bash
# Feeds what PAT reads with damaged input: files, settings, messages. Installs what is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/fuzz.sh [--seconds N] [--seed N] [READER...]
  Runs the fuzzers of tests/fuzz, or those of the READERs named, for a minute or N seconds in all, as
  many at a time as there are cores. Inputs that ran new code are kept in build/fuzz/corpus and used
  again; what ends a fuzzer lies in build/fuzz/findings. Ends with 1 if there is any.
  --seed N  another sequence of inputs (default 1)
  A finding is run again with: build/fuzz/bin/fuzz-READER FILE
TEXT
}

seconds=60
seed=1
readers=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds | --seed)
      [[ ${2-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1 is '${2-}', give a whole number above 0"
      if [ "$1" = --seed ]; then seed=$2; else seconds=$2; fi
      shift
      ;;
    -h | --help) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
    *) readers+=("$1") ;;
  esac
  shift
done

# What there is: a file of tests/fuzz with an entry point each.
all_readers() { grep -l '^extern "C" int LLVMFuzzerTestOneInput' "$root"/tests/fuzz/*.cpp | sed 's|.*/||; s|\.cpp$||'; }

for reader in "${readers[@]}"; do
  all_readers | grep -qxF -- "$reader" || fail "there is no reader '$reader', choose from: $(all_readers | paste -sd' ')"
done
[ ${#readers[@]} -gt 0 ] || mapfile -t readers < <(all_readers)

install_packages clang libclang-rt-dev
build fuzz pat_fuzzers

folder=$root/build/fuzz
mkdir -p "$folder"/{corpus,findings,log}
"$folder/bin/make_seeds" "$folder/seeds"

# fuzz READER SECONDS: one fuzzer on one core, its words in a log.
fuzz() {
  local seeds=() corpus=$folder/corpus/$1 place
  mkdir -p "$corpus"
  for place in "$root/tests/fuzz/seeds/$1" "$folder/seeds/$1"; do
    if [ -d "$place" ]; then seeds+=("$place"); fi
  done
  ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=64 UBSAN_OPTIONS=print_stacktrace=1 "$folder/bin/fuzz-$1" -max_total_time="$2" -seed="$seed" \
    -timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$1-" "$corpus" "${seeds[@]}" >"$folder/log/$1" 2>&1 || true
}
export -f fuzz
export folder root seed

cores=$(nproc)
share=$((seconds * cores / ${#readers[@]}))
[ "$share" -gt 0 ] || share=1
[ "$share" -le "$seconds" ] || share=$seconds
say "running ${#readers[@]} fuzzers, $share s each, $cores at a time"
rm -f "$folder"/log/*
printf '%s\n' "${readers[@]}" | xargs -P "$cores" -I{} bash -c 'fuzz "$1" "$2"' _ {} "$share"

# What was run and found, a line a reader.
found=0
for reader in "${readers[@]}"; do
  log=$folder/log/$reader
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if grep -q '^Done [0-9]* runs' "$log"; then
    printf '%-12s %9s inputs, nothing found\n' "$reader" "$runs"
    continue
  fi
  found=$((found + 1))
  printf '%-12s %9s inputs, FOUND: %s\n' "$reader" "${runs:-no}" "$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
  grep -E 'ERROR: |runtime error: |SUMMARY: ' "$log" | head -n 3 | sed 's/^/  /'
  echo "  all of it: $log"
done
[ "$found" -eq 0 ] || fail "$found of ${#readers[@]} fuzzers found something"
