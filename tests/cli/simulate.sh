#!/bin/bash
# simulate.sh PAT: pat simulate, good and bad input, the same numbers for any number of threads, and
# what is left of a run that is stopped.
pat=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

accepts() { # accepts TEXT ARGS...: ends with 0 and prints TEXT
  local text=$1; shift
  if ! "$pat" simulate --quiet "$@" >out 2>err; then fail "pat simulate $*: $(cat err)"
  elif ! grep -qF -- "$text" out; then fail "pat simulate $* does not print '$text'"
  fi
}
refuses() { # refuses CODE TEXT ARGS...: ends with CODE, says TEXT in one line and prints nothing
  local code=$1 text=$2 ended; shift 2
  "$pat" simulate "$@" >out 2>err
  ended=$?
  [ $ended -eq "$code" ] || fail "pat simulate $* ends with $ended instead of $code"
  grep -qF -- "$text" err || fail "pat simulate $* says '$(cat err)', not '$text'"
  [ "$(wc -l <err)" -eq 1 ] || fail "pat simulate $* says more than one line"
  [ -s out ] && fail "pat simulate $* prints something although it fails"
}
cell() { # cell METHOD COLUMN: of the CSV in out
  awk -F, -v method="$1" -v column="$2" '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == column) at = i } $1 == method { print $at }' out
}

# Constant costs have the times of the formulas.
accepts "binomial-stat,64,constant,0,0.5,10,9,0,0,9,9,9,9,9,9,0" --distribution constant --comp-ratio 0.5 --runs 10 --format csv
[ "$(cell fibonacci-stat mean)" = 9.5 ] || fail "Fibonacci takes $(cell fibonacci-stat mean), not 9.5"
[ "$(cell fibonacci-stat theory_mean)" = 9.5 ] || fail "theory of Fibonacci"
# Exponential ones are near those of the Markov chains.
accepts "" --distribution exponential --n 4..16:3log --method tree-dyn --runs 20000 --format csv
[ "$(wc -l <out)" -eq 4 ] || fail "one line for each number of processors"
awk -F, 'NR > 1 { off = $7 - $15; if (off < 0) off = -off; if (!($15 > 0) || off > 5 * $8) { print; bad = 1 } } END { exit bad }' out ||
  fail "the mean is not what the chain foretells"

# The same for any number of threads, another for another seed.
for threads in 1 2 5; do
  OMP_NUM_THREADS=$threads "$pat" simulate --quiet --runs 5000 --n 20 --cv 0.5,2 --comp-ratio 0,1 --format csv >out$threads 2>err ||
    fail "with $threads threads: $(cat err)"
done
cmp -s out1 out2 && cmp -s out1 out5 || fail "the number of threads shows"
[ "$(wc -l <out1)" -eq 17 ] || fail "four methods in four settings"
accepts "" --runs 5000 --n 20 --cv 0.5,2 --comp-ratio 0,1 --format csv --seed 2
cmp -s out out1 && fail "the seed does not show"

# Formats; the table is aligned and explained.
accepts '"method": "non-commut-tree-dyn+"' --method non-commut-tree-dyn+ --runs 100 --format json
[ "$(jq '.results | length == 1 and .[0].runs == 100 and .[0].theory_mean == null' out)" = true ] || fail "json"
accepts "theory      the mean by a closed form" --runs 300
awk '!NF { exit } { if (width && length != width) bad = 1; width = length } END { exit bad }' out || fail "columns"
awk 'length > 120' out | grep . && fail "lines too long"

# Processors that differ.
printf -- '- 1 1 1\n2 - 1 1\n2 2 - 1\n2 2 2 -\n' >costs
accepts "binomial-stat,4,constant,0,,1,4," --costs costs --runs 1 --format csv
printf '0.5 0.5 0.5 0.5\n' >>costs
accepts "binomial-stat,4,constant,0,,1,5," --costs costs --runs 1 --format csv
accepts "binomial-stat,4,gamma,0.3,,500," --costs costs --cv 0.3 --runs 500 --format csv
refuses 2 "leave out --n" --costs costs --n 4
refuses 2 "not in range 1 to 1000000000000000, see" --runs -1
refuses 2 "leave out --comp-ratio" --costs costs --comp-ratio 1
printf '0 1\n1 x\n' >costs
refuses 2 "line 2 of the costs has 'x'" --costs costs
refuses 1 "the costs 'none' cannot be read" --costs none

# Pictures: lines, the ratio of two methods, the best of more.
accepts "" --cv 0.1..1:3log --runs 100 --plot lines.svg
accepts "" --figure 5 --runs 20 --cv 0.1..1:4log --comp-ratio 0.3..3:4log --plot ratio.svg --format csv
grep -q '^fibonacci-stat,64,gamma,0.1,0.3,20,' out || fail "the methods of Fig. 5"
accepts "" --figure 6 --runs 20 --cv 0.1..3:4log --comp-ratio 0.3..3:4log --plot best.svg
accepts "" --n 2,4,8 --runs 10 --plot processors.png
for picture in lines.svg ratio.svg best.svg processors.png; do [ -s $picture ] || fail "no $picture"; done
grep -q 'tree-dyn' lines.svg || fail "the lines have no names"
grep -q 'mean of fibonacci-stat / mean of tree-dyn' ratio.svg || fail "the ratio has no name"
grep -q 'non-commut-tree-dyn' best.svg || fail "the best have no names"
refuses 2 "must end in .png or .svg" --plot x.jpg
refuses 2 "give one --n" --n 2,4 --cv 0.1,1 --plot x.svg
refuses 2 "give two or more" --method tree-dyn --cv 0.1,1 --comp-ratio 0,1 --plot x.svg

# What is wrong is said.
refuses 2 "there is no method 'tree', give binomial-stat" --method tree
refuses 2 "there is no distribution 'normal'" --distribution normal
refuses 2 "--cv belongs to the gamma distribution" --distribution exponential --cv 2
refuses 2 "there is no figure 7" --figure 7
refuses 2 "--cv has '1..2'" --cv 1..2
refuses 2 "--cv has '0..2:5log'" --cv 0..2:5log
refuses 2 "--cv has '-1'" --cv=-1
refuses 2 "--comp-ratio has ''" --comp-ratio 1,
refuses 2 "--n is to be from 1 to 65536" --n 0
refuses 2 "--n is to be from 1 to 65536" --n 1e300
refuses 2 "--ranks is empty" --n ""
refuses 2 "this makes more than 10^15 runs" --runs 1000000000000000 --cv 0.1,1

# A run that is stopped keeps what it has.
"$pat" simulate --runs 1000000000 --method tree-dyn --format json --quiet >out 2>err &
sleep 1.5
kill -INT $!
wait $!
ended=$?
[ $ended -eq 1 ] || fail "a run that is stopped ends with $ended: $(cat err)"
grep -q "^pat: stopped after [0-9]* of 1000000000 runs" err || fail "a run that is stopped says '$(cat err)'"
[ "$(jq '.stopped and .results[0].runs > 0 and .results[0].runs < 1e9' out)" = true ] || fail "the results of a run that is stopped"
exit $((failures > 0))
