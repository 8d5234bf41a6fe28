#!/bin/sh
# schedule.sh PAT: pat schedule, good and bad input.
pat=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# accepts TEXT ARGS...: ends with 0 and prints TEXT.
accepts() {
  text=$1; shift
  if ! "$pat" schedule "$@" >"$folder/out" 2>"$folder/err"; then
    fail "pat schedule $*: $(cat "$folder/err")"
  elif ! grep -qF -- "$text" "$folder/out"; then
    fail "pat schedule $* does not print '$text'"
  fi
}

# refuses TEXT ARGS...: ends with 2, says TEXT in one line, prints nothing else.
refuses() {
  text=$1; shift
  "$pat" schedule "$@" >"$folder/out" 2>"$folder/err"
  code=$?
  [ $code -eq 2 ] || fail "pat schedule $* ends with $code instead of 2"
  grep -qF -- "$text" "$folder/err" || fail "pat schedule $* says '$(cat "$folder/err")', not '$text'"
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "pat schedule $* says more than one line"
  [ -s "$folder/out" ] && fail "pat schedule $* prints something although it fails"
}

clv="--op reduce --alg clairvoyant --round-time 1"

accepts "clairvoyant" --list
accepts '"operation": "gather"' --list --format json
accepts "go-aheads in the order" --list --alg sls
grep -qv ' sls ' "$folder/out" && fail "--list --alg sls lists others: $(cat "$folder/out")"
[ "$("$pat" schedule --list --alg bnom | wc -l)" -gt 1 ] || fail "--list --alg bnom is in several operations"
[ "$("$pat" schedule --list --alg bnom --op reduce | wc -l)" -eq 1 ] || fail "--list --alg bnom --op reduce"
refuses "algorithm named 'none'" --list --alg none
refuses "no reduce algorithm named 'sls'" --list --alg sls --op reduce
refuses "--list goes with --op, --alg and --format, not with --ranks" --list -P 3

# Below the tables every word of theirs is explained.
accepts "a cell is (peer,segment), segments count from 0" $clv -P 4 -N 4 --arrivals 0,0,0,0
for word in queue R1 order makespan; do
  grep -q "^$word" "$folder/out" || fail "the plan's legend does not explain $word"
done
accepts "message without data" --op gather --alg sls -P 3 --arrivals 0,0,0
for word in order round bytes makespan; do
  grep -q "^$word  .*[a-z]" "$folder/out" || fail "the schedule's legend does not explain $word"
done
[ "$("$pat" schedule $clv -P 4 -N 4 --arrivals 0,0,0,0 | awk 'length > 120' | wc -l)" -eq 0 ] || fail "long lines"

# Seed 004's Table 2 (the third column in the order of Algorithm 1 as written).
"$pat" schedule $clv -P 4 -N 4 --arrivals 0,0,0,0 --generator linear >"$folder/table"
grep -q '^0  *I  *(1,0)  (2,0)  (1,1)  (2,2)  (1,3)' "$folder/table" || fail "table 2, rank 0 in"
grep -q '^ *O  *(2,0)  (1,1)  (2,2)  (1,3)' "$folder/table" || fail "table 2, rank 3 out"
accepts '"rounds": 5' $clv -P 4 -N 4 --arrivals 0,0,0,0 --format json
accepts '"rounds": 9' $clv -P 4 -N 4 --arrivals 0,0,0,5 --order paper --window open --format json
accepts '"rounds": 133' --alg clairvoyant -P 128 -N 40 --round-time 6.43e-4 --order paper \
  --window open --format json --arrivals "$(printf '0,%.0s' $(seq 127))0.06"
accepts "ok" $clv -P 5 -N 3 --root 4 --arrivals 0,1,0.5,7,2 --verify
# In proportion to the operations, of which there are a million; not to pairs of them.
[ "$(timeout 120 "$pat" schedule --op exscan --alg pipeline -P 5 -N 70000 --verify)" = ok ] ||
  fail "verifying many segments takes minutes"
accepts "run time 9 s" $clv -P 4 -N 4 --arrivals 0,0,0,5 --simulate 1,0,0
"$pat" schedule $clv -P 4 -N 4 --arrivals 0,0,0,5 --simulate 1,0,0 --verify --format json |
  tr -d '\n ' | grep -q '^{"rounds":8,.*"messages":\[{.*}\],"verify":"ok","run_time_s":9.0,.*"finish_s":\[.*}$' ||
  fail "schedule and checks as one JSON object"
