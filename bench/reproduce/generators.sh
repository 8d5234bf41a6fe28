#!/usr/bin/env bash
# generators.sh [--full] [--only sizes|grid|schedules] BUILD [OUT]: time to make Clairvoyant's schedules
# on this machine, in processor time, into OUT (default docs/figures). sizes: every generator, P = N
# (seed 000 Figs. 7 and 8, Table 1); grid: the fastest, P and N apart (seed 004 Fig. 9); schedules:
# pictures of schedules (seed 004 Fig. 8 and Appendix C). BUILD is a build folder that has bin/pat,
# such as build/release. Needs gnuplot. Quick: P = N up to 256, the two fastest up to 512, two minutes.
# --full: every generator at 512 too, the two fastest up to 16384 processes, more repeats: about
# ten minutes.
set -euo pipefail
full=no only='sizes grid schedules'
while :; do
  case ${1-} in
    --full) full=yes && shift ;;
    --only) only=${2:?--only needs a value} && shift 2 ;;
    *) break ;;
  esac
done
# shellcheck source=bench/reproduce/figures.sh
. "$(dirname "$0")/figures.sh"

generate() { # generate SIZES REPEATS [OPTIONS...]
  local sizes=$1 repeats=$2
  shift 2
  "$build/bin/pat" bench-schedule --format csv --sizes "$sizes" --repeats "$repeats" "$@"
}

joined() { # joined FILE: several tables from standard input, under one head
  awk 'NR == 1 || !/^ranks/' >"$1.part"
  mv "$1.part" "$1"
}

quick_sizes() {
  generate 4,8,16,32,64,128 5
  generate 256 1
  generate 512 3 --generators segment-tree,fast
}

full_sizes() {
  generate 4,8,16,32,64,128 25
  generate 256 5
  generate 512 1 --generators linear,pairing-heap,pairing-heap-filter
  generate 512 25 --generators segment-tree,fast
  generate 1024,2048 3 --generators segment-tree,fast
  generate 4096 25 -N 64 --generators segment-tree,fast
  generate 16384 3 -N 64 --generators segment-tree,fast
}

grid() {
  local sizes=8,16,32,64,128,256,512 n
  [ $full = no ] || sizes=$sizes,1024
  for n in 8 16 32 128 512; do generate $sizes 5 -N $n --generators fast; done
}

schedules() {
  "$build/bin/pat" schedule --alg clairvoyant -P 4 -N 4 --round-time 1 --arrivals 0,0,0,5 \
    --order paper --window open --draw "$out/schedule_late.png" --size 900x300
  "$build/bin/pat" schedule --op reduce --alg radix-k -P 8 --factors 4,2 \
    --draw "$out/schedule_radix_k.png" --size 900x420
}

for part in $only; do
  case $part in
    sizes) if [ $full = yes ]; then full_sizes; else quick_sizes; fi | joined "$out/generators.csv" ;;
    grid) grid | joined "$out/generators_grid.csv" ;;
    schedules) schedules && continue ;;
    *) echo "generators.sh: --only '$part' is none of sizes, grid and schedules" >&2 && exit 2 ;;
  esac
  gnuplot -e "out='$out'" -e "part='$part'" "$here/generators.gp"
done
echo "the figures and the numbers are in $out"
