#!/usr/bin/env bash
# test_drift.sh PAT_CLUSTER LIBRARY PROGRAM: nodes whose clocks are 50 ms apart and drift by 4 ms a
# second. All processes leave a barrier together: so says the trace, whose times PAT takes to one
# clock. 77: this machine lacks the rights or the features for a cluster.
set -uo pipefail
if ((EUID != 0)); then
  if sudo -n true 2>/dev/null; then exec sudo -n env PATH="$PATH" "$0" "$@"; fi
  exec "$(dirname "$0")/own_namespaces.sh" "$0" "$@"
fi
cluster=$1 library=$2 program=$3
export PAT_CLUSTER_NAME=drift
work=$(mktemp -d)

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

"$cluster" down >/dev/null 2>&1
"$cluster" up --nodes 4 --rate 1gbit
code=$?
if ((code == 77)); then
  echo "not runnable on this machine (see above)"
  exit 77
fi
((code == 0)) || fail "up ended with $code"
trap '"$cluster" down >/dev/null; rm -rf "$work"' EXIT

# apart FIRST LAST: how far the processes left barriers FIRST to LAST apart, the median in ms.
apart() {
  python3 - "$work/run.csv" "$1" "$2" <<'PYTHON'
import csv, statistics, sys
left = {}
with open(sys.argv[1]) as lines:
    for row in csv.DictReader(lines):
        left.setdefault(int(row["iteration"]), []).append(float(row["left_s"]))
rows = [max(left[i]) - min(left[i]) for i in range(int(sys.argv[2]), int(sys.argv[3]) + 1)]
print(round(1e3 * statistics.median(rows), 3))
PYTHON
}
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# Nothing is known of a drift beyond 100 ppm while the program runs; the second comparison at the end
# takes out any.
# A lease of one call: each one is foretold.
run() { # run SKEW_PPM: the trace of 40 barriers, 100 ms apart
  "$cluster" run -- env SKEW_MS=50 SKEW_PPM="$1" PAT_LOG=debug PAT_ALG=barrier=dissemination PAT_LEASE_MAX=1 PAT_TRACE="$work/run.csv" \
    sh -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' "$library" "$program" 40 100 >"$work/out" 2>&1 || fail "the program: $(cat "$work/out")"
}

run 4000
first=$(apart 1 8) last=$(apart 33 39)
echo "processes left the first barriers $first ms apart, the last ones $last ms; drift unseen: 48 ms"
less "$first" 12 || fail "offsets of 50 ms are left"
less "$last" 12 || fail "a drift of 4 ms a second is left"

run 50
known=$(grep -c 'the clock of rank 0 is' "$work/out")
((known > 0)) || fail "nobody asked for the time meanwhile: $(tail -3 "$work/out")"
wrong=$(sed -n 's/.*rank \([0-9]\): the clock of rank 0 is \(-*[0-9.]*\) ms ahead, give or take \([0-9.]*\) ms.*/\1 \2 \3/p' \
  "$work/out" | awk '{ off = $2 + 50 * $1; if (off < 0) off = -off; if (off > 5 + $3) print }')
[[ -z $wrong ]] || fail "rank, ms ahead, doubt: $wrong"
echo "ok: $known answers to what time it is"