accepts '"finish_s"' $clv -P 4 -N 4 --arrivals 0,0,0,5 --simulate 1,0,0 --format json
accepts "run time 9 s" --alg clairvoyant --round-time 1000ms -P 4 -N 4 --arrivals 0,0,0s,5000ms --simulate 1s,0us,0ns
accepts "run time 1.024 s" --alg bnom -P 2 --count 1 --type-bytes 1k --simulate 0,1ms,0

# Other algorithms: rounds are the longest chain of messages, segments the pieces.
accepts '"rounds": 3' --op gather --alg bnom -P 8 --format json
accepts '"rounds": 4' --op gather --alg lin -P 5 --format json
accepts '"rounds": 7' --op reduce --alg pipeline -P 5 -N 4 --format json
accepts '"segment": 3' --op reduce --alg pipeline -P 5 -N 4 --format json
accepts '"verify": "ok"' --op gather --alg sls -P 4 --arrivals 0,0.1,0,0 --verify --format json
accepts '"messages"' --op gather --alg sls -P 4 --arrivals 0,0.1,0,0 --verify --format json

printf '# three processes\n0, 0.5\n2\n' >"$folder/arrivals"
accepts "ok" $clv -P 3 -N 2 --arrivals-file "$folder/arrivals" --verify

for generator in linear pairing-heap pairing-heap-filter segment-tree fast; do
  for order in paper latest-first best; do
    "$pat" schedule $clv -P 7 -N 5 --root 3 --arrivals 0,3,1.5,9,2.25,0,4 --order $order \
      --generator $generator --format json >"$folder/$generator.$order" ||
      fail "$generator with order $order"
    cmp -s "$folder/linear.$order" "$folder/$generator.$order" ||
      fail "$generator differs from linear with order $order"
  done
done

# Radix-k with given factors (seed 004 Appendix C); the times of the generators as a table of CSV.
accepts "ok" --op reduce --alg radix-k -P 8 --factors 4,2 --verify
refuses "the product of the factors" --op reduce --alg radix-k -P 8 --factors 3,2
"$pat" bench-schedule --sizes 4,8 --repeats 1 --generators linear,fast --format csv >"$folder/csv"
[ "$(wc -l <"$folder/csv")" -eq 13 ] || fail "bench-schedule --format csv prints $(cat "$folder/csv")"

"$pat" bench-schedule --sizes 4,8 --repeats 3 --idle --format csv >"$folder/csv"
[ "$(grep -c -e '-idle,' "$folder/csv")" -eq 18 ] || fail "bench-schedule --idle prints $(cat "$folder/csv")"
head -1 "$folder/csv" | grep -q 'mean_ratio,welch_p$' || fail "bench-schedule --format csv has no test of its means"
"$pat" bench-schedule --sizes 300 --repeats 1 --format json >"$folder/json"
grep -q 'linear' "$folder/json" && fail "bench-schedule runs linear on 300 x 300 without --all"

# Every registered algorithm that is a schedule.
"$pat" schedule --list | while read -r operation algorithm rest; do
  [ "$algorithm" = mpi ] && continue
  "$pat" schedule --list --format json | tr -d '\n ' |
    grep -qF "\"operation\":\"$operation\",\"algorithm\":\"$algorithm\"" || echo "$algorithm"
  "$pat" schedule --op "$operation" --alg "$algorithm" -P 6 --count 12 --verify \
    --arrivals 0,0.1,0,0.2,0,0.05 2>&1 | grep -qE '^ok$|only runs under MPI' ||
    echo "$operation $algorithm"
done >"$folder/bad"
[ -s "$folder/bad" ] && fail "not sound: $(cat "$folder/bad")"

"$pat" schedule $clv -P 4 -N 4 --arrivals 0,0,0,5 --draw "$folder/a.svg" --size 800x300 >/dev/null
grep -q 'dot: a process arrives; arrow: a message' "$folder/a.svg" || fail "a drawing does not say what its lines mean"
grep -q 'who arrives within a round takes part in what is left of it' "$folder/a.svg" || fail "a drawing does not say what short arrows are"
for type in svg png; do
  "$pat" schedule $clv -P 4 -N 4 --arrivals 0,0,0,5 --draw "$folder/a.$type" --size 600x300 >"$folder/out" ||
    fail "drawing $type"
  [ -s "$folder/a.$type" ] || fail "there is no $type"
