#!/usr/bin/env bash
# Installs what is missing, builds, and shows a parallel FFT of spoken words whose results are
# gathered in the order of the predicted arrivals: first as processes of this machine, then over links
# of 1 Gbit/s, with a picture of who waited and a sentence that says what was gained. With --helsim a
# plasma simulation that draws itself and composites its pictures by a reduction. Half a minute on
# two cores once it is built, which takes three to four minutes the first time.
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

# on_links COMMAND...: runs it on eight nodes with a link each, in namespaces of this process's own,
# which vanish with it: as any user where the kernel gives users namespaces, else as root. Ends with 77
# where there is neither.
on_links() {
  local cluster=$root/build/release/bin/pat-cluster own
  if unshare -Urnm mount -t tmpfs none /run 2>/dev/null; then
    own=(unshare -Urnm)
  elif unshare -nm mount -t tmpfs none /run 2>/dev/null; then
    own=(unshare -nm)
  else
    return 77
  fi
  # Inside the process is root of its namespaces, whoever started it.
  # shellcheck disable=SC2016
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "${own[@]}" bash -c '
    mount -t tmpfs none /run || exit 77
    cluster=$1
    shift
    "$cluster" up --nodes 8 --rate 1gbit || exit
    "$cluster" run -- "$@"' on_links "$cluster" "$@"
}

# The blocks are sixty-four times as long as above, so that links matter. Every gather has the same delays.
links=emulated
gather_over_links() {
  local code=0 fft=("$root/build/release/bin/pat-fft" --input "${recordings[@]}" --size 262144
    --overlap 0.985 --threads 1 --algorithms "mpi,lin,ls,sls,bsls" --imbalance uniform:20ms --check)
  export PAT_TRACE=$results/gathers.trace PAT_REPORT=$results/gathers.json
  rm -f "$PAT_TRACE" "$PAT_REPORT"
  say "8 nodes with links of 1 Gbit/s, blocks of 262144 samples, delays of up to 20 ms"
  on_links "${fft[@]}" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || exit "$code"
  if [ "$code" -eq 77 ]; then
    links=none
    say "links cannot be emulated here (see above; user namespaces may be forbidden, root has them): the same" \
      "as processes of this machine, whose messages take no time, so that little can be gained"
    mpirun --quiet -n 8 "${fft[@]}"
  fi
}

# The picture, and the sentence.
show_gain() {
  local pat=$root/build/release/bin/pat trace=$results/gathers.trace table=$results/gathers.csv share pair
  unset PAT_TRACE PAT_REPORT
  "$pat" trace export "$trace" -o "$table" >/dev/null
  "$pat" trace export "$trace" -o "$results/gathers.pftrace" >/dev/null
  "$pat" report "$results/gathers.json" -o "$results/report.html" >/dev/null
  share=$(jq .analysis.skew_share "$results/gathers.json")
  # A gather in the order of arrivals in the second half, which one of MPI's own follows.
  pair=$(awk -F'"' 'NR > 1 { split($1, row, ","); by[row[1]] = $4; last = row[1] }
    END { for (i = int(last / 2); i < last; ++i) if (by[i] == "bsls" && by[i + 1] == "mpi") break
          print i < last ? i : 0 }' "$table")
  "$pat" trace show "$trace" --plot-timeline "$results/timeline.png" --timeline-from "$pair" \
    --timeline-calls 2 >/dev/null
  say "the timeline $results/timeline.png: a gather in the order of the predicted arrivals (bsls), then MPI's own"
  say "in $results too: gathers.pftrace for https://ui.perfetto.dev, report.html for a browser"
  awk -F'"' -v share="$share" -v links="$links" -v picture="$results/timeline.png" '
    function change(ordered, own) {
      return sprintf("%.0f %% %s", 100 * (ordered < own ? 1 - ordered / own : ordered / own - 1), ordered < own ? "less" : "more")
    }
    NR > 1 {
      split($1, row, ","); split($5, time, ",")
      call = row[1]; algorithm[call] = $4
      spent[$4] += time[6] - time[4]; ++parts[$4]
      if (!(call in begin) || time[2] < begin[call]) begin[call] = time[2]
      if (time[6] > end[call]) end[call] = time[6]
    }
    END {
      printf "Processes waited %.0f %% of the time for who came late; ", 100 * share
      for (call in begin) { lasted[algorithm[call]] += end[call] - begin[call]; ++calls[algorithm[call]] }
      own = 1e3 * spent["mpi"] / parts["mpi"]; ordered = 1e3 * spent["bsls"] / parts["bsls"]
      if (links == "none") printf "without links there is nothing that another order could gain"
      else {
        printf "where the root lets them send one after the other,\nin the order of the predicted arrivals (bsls), " \
          "each spent %.1f ms in a gather in place of %.1f ms with MPI\047s own: %s", ordered, own, change(ordered, own)
        if (parts["ls"]) printf " (in rank order, ls: %.1f ms)", 1e3 * spent["ls"] / parts["ls"]
        printf ",\nand a block took %s from the first start of its computing to the last end of its gather",
          change(lasted["bsls"] / calls["bsls"], lasted["mpi"] / calls["mpi"])
      }
      printf "; here is the timeline:\n%s\n", picture
    }' "$table"
}

install_packages
restore_recordings
build release pat_fft pat_command pat_shared pat_idle_wait

results=$root/build/demo
mkdir -p "$results"
allow_many_ranks
say "8 processes, ${#recordings[@]} recordings, delays of up to 5 ms: every gather algorithm in turn" \
  "(messages cost nothing within a machine, so little can be gained; links follow)"
export PAT_TRACE=$results/arrivals.txt
mpirun --quiet -n 8 "$root/build/release/bin/pat-fft" --input "${recordings[@]}" --overlap 0.75 \
  --imbalance uniform:5ms --check --spectrogram "$results/spectrogram.png"
gather_over_links
show_gain
