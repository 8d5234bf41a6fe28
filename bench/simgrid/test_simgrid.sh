#!/bin/sh
# test_simgrid.sh FOLDER: pat-simgrid in FOLDER gives the same in every run, right results for any
# number of processes, and refuses what it does not know; times sees a change of one digit. With
# pat-simgrid-agreement nobody waits for a decision, whatever the number of processes.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
simgrid() { "$bin/pat-simgrid" "$@"; }

# Every result is checked, so that ending with 0 says that all of them were right.
for ranks in 1 2 3 5 7 8 11 16; do
  simgrid --machine star:$ranks --op gather,scatter,reduce,bcast,allgather --size 64k --jobs 2 \
    --background none,thread,actor,oracle --pattern uniform:5ms >"$folder/$ranks" 2>"$folder/err" ||
    fail "$ranks processes: $(cat "$folder/err")"
done

# Twice the same, whatever runs beside it; and a line does not depend on the lines before it.
simgrid --machine star:8 --op gather,scatter,reduce,bcast,allgather --size 64k \
  --background none,thread,actor,oracle --pattern uniform:5ms >"$folder/again"
cmp "$folder/8" "$folder/again" || fail "two runs differ"
simgrid --machine star:8 --op reduce --alg clairvoyant --size 64k --pattern uniform:5ms |
  tail -n 1 >"$folder/alone"
grep -qxFf "$folder/alone" "$folder/8" || fail "a line alone is another than among others"

# run_s ALGORITHM BACKGROUND: of a gather whose root is late.
run_s() {
  simgrid --machine fat-tree:8 --op gather --alg "$1" --background "$2" --size 8M \
    --pattern late-root:5ms | awk -F, 'END { print $8 }'
}
# What background means: the data of a late root has come when it comes.
slower() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 1.2 * b) }'; }
inside=$(run_s bsls none) thread=$(run_s bsls thread) actor=$(run_s bsls actor)
oracle=$(run_s bsls oracle)
slower "$inside" "$thread" || fail "bsls: thread $thread s, nobody $inside s"
slower "$inside" "$actor" || fail "bsls: actor $actor s, nobody $inside s"
[ "$actor" = "$oracle" ] || fail "bsls: actor $actor s, oracle $oracle s, who know the same"
[ "$inside" = "$(run_s sls none)" ] || fail "bsls without a background is not sls"

# Blocks that pass faster than a go-ahead travels: the window that the gathers choose is wider than
# 2, and what is chosen for large blocks is 2.
gather_s() { simgrid --op gather --pattern none "$@" | awk -F, 'END { print $8 }'; }
for how in "ls none" "sls none" "bsls actor" "bsls thread"; do
  set -- --alg "${how% *}" --background "${how#* }"
  two=$(gather_s --machine fast-star:64 --size 256k "$@" --window 2)
  own=$(gather_s --machine fast-star:64 --size 256k "$@")
  slower "$two" "$own" || fail "$how: window 2 takes $two s, its own $own s"
  two=$(gather_s --machine star:8 --size 8M "$@" --window 2)
  own=$(gather_s --machine star:8 --size 8M "$@")
  [ "$two" = "$own" ] || fail "$how: for large blocks the window is not 2"
done

# What an algorithm is told: a model that has seen the same delays again and again knows as much as
# the oracle, one that has seen nothing knows nothing, and the reverse of the truth is worse.
knowing() {
  simgrid --machine star:8 --op scatter --alg sbn --size 8M "$@" | awk -F, 'END { print $8 }'
}
alternating="--pattern alternating:0:40ms"
oracle=$(knowing $alternating)
predicted=$(knowing $alternating --knowledge predicted --iteration 5 --predictor last)
nothing=$(knowing $alternating --knowledge predicted)
reverse=$(knowing $alternating --knowledge wrong)
[ "$oracle" = "$predicted" ] || fail "the oracle knows $oracle s, the model $predicted s"
slower "$nothing" "$oracle" || fail "knowing nothing takes $nothing s, the oracle $oracle s"
slower "$reverse" "$oracle" || fail "the reverse takes $reverse s, the oracle $oracle s"
# What the daemon knows: an actor has heard what all are told, an oracle is not told anything.
misled() {
  simgrid --machine star:8 --op gather --alg bsbn --size 8M --pattern single:3:40ms "$@" |
    awk -F, 'END { print $8 }'
}
truth=$(misled --background oracle) wrong=$(misled --background actor --knowledge wrong)
[ "$truth" = "$(misled --background oracle --knowledge wrong)" ] || fail "the oracle is misled"
[ "$truth" = "$(misled --background actor)" ] || fail "an actor who is told the truth takes another time"
slower "$wrong" "$truth" || fail "a misled actor takes $wrong s, the oracle $truth s"
[ "$(knowing --pattern uniform:40ms)" != "$(knowing --pattern uniform:40ms --iteration 1)" ] ||
  fail "all iterations have the same delays"

# A dynamic algorithm runs its protocol: processes look for letters while they wait, and what a look
# costs shows. With an oracle it does not: there it is known who meets whom, and nobody asks.
dynamic() {
  simgrid --machine star:8 --op reduce --alg "$1" --background "$2" --size 64k \
    --pattern uniform:5ms --cfg "smpi/iprobe:$3" | awk -F, 'END { print $8 }'
}
for alg in local-redirect local-redirect-seg; do
  cheap=$(dynamic $alg thread 1e-6) dear=$(dynamic $alg thread 3e-4)
  slower "$dear" "$cheap" || fail "$alg: looking costs nothing: $cheap s, $dear s"
  [ "$cheap" = "$(dynamic $alg none 1e-6)" ] || fail "$alg: the daemon has a part in it"
  [ "$(dynamic $alg oracle 1e-6)" = "$(dynamic $alg oracle 3e-4)" ] || fail "$alg: the oracle looks"
