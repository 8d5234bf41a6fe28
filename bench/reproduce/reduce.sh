#!/bin/sh
# reduce.sh BUILD [OUT]: the figures of seed 004 from simulation, into OUT (default docs/figures).
# BUILD is a build folder that has bin/reduce_study, such as build/release. Needs gnuplot. About a
# minute.
set -e
case ${1-} in
  '' | -*)
    sed -n '2,/^set/s/^# //p' "$0" >&2
    exit 2
    ;;
esac
[ -x "$1/bin/pat" ] || { echo "$(basename "$0"): $1/bin/pat is missing, build it first" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$1
out=${2:-$here/../../docs/figures}
mkdir -p "$out"
for study in balanced absorption delay segments orders forecast redirect; do
  "$build/bin/reduce_study" $study >"$out/reduce_$study.csv.part"
  mv "$out/reduce_$study.csv.part" "$out/reduce_$study.csv"
done
gnuplot -e "out='$out'" "$here/reduce.gp"
echo "figures and numbers are in $out"
