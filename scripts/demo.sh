#!/usr/bin/env bash
# Installs what is missing, builds, and shows a parallel FFT of spoken words whose results are
# gathered in the order of the predicted arrivals. About two minutes on two cores, set-up aside.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# -gt 0 ]; then
  echo "usage: scripts/demo.sh   (no arguments; see build/release/bin/pat-fft --help for your own runs)"
  case $1 in -h | --help) exit 0 ;; *) exit 2 ;; esac
fi

sounds=/usr/share/sounds/alsa
words=(Front_Center Front_Left Front_Right Rear_Center Rear_Left Rear_Right Side_Left Side_Right)
recordings=("${words[@]/#/$sounds/}")
recordings=("${recordings[@]/%/.wav}")

# Some images leave out the data files of the packages they hold.
restore_recordings() {
  local recording
  for recording in "${recordings[@]}"; do
    [ -s "$recording" ] && continue
    say "installing through apt, again for its recordings: alsa-utils"
    apt_install --reinstall alsa-utils
    break
  done
  for recording in "${recordings[@]}"; do
    [ -s "$recording" ] || fail "the package alsa-utils did not bring $recording"
  done
}

install_packages
restore_recordings
build release pat_fft pat_command

results=$root/build/demo
mkdir -p "$results"
allow_many_ranks
say "8 processes, ${#recordings[@]} recordings, delays of up to 5 ms: every gather algorithm in turn"
export PAT_TRACE=$results/arrivals.txt
mpirun --quiet -n 8 "$root/build/release/bin/pat-fft" --input "${recordings[@]}" --overlap 0.75 \
  --imbalance uniform:5ms --check --spectrogram "$results/spectrogram.png"
