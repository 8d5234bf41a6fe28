#!/usr/bin/env bash
# plot.sh PAT: figures of pat plot whose points lie at one place, at zero or below; nothing that gnuplot
# remarks reaches the user.
set -u
pat=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# results FILE DELAY MEAN...: as pat bench --format json writes them, one algorithm a mean run time, named a1, a2 ...,
# or as $name and the number say.
results() {
  local file=$1 delay=$2 mean number=0 list=
  shift 2
  for mean in "$@"; do
    number=$((number + 1))
    list+="${list:+,}{\"operation\": \"gather\", \"algorithm\": \"${name:-a}$number\", \"ranks\": 4, \"bytes\": 4096,
      \"pattern\": \"uniform:5ms\", \"delay_s\": $delay, \"iterations\": 5, \"run_mean_s\": $mean,
      \"run_sd_s\": 0, \"elapsed_mean_s\": $mean, \"normalized_absorption\": $mean}"
  done
  echo "{\"format\": \"pat-bench 1\", \"results\": [$list]}" >"$file"
}
# draws FILE... OPTION...: there is a figure, and nothing was said.
draws() {
  rm -f figure.png
  "$pat" plot "$@" -o figure.png >out 2>&1 || fail "pat plot $* ends with $?"
  [ -s out ] && fail "pat plot $* says $(cat out)"
  [ -s figure.png ] || fail "pat plot $* draws nothing"
}

results some.json 0.005 1e-3 2e-3
results none.json 0 1e-3 2e-3
results zero.json 0.005 0 0
results below.json 0.005 -0.5 -0.25
for file in empty other; do
  if [ $file = empty ]; then : >$file.json; else echo '{"format": "something else"}' >$file.json; fi
  "$pat" plot some.json $file.json -o figure.png >out 2>err && fail "a figure of $file.json"
  grep -q "'$file.json' is no result of pat bench" err || fail "of $file.json: $(cat err)"
done
if command -v gnuplot >/dev/null; then
  for file in some.json none.json zero.json below.json; do
    draws $file --y absorption
    draws $file $file  # several points at the same x
    draws $file $file --x ranks --log
  done
  draws some.json none.json below.json
  # Names below bars: the letters of none lie on those of another, and all are in the picture. A letter is 7 x 12
  # pixels large; of slanted names, which end at their bars, what stands apart is the distance of their lines.
  # names_fit FILE LETTERS SLANTED
  names_fit() {
    "$pat" plot "$1" -o names.svg >out 2>&1 || fail "pat plot $1: $(cat out)"
    local size
    size=$(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' names.svg | head -1)
    awk -v size="$size" -v letters="$2" -v slanted="$3" '
      /<g transform="translate/ {
        x = y = $0
        sub(/.*translate\(/, "", x); sub(/,.*/, "", x); sub(/.*translate\([^,]*,/, "", y); sub(/\).*/, "", y)
        turned = /rotate\(-45/
      }
      />(a|recursive-doubling-)[0-9]+</ {
        split(size, whole, " ")
        reach = 7 * letters * (turned ? 0.71 : 0.5)
        if (turned != slanted) { print "slanted: " turned; bad++ }
        if (x - reach < 0 || (turned && y + reach > whole[2])) { print "beyond the edge: " $0; bad++ }
        if (n++ && (turned ? (x - before) * 0.71 < 12 : x - before < 7 * letters)) { print x " after " before; bad++ }
        before = x
      }
      END { if (n < 2) print "names: " n; exit bad > 0 || n < 2 }' names.svg >out || fail "the names of $1: $(cat out)"
  }
  twelve=(1e-3 2e-3 3e-3 4e-3 5e-3 6e-3 7e-3 8e-3 9e-3 8e-3 7e-3 6e-3)
  name=recursive-doubling- results long.json 0.005 "${twelve[@]}"
  results short.json 0.005 "${twelve[@]}"
  names_fit long.json 21 1
  names_fit short.json 3 0
  name=recursive-doubling- results two.json 0.005 1e-3 2e-3
  names_fit two.json 20 0
  [ "$("$pat" plot some.json)" = "drawn into 'figure.png'" ] || fail "pat plot does not say where it writes"
  "$pat" plot some.json none.json --x delay --log -o log.svg >out 2>&1 && grep -q 'not shown: 2 points at 0<' log.svg ||
    fail "points that a logarithmic axis has no place for: $(cat out)"
  "$pat" plot none.json none.json --x delay --log -o figure.png >out 2>err
  [ $? -eq 2 ] || fail "a logarithmic axis for nothing but zeros"
  grep -q -- '--log needs values above 0' err || fail "the refusal of zeros: $(cat err)"
fi
rm -f figure.png
for command in "plot some.json -o figure.png" "schedule --alg bnom -P 200 --draw figure.png"; do
  PATH=/none "$pat" $command >out 2>err
  [ $? -eq 1 ] || fail "without gnuplot: pat $command"
  grep -q "gnuplot could not draw 'figure.png', see that it is installed" err || fail "without gnuplot: $(cat err)"
done
[ -n "$(ls figure* 2>/dev/null)" ] && fail "a figure that could not be drawn leaves $(ls figure*)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
