#!/bin/sh
# reduce.sh BUILD [OUT]: the figures of seed 004 from simulation, into OUT (default docs/figures).
# BUILD is a build folder that has bin/reduce_study, such as build/release. Needs gnuplot. About a
# minute.
set -e
# shellcheck source=bench/reproduce/figures.sh
. "$(dirname "$0")/figures.sh"
for study in balanced absorption delay segments orders forecast redirect; do
  "$build/bin/reduce_study" $study >"$out/reduce_$study.csv.part"
  mv "$out/reduce_$study.csv.part" "$out/reduce_$study.csv"
done
gnuplot -e "out='$out'" "$here/reduce.gp"
echo "figures and numbers are in $out"