done

# Thousands of processes: what leaves announce travels by itself, so that a star is no slower than
# the wire. (One after another, 2047 announcements would take thrice as long.)
for alg in ls bsls; do
  simgrid --machine fat-tree:2048 --op gather --alg $alg --size 8M --costs --no-simulate |
    awk -F, 'END { exit !($11 > 0 && $8 >= $11 && $8 < 2 * $11) }' ||
    fail "$alg with 2048 processes takes more than twice the lower bound, or less than it"
done

# scale: a row for each algorithm with its distance to the lower bound; what takes too much is named
# on the error stream, and the rest goes on.
PAT_BIN=$bin "$here/scale" --op gather,reduce --csv "$folder/csv" 8 >"$folder/table" 2>"$folder/err" ||
  fail "scale: $(cat "$folder/err")"
rows=$(sed 1d "$folder/csv" | cut -d, -f3,4 | sort -u | wc -l)
[ "$(sed 1,2d "$folder/table" | wc -l)" -ge "$rows" ] || fail "scale: $(cat "$folder/table")"
awk -F'|' 'NR > 2 && $3 ~ /gather/ && !($6 >= 1 && $8 >= 1) { exit 1 }' "$folder/table" ||
  fail "scale: below the lower bound: $(cat "$folder/table")"
grep -q 'local-redirect-seg' "$folder/table" || fail "scale leaves algorithms out"
(
  ulimit -v 1000000
  simgrid --machine star:8 --op gather --alg ls,bnom --size 2G,64k --keep-going
) >"$folder/out" 2>"$folder/err" && fail "an experiment without memory ends well"
grep -qF "gather ls none none on star:8 failed" "$folder/err" || fail "a failure goes unseen"
[ "$(grep -c ',65536,' "$folder/out")" -eq 2 ] || fail "--keep-going stops: $(cat "$folder/out")"

# refuses TEXT ARGS...: ends with 2 and says TEXT.
program=pat-simgrid
refuses() {
  text=$1; shift
  "$bin/$program" "$@" >"$folder/out" 2>"$folder/err"
  code=$?
  [ $code -eq 2 ] || fail "$program $* ends with $code instead of 2"
  grep -qF -- "$text" "$folder/err" || fail "$program $* says '$(cat "$folder/err")'"
}
refuses "no machine 'ring:8'" --machine ring:8
refuses "no machine 'star:0'" --machine star:0
refuses "no machine 'fat-tree:12'" --machine fat-tree:12
refuses "no operation 'sort'" --op sort
refuses "'barrier' is not simulated" --op barrier
refuses "'neighbor-alltoall' is not simulated" --op neighbor-alltoall
refuses "There is no" --alg nothing
refuses "no algorithm 'mpi:nothing'" --alg mpi:nothing
refuses "no background 'ghost'; there are none, thread, actor and oracle" --background ghost
refuses "no pattern 'never'" --pattern never
refuses "less than a float" --size 16
refuses "no knowledge 'rumour'" --knowledge rumour
refuses "no model named 'nothing'" --knowledge predicted --predictor nothing
refuses "--window" --window -1

# libpat's agreement: column NUMBER of the line, whose bars are no columns. Each call is decided
# anew, so that a leader that rests, or counts what others tell it as its own polling, is late.
agreed() {
  number=$1
  shift
  "$bin/pat-simgrid-agreement" --alg prr --calls 24 --warmup 12 "$@" 2>"$folder/err" |
    tail -n 1 | tr -d '|' | awk -v n="$number" '{ print $n }'
}
asked=3 by_leader=8
for machine in star:1 star:2 star:7 star:48 star:96 "star:128 --tree 128"; do
  # Options of one word each.
  # shellcheck disable=SC2086
  share=$(agreed $asked --machine $machine)
  [ "$share" = 0.00 ] || fail "$machine: $share % ask for a decision; $(cat "$folder/err")"
done
few=$(agreed $by_leader --machine star:96) all=$(agreed $by_leader --machine star:96 --tree 96)
slower "$all" "$few" || fail "the leader of 96 sends $few messages a call, and $all without a tree"
program=pat-simgrid-agreement
refuses "no machine 'ring:8'" --machine ring:8
refuses "'barrier' is not simulated" --op barrier
refuses "'sort' is not simulated" --op sort
refuses "nothing" --alg nothing
refuses "no unit for each process" --op gather --size 8
refuses "no call of --calls" --warmup 40
refuses "no pattern 'never'" --pattern never
refuses "--edge is a share" --edge nan
refuses "--edge is a share" --edge 1
refuses "--base is too long" --base 11

# The table: a changed digit and a line too few are seen, a new line is none of a difference.
head -n 5 "$folder/8" >"$folder/old"
sed '3s/.$/&1/' "$folder/old" >"$folder/digit"
"$here/times" compare "$folder/old" "$folder/old" >"$folder/out" || fail "equal tables differ"
[ ! -s "$folder/out" ] || fail "equal tables: $(cat "$folder/out")"
"$here/times" compare "$folder/old" "$folder/digit" >"$folder/out" && fail "a digit goes unseen"
grep -qxF "now: $(sed -n 3p "$folder/digit")" "$folder/out" || fail "the line is not shown"
"$here/times" compare "$folder/8" "$folder/old" >"$folder/out" && fail "a lost line goes unseen"
"$here/times" compare "$folder/old" "$folder/8" >"$folder/out" || fail "a new line is refused"
grep -q '^new: ' "$folder/out" || fail "a new line is not shown"

[ $failures -eq 0 ]
