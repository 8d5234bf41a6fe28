#!/usr/bin/env bash
# report_browser.sh PAT: the page of pat report in a browser: no error, every picture drawn, names of
# the data stay text, what was gained, what was decided, tables sorted by a click, what keyboard and screen
# reader need, colours in the dark and on paper.
set -u
pat=$1
command -v chromium >/dev/null || { echo "chromium is missing, the page is not opened: apt-get install chromium"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# opened PAGE [OPTION...]: what the page has become, in out; what the browser said, in err.
opened() {
  local page=$1
  shift
  timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$folder/browser" \
    --virtual-time-budget=20000 "$@" --dump-dom "file://$folder/$page#count" >out 2>err || fail "$page: the browser ends with $?"
  grep -E 'CONSOLE' err && fail "$page: the browser has something to say"
  local pictures drawn
  pictures=$(grep -o 'data-pictures="[0-9]*"' out | tr -dc 0-9)
  drawn=$(grep -o 'data-drawn="[0-9]*"' out | tr -dc 0-9)
  [ -n "$pictures" ] && [ "${pictures:-0}" -ge 4 ] && [ "$pictures" = "$drawn" ] ||
    fail "$page: of ${pictures:-no} pictures ${drawn:-none} are drawn"
}
# used PAGE NAME: NAME, a page that does at its end what stands on the standard input, `note(key, value)` leaves an
# attribute "data-KEY" for noted.
used() {
  {
    sed '/<\/body>/,$d' "$1"
    echo '<script>function note(key, value) { document.documentElement.dataset[key] = value; }'
    cat
    echo '</script></body></html>'
  } >"$2"
}
noted() { grep -o " data-$1=\"[^\"]*\"" out | cut -d'"' -f2; }
equal() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }
# made REGION RANKS ITERATIONS [left]: a trace. left: also what did its calls, of which those by sls take 3 ms less.
made() {
  awk -v region="$1" -v p="$2" -v n="$3" -v left="${4:-}" 'BEGIN {
    srand(1)
    printf "# pat-trace 1\n# P: %d\n# iterations: %d\n# unit: s\n# region: %s\n", p, n, region
    if (left) print "# algorithm: mpi\n# algorithm: sls"
    print "# block: arrival"
    for (i = 0; i < n; ++i) { for (r = 0; r < p; ++r) printf "%.4f ", 0.1 + 0.02 * rand() + (r == 2 ? 0.1 : 0); print "" }
    if (!left) exit
    print "# block: left"
    for (i = 0; i < n; ++i) { for (r = 0; r < p; ++r) printf "%.4f ", 0.4 + 0.0005 * rand() - (i % 2 ? 0.1 : 0); print "" }
    print "# block: algorithm"
    for (i = 0; i < n; ++i) print i % 2 + 1 }'
}
made "gather, root 0, 65536 bytes, after region solve" 8 200 left >a.trace
made "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>" 8 50 >evil.trace
"$pat" report a.trace -o a.html >/dev/null || fail "one run"
"$pat" report a.trace evil.trace -o two.html >/dev/null || fail "two runs"

# ---- Two runs side by side: what was gained, of the second nothing is known
opened two.html
grep -q '<title>PAT report</title>' out || fail "a name of the data has become a script"
grep -q '<img' out && fail "a name of the data has become an element"
# 100 calls by sls, each 100 ms faster: the gain is near 10 s, and so are both ends.
grep -qE "gained against MPI's own, elapsed</dt><dd>(9\.[5-9][0-9]*|10\.[0-9]*) s \((9\.[0-9]+|10\.[0-9]*) s to (9\.[0-9]+|1[0-9]\.[0-9]*) s\)</dd>" out ||
  fail "the headline lacks what was gained: $(grep -o "gained against[^/]*/dt><dd>[^<]*" out)"
grep -q "gained against MPI's own, elapsed</dt><dd>not measured</dd>" out || fail "something was gained where MPI's own did nothing"
grep -qE '<td class="text">a.trace</td>(<td class="number">[^<]*</td>){5}<td class="number">(9\.[5-9][0-9]*|10\.[0-9]*) s</td>(<td class="number">(9\.[0-9]+|1[0-9]\.[0-9]*) s</td>){2}' out ||
  fail "the runs side by side lack what was gained"
grep -qE '<td class="text">evil.trace</td>(<td class="number">[^<]*</td>){5}(<td class="number">not measured</td>){3}' out ||
  fail "side by side: something was gained where MPI's own did nothing"

# ---- What a leader decided, with its reason, and a rank that became slower for good
{
  echo "# pat-trace 1"; echo "# P: 4"; echo "# iterations: 120"; echo "# unit: s"; echo "# region: solve"; echo "# block: arrival"
  awk 'BEGIN { srand(1); for (i = 0; i < 120; ++i) { for (r = 0; r < 4; ++r)
    printf "%.6f ", 0.01 + 0.0002 * rand() + (r == 3 && i >= 70 ? 0.004 : 0); print "" } }'
} >slower.trace
"$pat" report slower.trace --format json | jq '.[0] + {process: [{rank: 0, streams: [{leader: 0, calls: 9, operation: "gather",
  root: 0, block_bytes: 64, calls_by_algorithm: {bsls: 9}, reasons: [{calls: 9, reason: "<b>why</b>"}]}]}]}' >decided.json
