#!/usr/bin/env bash
# test_slow_link.sh PAT_CLUSTER PAT: a node whose link has a tenth of the others' rate sends beside them in a star,
# once its root has seen that, and nobody waits for it in turn. 77: this machine lacks the rights or the features.
set -uo pipefail
if ((EUID != 0)); then
  if sudo -n true 2>/dev/null; then exec sudo -n env PATH="$PATH" "$0" "$@"; fi
  exec "$(dirname "$0")/own_namespaces.sh" "$0" "$@"
fi
cluster=$1 pat=$2
export PAT_CLUSTER_NAME=slowlink
folder=$(mktemp -d)
"$cluster" down >/dev/null 2>&1
made=$("$cluster" up --nodes 6 --rate 1gbit --slow 3:100mbit)
code=$?
((code == 0)) || { echo "$made"; exit "$code"; }
trap '"$cluster" down >/dev/null; rm -rf "$folder"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
[[ $made == *"slow link: that of node n3 has 100mbit"* ]] || fail "up does not say which link is slow: $made"
"$cluster" check 2>"$folder/err" && fail "check takes a slow link for the others'"
grep -q "that of n3 has another" "$folder/err" || fail "check says: $(cat "$folder/err")"
for wrong in 6:100mbit 3 3:fast n3:1gbit 3:0mbit; do
  "$cluster" up --nodes 6 --slow "$wrong" >/dev/null 2>"$folder/err" && fail "--slow $wrong was accepted"
  grep -q -- "--slow '" "$folder/err" || fail "--slow $wrong is refused by: $(cat "$folder/err")"
done

# PAT_Init sees it; what it sees on a busy machine may be more than that, but not less.
for attempt in 1 2 3; do
  PAT_LOG=info "$cluster" run -- "$pat" bench --op gather --alg auto --size 6KiB --pattern none --base 1ms --warmup 0 -n 1 \
    --max-lateness 1s >/dev/null 2>"$folder/err" || fail "pat bench: $(cat "$folder/err")"
  grep -q "the link of rank 3 takes" "$folder/err" && break
  ((attempt < 3)) || fail "PAT_Init does not find the slow link: $(cat "$folder/err")"
done

# Left alone by PAT_Init the root of a star learns of its calls whose link is slow: it needs three of them. One MiB takes 9 ms, over the slow
# link 90: in its turn that is 117 ms for all and more, beside the others 90, from then on.
realtime=()
if chrt -r 1 true 2>/dev/null; then realtime=(--realtime); fi
for attempt in 1 2 3 4 5 6; do
  PAT_CALIBRATE=off PAT_REPORT=$folder/report.json "$cluster" run "${realtime[@]}" -- "$pat" bench --op gather --alg ls --size 6MiB --pattern none --base 20ms --warmup 1 -n 14 \
    --max-lateness 1s --samples -o "$folder/run.json" >/dev/null 2>"$folder/err" || fail "pat bench: $(cat "$folder/err")"
  jq -r '.results[0].samples.run_s | "\(.[0:2] | min) \(.[6:] | sort | .[4])"' "$folder/run.json" >"$folder/times" ||
    fail "pat bench says no times"
  echo "the calls before it is known, and after: $(cat "$folder/times") s"
  awk '{ exit !($2 < 0.88 * $1) }' "$folder/times" || continue
  [ "$(jq -c '[.process[].slow_links]' "$folder/report.json")" = '[[3],[],[],[],[],[]]' ] ||
    fail "the report does not name rank 3: $(jq -c '[.process[].slow_links]' "$folder/report.json")"
  exit 0
done
fail "those who are not slow wait for who is"
