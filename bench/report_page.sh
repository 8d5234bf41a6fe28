#!/usr/bin/env bash
# report_page.sh PAT [REPETITIONS]: how large the page of 1,000 ranks x 10,000 calls at four places is, and
# how long headless Chromium takes from its start until it has read the page, run its script and drawn it;
# beside an empty page, which is what the browser takes by itself. Ends with 1 where something was not drawn
# or the console has a line. Needs 2 GB of memory and chromium; takes about a minute.
set -eu
pat=$(realpath "$1") repetitions=${2:-5}
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
echo '<!DOCTYPE html><title>empty</title>' >empty.html
echo "page: $(stat -c %s run.html) bytes"
# opened PAGE: seconds; what the page has become is in out, what the browser said in err.
opened() {
  local begin end
  begin=$(date +%s%N)
  timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$folder/browser" \
    --dump-dom "file://$folder/$1" >out 2>err
  end=$(date +%s%N)
  echo $(((end - begin) / 1000000))
}
opened empty.html >/dev/null # its first start makes a profile
for ((i = 0; i < repetitions; ++i)); do
  empty_ms=$(opened empty.html)
  page_ms=$(opened run.html)
  if grep CONSOLE err; then exit 1; fi
  pictures=$(grep -o 'data-pictures="[0-9]*"' out | tr -dc 0-9)
  drawn=$(grep -o 'data-drawn="[0-9]*"' out | tr -dc 0-9)
  echo "opened in $page_ms ms, an empty page in $empty_ms ms; $drawn of $pictures pictures drawn"
  [ -n "$pictures" ] && [ "$pictures" = "$drawn" ] || exit 1
done