done
accepts "drawn into '$folder/b.svg'" --op gather --alg sls -P 4 --arrivals 0,0.1,0,0 --draw "$folder/b.svg"
grep -q 'background' "$folder/b.svg" && fail "a drawing speaks of a background thread that does nothing"
accepts "drawn into" --op gather --alg bsls -P 4 --arrivals 0.3,0.1,0,0.2 --draw "$folder/b.svg"
grep -q 'before the dot of a process its background thread works' "$folder/b.svg" ||
  fail "a drawing does not say who takes in what comes before a process"
accepts "\"drawing\": \"$folder/b.svg\"" --op gather --alg lin -P 4 --draw "$folder/b.svg" --format json

refuses "rank 2 is nan" $clv -P 4 -N 4 --arrivals 0,0,nan,0
refuses "rank 1 is -1" $clv -P 4 -N 4 --arrivals 0,-1,0,0
refuses "rank 3 is inf" $clv -P 4 -N 4 --arrivals 0,0,0,inf
refuses "empty place" $clv -P 4 -N 4 --arrivals 0,,0,0
refuses "--arrivals has '1m', give times" $clv -P 4 -N 4 --arrivals 0,1m,0,0
refuses "'x'" $clv -P 4 -N 4 --arrivals 0,x,0,0
refuses "has 3 times" $clv -P 4 -N 4 --arrivals 0,0,0
refuses "give --arrivals" $clv -P 4 -N 4
refuses "not both" $clv -P 4 --arrivals 0,0,0,0 --arrivals-file x
refuses "cannot be read" $clv -P 4 --arrivals-file "$folder/none"
refuses "is a folder" $clv -P 4 --arrivals-file "$folder"
printf '1,0,0,0\0x\n' >"$folder/nul"
refuses "has '0?x', give times" $clv -P 4 --arrivals-file "$folder/nul"
refuses "is a device" $clv -P 4 --arrivals-file /dev/full
refuses "segments is 0" $clv -P 4 -N 0 --arrivals 0,0,0,0
refuses "segments is -3" $clv -P 4 -N -3 --arrivals 0,0,0,0
refuses "processes is 0" $clv -P 0 -N 4 --arrivals 0
refuses "give -P" $clv --arrivals 0,0
refuses "root is 4" $clv -P 4 -N 4 --root 4 --arrivals 0,0,0,0
refuses "root is -1" $clv -P 4 -N 4 --root -1 --arrivals 0,0,0,0
refuses "--round-time" --alg clairvoyant -P 2 -N 1 --round-time 0 --arrivals 0,0
refuses "--round-time" --alg clairvoyant -P 2 -N 1 --round-time nan --arrivals 0,0
refuses "too short" --alg clairvoyant -P 2 -N 1 --round-time 1e-12 --arrivals 0,1
refuses "generator named 'slow'" $clv -P 2 -N 1 --arrivals 0,0 --generator slow
refuses "order named 'worst'" $clv -P 2 -N 1 --arrivals 0,0 --order worst
refuses "window named 'wide'" $clv -P 2 -N 1 --arrivals 0,0 --window wide
refuses "algorithm named 'none'" --alg none -P 2
refuses "operation named 'none'" --op none --alg bnom -P 2
refuses "give --alg" -P 2
refuses "only runs under MPI" --alg mpi -P 2
refuses "belong to clairvoyant" --alg bnom -P 2 --order paper
# Messages one after another: (k - 1) ceil(log_k P) of 8 bytes, a second a byte.
for variant in 2:32 3:32 9:64; do
  accepts "run time ${variant#*:} s" --op bcast --alg knomial -P 9 --count 1 --simulate 0,1,0 \
    --variant ${variant%:*}
done
accepts "ok" --op allreduce --alg prr -P 6 --variant 3 --arrivals 0,0,0,0,0,0 --verify
refuses "'knomial' has no variant 1 among 9 processes" --op bcast --alg knomial -P 9 --variant 1
refuses "'knomial' has no variant 10 among 9" --op bcast --alg knomial -P 9 --variant 10
refuses "'bnom' has no variant 3 among 2" --alg bnom -P 2 --variant 3
refuses "'kary' has no variant -1 among 2" --alg kary -P 2 --variant -1
refuses "'clairvoyant' has no variant 1" $clv -P 2 --arrivals 0,0 --variant 1
# A slow link in a star: in its turn, and beside the others.
star="--op gather --alg ls -P 8 --count 1Mi --type-bytes 1 --simulate 25us,8ns,0"
accepts "run time 0.134418 s" $star --slow-link 7:10 --unaware
accepts "run time 0.0839361 s" $star --slow-link 7:10
accepts "ok" $star --slow-link 7:10 --slow-link 3:5 --verify
for wrong in 8:10 3 3:0.5 x:2 3:2x -1:2; do
  refuses "give a rank of the 8 processes and a factor" $star --slow-link=$wrong
