#!/usr/bin/env bash
# report_browser.sh PAT: the page of pat report in a browser: no error, every picture drawn, names of
# the data stay text.
set -u
pat=$1
command -v chromium >/dev/null || { echo "chromium is missing, the page is not opened: apt-get install chromium"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# opened PAGE: what the page has become, in out; what the browser said, in err.
opened() {
  timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$folder/browser" \
    --virtual-time-budget=20000 --dump-dom "file://$folder/$1" >out 2>err || fail "$1: the browser ends with $?"
  grep -E 'CONSOLE' err && fail "$1: the browser has something to say"
  local pictures drawn
  pictures=$(grep -o 'data-pictures="[0-9]*"' out | tr -dc 0-9)
  drawn=$(grep -o 'data-drawn="[0-9]*"' out | tr -dc 0-9)
  [ -n "$pictures" ] && [ "${pictures:-0}" -ge 4 ] && [ "$pictures" = "$drawn" ] ||
    fail "$1: of ${pictures:-no} pictures ${drawn:-none} are drawn"
}
# made REGION RANKS ITERATIONS: a trace
made() {
  echo "# pat-trace 1"; echo "# P: $2"; echo "# iterations: $3"; echo "# unit: s"; echo "# region: $1"
  echo "# block: arrival"
  awk -v p="$2" -v n="$3" 'BEGIN { srand(1); for (i = 0; i < n; ++i) { for (r = 0; r < p; ++r)
    printf "%.4f ", 0.1 + 0.02 * rand() + (r == 2 ? 0.1 : 0); print "" } }'
}
made "gather, root 0, 65536 bytes, after region solve" 8 200 >a.trace
made "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>" 8 50 >evil.trace
"$pat" report a.trace -o a.html >/dev/null || fail "one run"
"$pat" report a.trace evil.trace -o two.html >/dev/null || fail "two runs"
opened a.html
opened two.html
grep -q '<title>PAT report</title>' out || fail "a name of the data has become a script"
grep -q '<img' out && fail "a name of the data has become an element"
[ "$failures" = 0 ] && echo "all well"
exit $((failures > 0))
