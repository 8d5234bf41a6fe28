#!/usr/bin/env bash
# report_page.sh PAT [REPETITIONS [LIMIT_MS]]: how large the page of 1,000 ranks x 10,000 calls at four places
# is, and how long headless Chromium takes to open it: from when it asks for the page until that is read, its
# script has run and all has its place, and in all, with the browser's own start and end. Ends with 1 where something
# was not drawn, the console has a line, or the median of the former is above LIMIT_MS. Needs 2 GB of memory and
# chromium; takes about a minute.
set -eu
pat=$(realpath "$1") repetitions=${2:-5} limit_ms=${3:-}
command -v chromium >/dev/null || { echo "chromium is missing: apt-get install chromium"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
awk -v p=1000 -v n=10000 'BEGIN {
  srand(1)
  printf "# pat-trace 1\n# P: %d\n# iterations: %d\n# unit: s\n", p, n
  for (k = 0; k < 4; ++k) printf "# place: gather, root 0, %d bytes, after region step %d\n", 1024 * 4 ^ k, k
  print "# block: arrival"
  for (i = 0; i < n; ++i) {
    line = ""
    for (r = 0; r < p; ++r) line = line sprintf("%.6f ", 0.01 + 0.002 * rand() + (r % 100 == 7 ? 0.004 * rand() : 0) + (r == 3 && i > 6000 ? 0.005 : 0))
    print rows[i] = line
  }
  print "# block: computing"
  for (i = 0; i < n; ++i) print rows[i]
  print "# block: place"
  for (i = 0; i < n; ++i) print i % 4 + 1
}' >run.trace
"$pat" report run.trace -o run.html >/dev/null
echo "page: $(stat -c %s run.html) bytes"
{
  sed '/<\/body>/,$d' run.html
  echo '<script>addEventListener("load", () => { const height = document.body.offsetHeight;'
  echo '  document.documentElement.dataset.ms = Math.round(performance.now()) + " for " + height; });</script></body></html>'
} >timed.html
# opened PAGE: what the page has become, in out; what the browser said, in err.
opened() {
  timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$folder/browser" \
    --dump-dom "file://$folder/$1" >out 2>err
  if grep CONSOLE err; then exit 1; fi
}
noted() { grep -o " data-$1=\"[0-9]*" out | tr -dc 0-9; }
opened run.html#count # its first start makes a profile; pictures are counted here alone, as that takes time
echo "$(noted drawn) of $(noted pictures) pictures drawn"
[ -n "$(noted pictures)" ] && [ "$(noted pictures)" = "$(noted drawn)" ] || exit 1
for ((i = 0; i < repetitions; ++i)); do
  begin=$(date +%s%N)
  opened timed.html
  echo "opened in $(noted ms) ms, with the browser $((($(date +%s%N) - begin) / 1000000)) ms"
  echo "$(noted ms)" >>times
done
median_ms=$(sort -n times | sed -n "$(((repetitions + 1) / 2))p")
echo "median: $median_ms ms"
[ -z "$limit_ms" ] || [ "$median_ms" -le "$limit_ms" ] || { echo "the median is above $limit_ms ms"; exit 1; }
