#!/bin/bash
# test_generator_memory.sh CLAIRVOYANT_BENCH: the benchmark tells what memory a generator takes: some for
# each of them, and many times more for a heap a segment than for bits.
set -eu
numbers=$("$1" --benchmark_filter='/balanced/paper/P32/N32$' --benchmark_min_time=0.001 --benchmark_format=csv 2>/dev/null)
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "\"bits_per_cell\"") column = i }
  /P32/ { split($1, part, /["\/]/); bits[part[2]] = $column; ++generators; if (!($column > 0)) bad = 1 }
  END { exit bad || generators != 5 || !(bits["pairing-heap"] > 10 * bits["fast"]) }' <<<"$numbers" ||
  { echo "FAILED:"; echo "$numbers"; exit 1; }
