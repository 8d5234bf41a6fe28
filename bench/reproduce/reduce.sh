#!/bin/sh
# reduce.sh BUILD [OUT [STUDY...]]: the figures of seed 004 from simulation, into OUT (default
# docs/figures): all, or those of some studies: balanced (Fig. 10), absorption (Fig. 6), delay (Figs. 12
# and 13), segments, orders, forecast, redirect, dynamic, crossing (numbers only). BUILD is a build folder that has
# bin/reduce_study, such as build/release. Needs gnuplot. About three minutes in all.
set -e
# shellcheck source=bench/reproduce/figures.sh
. "$(dirname "$0")/figures.sh"
if [ $# -gt 2 ]; then shift 2; else set -- balanced absorption delay segments orders forecast redirect dynamic crossing; fi
for study; do
  "$build/bin/reduce_study" "$study" >"$out/reduce_$study.csv.part"
  mv "$out/reduce_$study.csv.part" "$out/reduce_$study.csv"
  gnuplot -e "out='$out'" -e "study='$study'" "$here/reduce.gp"
done
echo "figures and numbers are in $out"
