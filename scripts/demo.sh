#!/usr/bin/env bash
# Installs what is missing, builds, and shows a parallel FFT of spoken words whose results are
# gathered in the order of the predicted arrivals; with --helsim a plasma simulation that draws
# itself and composites its pictures by a reduction. Two to three minutes on two cores, set-up aside.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage="usage: scripts/demo.sh [--helsim]   (see build/release/bin/pat-fft --help and helsim-mini --help for your own runs)"

# Two cases in pictures on 8 processes, and what reductions would make of their render times.
show_helsim() {
  local results=$root/build/demo/helsim helsim=$root/build/release/bin/helsim-mini
  install_packages
  build release helsim-mini
  mkdir -p "$results"
  allow_many_ranks
  say "two beams trap each other: 170 steps on 2 processes, a picture every 10"
  mpirun --quiet -n 2 "$helsim" --case two-stream --steps 170 --picture-every 10 --width 480 \
    --height 300 --output "$results/two-stream"
  say "a cloud of plasma meets a dipole: 40 steps on 8 processes, their render times recorded"
  mpirun --quiet -n 8 "$helsim" --case magnetosphere-like-blob --steps 40 --picture-every 5 \
    --width 480 --height 300 --clock cpu --trace "$results/render-times.txt" \
    --output "$results/blob"
  say "what each reduction would make of these render times (simulated), with figures"
  "$helsim" --study-trace "$results/render-times.txt" --study-bytes 512KiB,4MiB --output "$results"
  say "pictures and figures are in $results"
}

case ${1-} in
  --helsim) show_helsim; exit 0 ;;
  -h | --help) echo "$usage"; exit 0 ;;
  "") ;;
  *) echo "$usage" >&2; exit 2 ;;
esac

sounds=/usr/share/sounds/alsa
words=(Front_Center Front_Left Front_Right Rear_Center Rear_Left Rear_Right Side_Left Side_Right)
recordings=("${words[@]/#/$sounds/}")
recordings=("${recordings[@]/%/.wav}")

# Some images leave out the data files of the packages they hold.
restore_recordings() {
  local recording
  for recording in "${recordings[@]}"; do
    [ -s "$recording" ] && continue
    say "the recordings of alsa-utils are missing"
    apt_install --reinstall alsa-utils
    break
  done
  for recording in "${recordings[@]}"; do
    [ -s "$recording" ] || fail "the package alsa-utils did not bring $recording"
  done
}

install_packages
restore_recordings
build release pat_fft pat_command pat_shared

results=$root/build/demo
mkdir -p "$results"
allow_many_ranks
say "8 processes, ${#recordings[@]} recordings, delays of up to 5 ms: every gather algorithm in turn"
export PAT_TRACE=$results/arrivals.txt
mpirun --quiet -n 8 "$root/build/release/bin/pat-fft" --input "${recordings[@]}" --overlap 0.75 \
  --imbalance uniform:5ms --check --spectrogram "$results/spectrogram.png"