"$pat" report decided.json -o decided.html >/dev/null || fail "a report with decisions"
opened decided.html
grep -q '<td class="text">gather</td><td class="number">0</td><td class="number">64</td><td class="number">9</td><td class="text">bsls 9</td><td class="text">9 x &lt;b&gt;why&lt;/b&gt;</td>' out ||
  fail "the decision: $(grep -o '<caption>Decisions.*' out | cut -c 1-1500)"
grep -qE '<caption>Ranks whose level changed</caption>.*<td class="number">3</td><td class="text">[^<]*solve[^<]*</td><td class="number">70</td><td class="number">50</td>(<td class="number">[^<]*</td>){2}<td class="text">yes</td>' out ||
  fail "the rank that became slower: $(grep -o '<caption>Ranks whose.*' out | cut -c 1-1500)"

# ---- A click on a title sorts the table, another one the other way; what screen readers are told goes along
read -r -d '' contrasts <<'E2'
const numbers = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);
const light = colours => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) =>
  sum + share * (colours[i] <= 10 ? colours[i] / 3294 : ((colours[i] / 255 + 0.055) / 1.055) ** 2.4), 0);
function rgb(text) { // of any CSS colour
  const probe = document.createElement("i");
  probe.style.color = text;
  document.body.append(probe);
  const found = numbers(getComputedStyle(probe).color);
  probe.remove();
  return found;
}
function contrasts(name) { // of text, of faint text and of a chart's, 4.5 being what WCAG asks for
  const ground = light(numbers(getComputedStyle(document.body).backgroundColor));
  const contrast = text => { const other = light(rgb(text)); return (Math.max(ground, other) + 0.05) / (Math.min(ground, other) + 0.05); };
  const chart = pictures.find(([, one]) => one)[1];
  const texts = [getComputedStyle(document.body).color, colour("faint"), chart.scales.x.options.ticks.color];
  note(name, (ground < 0.5 ? "dark" : "light") + " " + texts.map(text => contrast(text) >= 4.5 ? "readable" : text).join(" "));
}
contrasts("screen");
E2
used a.html clicked.html <<E2
$contrasts
const ranks = [...document.querySelectorAll("table")].find(one => one.caption.textContent === "Ranks");
const heads = [...ranks.tHead.rows[0].cells];
const column = () => [...ranks.tBodies[0].rows].map(row => row.cells[0].textContent).join(" ");
const told = () => heads.map(head => head.getAttribute("aria-sort") || "-").join(" ");
note("first", column());
heads[0].querySelector("button").click();
note("down", column() + "; " + told());
heads[0].querySelector("button").click();
note("up", column() + "; " + told());
heads[4].querySelector("button").click(); // others waited most for rank 2
note("charged", column()[0] + "; " + told());
const lacks = (selector, attribute, value) => [...document.querySelectorAll(selector)].filter(one =>
  value === undefined ? !one.getAttribute(attribute) : one.getAttribute(attribute) !== value).length;
note("lacking", [lacks("canvas", "role", "img"), lacks("canvas", "aria-label"), lacks(".scroll", "tabindex", "0"),
  lacks(".scroll", "aria-label")].join(" "));
E2
opened clicked.html --blink-settings=preferredColorScheme=1
equal "in the light" "$(noted screen)" "light readable readable readable"
equal "unsorted" "$(noted first)" "0 1 2 3 4 5 6 7"
equal "sorted downwards" "$(noted down)" "7 6 5 4 3 2 1 0; descending - - - - - -"
equal "sorted upwards" "$(noted up)" "0 1 2 3 4 5 6 7; ascending - - - - - -"
equal "sorted by another column" "$(noted charged)" "2; - - - - descending - -"
equal "pictures without role or words, tables that keys do not reach or that have no name" "$(noted lacking)" "0 0 0 0"

# ---- In the dark, and from there on paper: text stands out from its ground, on paper nothing is scrolled away
used a.html dark.html <<E2
$contrasts
for (const rule of document.styleSheets[0].cssRules)
  if (rule.media && rule.media.mediaText === "print") rule.media.mediaText = "all";
paintCharts();
contrasts("paper");
const scrolled = [...document.querySelectorAll(".scroll")].filter(one => one.scrollHeight > one.clientHeight + 1);
note("scrolled", scrolled.length + " of " + (document.querySelectorAll(".scroll").length > 2 ? "some" : "none"));
E2
opened dark.html --blink-settings=preferredColorScheme=0
equal "in the dark" "$(noted screen)" "dark readable readable readable"
equal "on paper, from a dark screen" "$(noted paper)" "light readable readable readable"
equal "tables that are cut on paper" "$(noted scrolled)" "0 of some"

[ "$failures" = 0 ] && echo "all well"
exit $((failures > 0))
