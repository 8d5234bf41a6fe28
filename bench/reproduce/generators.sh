#!/bin/sh
# generators.sh BUILD [OUT]: seed 000's Figs. 7 and 8 and seed 004's Fig. 9, in processor time, and
# seed 004's Fig. 8 and Appendix C, into OUT (default docs/figures). BUILD is a build folder that has
# bin/pat, such as build/release. Needs gnuplot. About ten minutes.
set -e
# shellcheck source=bench/reproduce/figures.sh
. "$(dirname "$0")/figures.sh"
csv=$out/generators.csv
{
  "$build/bin/pat" bench-schedule --format csv --sizes 4,8,16,32,64,128 --repeats 25
  "$build/bin/pat" bench-schedule --format csv --sizes 256 --repeats 5
  "$build/bin/pat" bench-schedule --format csv --sizes 512 --repeats 1 \
    --generators linear,pairing-heap,pairing-heap-filter
  "$build/bin/pat" bench-schedule --format csv --sizes 512 --repeats 25 \
    --generators segment-tree,fast
  "$build/bin/pat" bench-schedule --format csv --sizes 1024,2048 --repeats 3 \
    --generators segment-tree,fast
  "$build/bin/pat" bench-schedule --format csv --sizes 4096 -N 64 --repeats 25 \
    --generators segment-tree,fast
  "$build/bin/pat" bench-schedule --format csv --sizes 16384 -N 64 --repeats 3 \
    --generators segment-tree,fast
} | awk 'NR == 1 || !/^ranks/' >"$csv.part"
mv "$csv.part" "$csv"
for n in 8 32 128 512; do
  "$build/bin/pat" bench-schedule --format csv --sizes 8,16,32,64,128,256,512,1024 -N $n \
    --generators fast
done | awk 'NR == 1 || !/^ranks/' >"$out/generators_grid.csv.part"
mv "$out/generators_grid.csv.part" "$out/generators_grid.csv"
"$build/bin/pat" schedule --alg clairvoyant -P 4 -N 4 --round-time 1 --arrivals 0,0,0,5 \
  --order paper --window open --draw "$out/schedule_late.png" --size 900x300
"$build/bin/pat" schedule --op reduce --alg radix-k -P 8 --factors 4,2 \
  --draw "$out/schedule_radix_k.png" --size 900x420
gnuplot -e "out='$out'" "$here/generators.gp"
echo "the figure and the numbers are in $out"
