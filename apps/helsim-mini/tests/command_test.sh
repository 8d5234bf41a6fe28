#!/bin/bash
# command_test.sh HELSIM_MINI RUN_RANKS: the program as a user types it.
set -u
helsim=$1 run_ranks=$2
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
failures=0

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

# expect CODE TEXT ARGUMENTS...: the exit status, and a text in what is printed.
expect() {
  local code=$1 text=$2 printed status
  shift 2
  printed=$(timeout 60 "$helsim" "$@" 2>&1)
  status=$?
  [ $status -eq "$code" ] || fail "'$*' ended with $status instead of $code: $printed"
  case $printed in *"$text"*) ;; *) fail "'$*' did not say '$text' but: $printed" ;; esac
}

small="--width 64 --height 40"
expect 0 "two-stream" --list-cases
expect 0 "3 pictures" --case two-stream --steps 2 $small --output "$directory/run" \
  --trace "$directory/run.trace" --save "$directory/particles"
[ "$(ls "$directory/run"/frame-*.png | wc -l)" -eq 3 ] || fail "not three frames"
[ "$(wc -l < "$directory/run/energy.csv")" -eq 3 ] || fail "energy.csv has not a head and two lines"
grep -q '^# pat-trace 1' "$directory/run.trace" || fail "no trace"
expect 0 "1 pictures" --case two-stream --steps 0 $small --load "$directory/particles" \
  --output "$directory/loaded"
cmp -s "$directory/run/frame-00002.png" "$directory/loaded/frame-00000.png" ||
  fail "the loaded particles look different"

expect 2 "no case 'nothing'" --case nothing --output "$directory/x"
expect 2 "no reduction 'nothing'" --reduce nothing --output "$directory/x"
expect 2 "does not commute" --reduce clairvoyant --output "$directory/x"
expect 0 "2 pictures" --reduce clairvoyant --picture depth --steps 1 $small --output "$directory/depth"
expect 2 "does not commute" --reduce local-redirect --picture over --output "$directory/x"
"$run_ranks" 100 3 "$helsim" --reduce local-redirect --picture depth --steps 1 $small \
  --output "$directory/redirected" > /dev/null || fail "local-redirect failed on three ranks"
cmp -s "$directory/depth/frame-00001.png" "$directory/redirected/frame-00001.png" ||
  fail "local-redirect makes another picture"
expect 2 "helsim-mini: --steps" --steps -3
expect 2 "see helsim-mini --help" --bogus
expect 2 "helsim-mini: --stesp is not known, did you mean --steps?" --stesp 3
expect 1 "choose another with --trace" --trace /no/such/folder/t --output "$directory/x"
expect 1 "choose another with --save" --save "$directory" --output "$directory/x"
expect 2 "--picture" --picture sideways
expect 2 "model" --predictor nothing --output "$directory/x"
expect 1 "cannot" --input /no/such/file
expect 1 "--output" --output /proc/nowhere
expect 1 "cells" --case plasma-wave --load "$directory/particles" --output "$directory/x"
expect 1 "helsim-particles" --load "$directory/run.trace" --output "$directory/x"
expect 1 "no-trace" --study-trace "$directory/no-trace" --output "$directory/x"
for bytes in -5 0 8 3GiB many; do
  expect 2 "bytes" --study-trace "$directory/run.trace" --study-bytes $bytes --output "$directory/x"
done
expect 2 "at least two" --case two-stream --study --steps 1 $small --output "$directory/x"
echo '{"mine": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": [{"drfit": [1, 0, 0]}]}}' \
  > "$directory/bad.json"
expect 2 "mine.species[0].drfit" --input "$directory/bad.json" --case mine

"$run_ranks" 100 3 "$helsim" --case two-stream --steps 2 $small --output "$directory/three" \
  --save "$directory/three-particles" > /dev/null || fail "three ranks failed"
cmp -s "$directory/particles" "$directory/three-particles" || fail "three ranks differ from one"
OMP_NUM_THREADS=3 expect 0 "3 pictures" --case two-stream --steps 2 $small \
  --output "$directory/threads" --save "$directory/thread-particles"
cmp -s "$directory/particles" "$directory/thread-particles" || fail "three threads differ from one"
"$run_ranks" 100 2 "$helsim" --case two-stream --steps 3 $small --study --study-bytes 128KiB \
  --trace "$directory/study.trace" --output "$directory/study" --format csv > "$directory/study.csv" || fail "the study failed"
head -1 "$directory/study.csv" | grep -q '^message_bytes,' || fail "the study has no head"
grep -q '^131072,bnom' "$directory/study.csv" || fail "the study has no binomial tree"
grep -q '^# clock: processor' "$directory/study.trace" || fail "the study used another clock"
[ -s "$directory/study/distribution.png" ] || fail "the study has no figure"
grep -q '^set yrange \[0:[0-9.]*\]' "$directory/study/sequences.gp" || fail "ranks side by side on scales of their own"

# The replay: real pictures through real reductions, one row for each that is told the pattern.
replay() { # replay RANKS OPTIONS...
  "$run_ranks" 100 "$1" "$helsim" --study-trace "$directory/study.trace" --replay --max-lateness 10s "${@:2}"
}
replay 2 --sizes 16KiB,64KiB --steps 3 --reduce mpi,clairvoyant,local-redirect,ring --format csv \
  > "$directory/replay.csv" || fail "the replay failed"
head -1 "$directory/replay.csv" | grep -q '^message_bytes,' || fail "the replay has no head"
for row in mpi,1,- clairvoyant,0,sma:5 clairvoyant,0,arma clairvoyant,0,ensemble clairvoyant,0,true \
  local-redirect,0,- ring,0,-; do
  for bytes in 16384 65536; do
    grep -q "^$bytes,$row,[0-9]" "$directory/replay.csv" || fail "the replay has no row $bytes,$row"
  done
done
[ "$(wc -l < "$directory/replay.csv")" -eq 15 ] || fail "the replay has more rows than it should"
replay 2 --sizes 16KiB --steps 2 --edges 0 --reduce auto --predictor last | grep -q 'auto .* last ' ||
  fail "no row for --predictor"
refused() { # refused TEXT RANKS OPTIONS...
  replay "${@:2}" > "$directory/refused" 2>&1
  [ $? -eq 2 ] || fail "the replay with ${*:2} does not end with 2"
  grep -q -- "$1" "$directory/refused" || fail "the replay with ${*:2} does not say '$1'"
}
refused "made by 2 processes and this run has 3" 3
refused "no reduction 'nothing'" 2 --reduce mpi,nothing
refused "depth test" 2 --picture over
refused "fractions" 2 --edges 0.5,2
refused "cannot be composited" 2 --sizes 8
expect 2 "study-trace" --replay
expect 2 "is not a time" --study-trace "$directory/study.trace" --replay --max-lateness soon

# A Ctrl-C for mpirun keeps what was measured.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 timeout 60 \
  "${PAT_TEST_MPIRUN:-mpirun}" -n 2 "$helsim" --study-trace "$directory/study.trace" --replay --sizes 16KiB \
  --steps 100000 --reduce mpi --max-lateness 10s > "$directory/stopped" 2>&1 &
job=$!
sleep 4
kill -INT "$(pgrep -n -P $job mpirun)" || fail "no mpirun to interrupt"
wait $job
grep -q 'stopped before all' "$directory/stopped" || fail "the stopped replay does not say so"
grep -q '^16 KiB *mpi .*[0-9]$' "$directory/stopped" || fail "the stopped replay lost its row"
exit $((failures > 0))