done
refuses "--unaware requires --slow-link" $star --unaware
# Four messages a round, on links that have nothing in common and by cores that take them in turn.
ring="--op allgather --alg ring -P 4 --count 1 --type-bytes 1 --simulate 1,0,0"
accepts "run time 3 s" $ring
accepts "run time 3 s" $ring --shared 250ms,0
accepts "run time 12 s" $ring --shared 1,0
accepts "run time 24 s" $ring --shared 1,1
refuses "--shared has 1 numbers, give two" $ring --shared 1
refuses "from 0 to 1000" $ring --shared 1,-1
refuses "give three" --alg bnom -P 2 --simulate 1,2
refuses "from 0 to 1000" --alg bnom -P 2 --simulate 1,-2,0
refuses "from 0 to 1000" --alg bnom -P 2 --simulate nan,0,0
refuses "--draw is empty" --alg bnom -P 2 --draw ""
refuses "--simulate is empty" --alg bnom -P 2 --simulate ""
refuses ".svg or .png" --alg bnom -P 2 --draw "$folder/c.pdf"
refuses "--size" --alg bnom -P 2 --draw "$folder/c.svg" --size 10x10
refuses "--size" --alg bnom -P 2 --draw "$folder/c.svg" --size big
refuses "format named 'xml'" --alg bnom -P 2 --format xml
refuses "'-1' is not a count" --alg bnom -P 2 --count -1
refuses "'x' is not a count" --alg bnom -P 2 --count x
accepts "run time 1024 s" --alg bnom -P 2 --count 1k --type-bytes 1 --simulate 0,1,0
refuses "--type-bytes" --alg bnom -P 2 --type-bytes 0
[ -e "$folder/c.svg" ] && fail "a refused drawing leaves a file"

"$pat" schedule --alg bnom -P 2 --draw "$folder/none/d.svg" >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] || fail "a drawing into a missing folder does not end with 1"
[ -s "$folder/out" ] && fail "a drawing into a missing folder goes to the standard output"

# bench_refuses TEXT ARGS...: the same as refuses, for the times of the generators.
bench_refuses() {
  text=$1; shift
  "$pat" bench-schedule --generators fast "$@" >"$folder/out" 2>"$folder/err"
  code=$?
  [ $code -eq 2 ] || fail "pat bench-schedule $* ends with $code instead of 2"
  grep -qF -- "$text" "$folder/err" || fail "pat bench-schedule $* says '$(cat "$folder/err")'"
  [ -s "$folder/out" ] && fail "pat bench-schedule $* prints something although it fails"
}
bench_refuses "segments is 0" --sizes 4 -N 0
bench_refuses "segments is -3" --sizes 4 -N -3
bench_refuses "a size is 0" --sizes 4,0 --format csv
bench_refuses "order named 'best'" --sizes 4 --order best
bench_refuses "format named 'xml'" --sizes 4 --format xml
bench_refuses "-n must be from 1" --sizes 4 --repeats 0

# Numbers on the arrows: none lies on another one (7 x 12 pixels each), and few are left out.
for shape in "4 4" "8 8" "16 8" "16 4"; do
  set -- $shape
  "$pat" schedule $clv -P "$1" -N "$2" --draw "$folder/labels.svg" \
    --arrivals "$(awk -v p="$1" 'BEGIN { for (r = 0; r < p; r++) printf "%s%.2f", r ? "," : "", (r * 37 % 50) / 10 }')" >"$folder/out" ||
    fail "drawing P=$1 N=$2"
  sed -n "s/.*translate(\([0-9.]*\),\([0-9.]*\)).*filter:url(#textbox).*/\1 \2/p" "$folder/labels.svg" >"$folder/places"
  [ "$(wc -l <"$folder/places")" -ge $(($2 * ($1 - 1) * 3 / 4)) ] || fail "P=$1 N=$2 has too few labels"
  awk '{ for (i = 0; i < n; i++) { dx = x[i] - $1; dy = y[i] - $2
           if (dx * dx < 49 && dy * dy < 144) bad++ } x[n] = $1; y[n++] = $2 } END { exit bad > 0 }' \
    "$folder/places" || fail "P=$1 N=$2 has labels on top of each other"
done
[ $failures -eq 0 ] && echo "pat schedule: all as expected"
exit $((failures > 0))
