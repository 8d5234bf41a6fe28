#!/usr/bin/env bash
# fft_bad_input.sh RUN_RANKS PAT_FFT: each wrong use of pat-fft must end on two ranks with status 2,
# one sentence that names the thing, nothing on standard output, and no file left behind.
set -u
run_ranks=$1 pat_fft=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
# No remarks of mpirun, and no second of patience after a rank that ended with an error.
export OMPI_MCA_orte_execute_quiet=1 OMPI_MCA_odls_base_sigkill_timeout=0
failures=0

# le BYTES NUMBER: the number in that many bytes, lowest first.
le() {
  local i
  for ((i = 0; i < $1; ++i)); do printf '%b' "\\x$(printf %02x $(($2 >> (8 * i) & 255)))"; done
}
# wav SAMPLES BYTES_OF_DATA: a header that promises 16 bit samples, and that many bytes of them.
wav() {
  printf RIFF && le 4 $((36 + 2 * $1)) && printf 'WAVEfmt ' && le 4 16 && le 2 1 && le 2 1
  le 4 8000 && le 4 16000 && le 2 2 && le 2 16 && printf data && le 4 $((2 * $1))
  head -c "$2" /dev/zero
}

complain() {
  echo "FAILED: pat-fft $*" >&2
  failures=$((failures + 1))
}

# refused TEXT ARGUMENT...: ends with 2 and one sentence that holds TEXT.
refused() {
  local text=$1 status
  shift
  "$run_ranks" 60 2 "$pat_fft" "$@" >"$folder/out" 2>"$folder/err"
  status=$?
  [ $status -eq 2 ] || complain "$*: status $status in place of 2"
  [ ! -s "$folder/out" ] || complain "$*: wrote to standard output: $(cat "$folder/out")"
  [ "$(grep -c '^pat-fft: ' "$folder/err")" -eq 1 ] ||
    complain "$*: not one sentence but: $(cat "$folder/err")"
  grep -qF -- "$text" "$folder/err" || complain "$*: no '$text' in: $(cat "$folder/err")"
  rm -f "$folder/out" "$folder/err"
  [ "$(ls -A work)" = "" ] || complain "$*: left behind $(ls -A work)"
  rm -rf work/*
}

mkdir work
wav 9000 18000 >good.wav
wav 9000 10000 >cut.wav
wav 0 0 >nothing.wav
head -c 20 good.wav >header.wav
: >empty.wav
echo 'no sound, only words' >text.wav

refused "--size is 1000" --size 1000
refused "--size is '-8'" --size -8
refused "too small to share among 2 processes" --size 2
refused "no gather algorithm named 'foo'" --algorithms mpi,foo
refused "--imbalance is 'uniform:5'" --imbalance uniform:5
refused "--overlap" --overlap 1
refused "--iterations is '0'" --iterations 0
refused "--nothing" --nothing
refused "give one with --input" --spectrogram work/a.png
refused "missing.wav" --input missing.wav
refused "empty file" --input empty.wav
refused "cut off" --input cut.wav
refused "cut off" --input header.wav
refused "cannot be read as sound" --input text.wav
refused "no samples" --input nothing.wav
refused "'work' is not a file" --input work
refused "fewer than a block of 16384" --input good.wav --size 16384
refused "only 3 blocks" --input good.wav --iterations 4
refused "cannot be written" --input good.wav --spectrogram missing/a.png
refused "cut off" --input good.wav cut.wav --spectrogram work/a.png
PAT_DAEMON=maybe refused "PAT_DAEMON" --size 64
PAT_PREDICTOR=crystal refused "crystal" --input good.wav --spectrogram work/a.png

# And what is right must work, or all of the above would prove nothing.
OMP_NUM_THREADS=1 "$run_ranks" 60 2 "$pat_fft" --input good.wav --check --json \
  --spectrogram work/a.png --imbalance uniform:100us >out 2>err ||
  complain "a good run ended with $?: $(cat err)"
grep -q '"blocks": 3' out || complain "a good run said: $(cat out)"
[ "$(ls -A work)" = a.png ] || complain "a good run left $(ls -A work)"
grep -q $'\r' out && complain "a progress bar where nobody watches"

# A run that is stopped leaves nothing.
rm work/a.png
OMP_NUM_THREADS=1 "$run_ranks" 60 2 "$pat_fft" --input good.wav --spectrogram work/a.png --imbalance ramp:5s \
  >out 2>err &
run=$!
for _ in {1..100}; do
  grep -q 'the table follows' err && break
  sleep 0.1
done
grep -q 'the table follows' err || complain "nothing to stop: $(cat err)"
pkill -INT -P "$(pgrep -P "$(pgrep -P $run timeout)")" || complain "nobody to stop"  # run_ranks, timeout, mpirun, ranks
wait $run
[ "$(ls -A work)" = "" ] || complain "a stopped run left $(ls -A work)"

[ $failures -eq 0 ] && echo "all refused as they should be"
exit $((failures > 0))
