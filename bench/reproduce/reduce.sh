#!/bin/sh
# reduce.sh BUILD [OUT]: the figures of seed 004 from simulation, into OUT (default docs/figures).
# BUILD is a build folder that has bin/reduce_study. Needs gnuplot. About a minute.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?give the build folder, for example build/release}
out=${2:-$here/../../docs/figures}
mkdir -p "$out"
for study in balanced absorption delay segments orders forecast redirect; do
  "$build/bin/reduce_study" $study >"$out/reduce_$study.csv.part"
  mv "$out/reduce_$study.csv.part" "$out/reduce_$study.csv"
done
gnuplot -e "out='$out'" "$here/reduce.gp"
echo "figures and numbers are in $out"
