#!/bin/bash
# bench_command.sh PAT [WRONG_SCATTER]: `pat bench` as a user types it, on three ranks; with a library to
# preload that makes MPI_Scatter give a wrong result.
set -u
pat=$1 wrong_scatter=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(dirname "$0")
bench() { "$here/run_ranks.sh" 60 3 "$pat" bench --base 1ms --warmup 1 -n 3 --max-lateness 10s "$@"; }
fail() { echo "FAILED: $1" >&2; grep -IlR . "$work" | xargs tail -n 12 >&2; exit 1; }
has() { grep -q -- "$2" "$work/$1" || fail "'$2' is not in $1"; }

bench --op gather,reduce --alg mpi --sizes 4k:16k --pattern uniform:2ms --pattern none --absorption \
  --diagnostics >"$work/table" 2>&1 || fail "the table"
has table '# gather, 16 KiB in all, 3 processes, root 0, pattern uniform:2ms'
has table '# reduce, 16 KiB in all'
has table 'normalized'
has table 'Levene'
has table 'autocorrelation outside'
for term in 'run time' 'n, drop' '95 % interval' 'avg elap' absorption imbalance 'latest wake-up' 'runs test p' trend 'Levene p' autocorrelation 'schedule generated'; do
  [[ $(grep -c "^# $term.* [a-z]" "$work/table") == 1 ]] || fail "the legend explains '$term' once"
done
grep -q '^# ratio to baseline' "$work/table" && fail "a legend of what is not there"

bench --op gather --alg mpi,auto,ls,sls,bsls --root rotate --knowledge oracle --size 64k --dtype int \
  --pattern single:-1:5ms --format json --samples -o "$work/json" --plot "$work/figure.png" \
  >"$work/out" 2>&1 || fail "every gather"
[[ $(jq '.results | length' "$work/json") == 5 ]] || fail "five algorithms"
[[ $(jq '[.results[].samples.run_s | length] | add' "$work/json") == 15 ]] || fail "the samples"
[[ $(jq -r '.environment.processes' "$work/json") == 3 ]] || fail "the environment"
[[ $(jq -r '.environment.revision' "$work/json") =~ ^(unknown|([^ ]+-g)?[0-9a-f]{7,}(-dirty)?)$ ]] || fail "the revision"
[[ -s $work/figure.png ]] || fail "the figure"
"$pat" plot "$work/json" -o "$work/again.png" --y elapsed || fail "pat plot"
"$pat" plot "$work/json" -o "$work/lags.png" --y autocorrelation || fail "pat plot of autocorrelations"

[[ $(jq -c '[.results[] | .schedule_s | type] | [.[0], (.[1:] | unique[])]' "$work/json") == '["null","number"]' ]] ||
  fail "the time to generate schedules, of auto too"
[[ $(jq -c '[.results[].samples | .iteration] | unique' "$work/json") == '[[1,2,3]]' ]] || fail "the number of each iteration"
[[ $(jq -c '[.results[].samples.waiting_per_rank_s[] | length] | unique' "$work/json") == '[3]' ]] || fail "the waiting of each rank"
bench --op reduce --alg mpi,local-redirect,clairvoyant,auto --size 64k --format csv >"$work/schedule" 2>&1 || fail "reduce"
# Which of them generate a schedule: columns are counted from the right, for the pattern may have commas.
[[ $(awk -F, '/^reduce/ { printf "%s:%s ", $2, $(NF - 2) == "" ? "no" : "yes" }' "$work/schedule") == \
  'mpi:no local-redirect:no clairvoyant:yes auto:yes ' ]] || fail "who generates a schedule"

bench --op gather --alg mpi,auto --size 4k >"$work/compared" 2>&1 || fail "a comparison"
has compared '^# ratio to baseline  *median over that of mpi'
grep -q '^# absorption' "$work/compared" && fail "a legend of absorption without any"
awk '/^# [a-z0-9]/ && length > 120' "$work/compared" | grep -v '^# [a-z_]*:' >"$work/long" && fail "lines of the legend too long"

bench --op gather,scatter,reduce --alg mpi,auto --persistent --parts 4 --size 64k --format csv >"$work/persistent" 2>&1 ||
  fail "the persistent form"
has persistent '^gather,auto+p,3,'
has persistent '^scatter,auto+p,3,'
has persistent '^reduce,auto+p,3,'
has persistent '^gather,auto+parts,3,'
has persistent '^scatter,auto+parts,3,'

bench --op neighbor-allgather,neighbor-alltoall --alg mpi,lin --size 4k --pattern none,uniform:1ms --format csv >"$work/ring" 2>&1 ||
  fail "operations among neighbours"
[[ $(grep -c '^neighbor-' "$work/ring") == 8 ]] || fail "two operations, two patterns and two ways make eight lines"

bench --op allreduce --reduce-op user-ordered --dtype int --alg mpi --sync window --learn-clock --compute busy \
  --format osu >"$work/osu" 2>&1 || fail "windows"
has osu '# PAT MPI Allreduce Latency Test'
grep -q 'avg elap' "$work/osu" && fail "a legend outside the table"
bench --op barrier --alg mpi -o "$work/of.csv" >"$work/out" 2>&1 || fail "csv by the ending"
has of.csv '^barrier,mpi,3,0,'

# Two groups of two at once, and calls of two other sizes between those that are measured.
"$here/run_ranks.sh" 60 4 "$pat" bench --base 1ms --warmup 1 -n 3 --max-lateness 10s --op gather --alg mpi,auto,sls \
  --size 4k --root rotate --beside 64k,1k --groups 2 --samples -o "$work/groups.json" >"$work/out" 2>&1 || fail "groups"
[[ $(jq -c '[.environment.processes, .settings.groups, (.results[] | .samples.waiting_per_rank_s[0] | length)]' \
  "$work/groups.json") == '[2,2,2,2,2]' ]] || fail "what is told of groups"
"$here/run_ranks.sh" 60 4 "$pat" bench --base 1ms --warmup 1 -n 2 --max-lateness 10s --op gather --alg mpi --size 4k \
  --beside 1k --groups 2 >"$work/two" 2>&1 || fail "groups of two"
has two ', 2 processes, one of 2 groups, calls of 1k between, root 0'

refused() { # refused SENTENCE OPTIONS...: exit code 2 and the sentence, once
  bench "${@:2}" >"$work/refused" 2>&1
  [[ $? == 2 ]] || fail "exit code of ${*:2}"
  [[ $(grep -c -- "$1" "$work/refused") == 1 ]] || fail "one sentence for ${*:2}"
}
refused "no operation 'alltoallw'" --op alltoallw
refused "unknown\|no .*'bogus'" --alg bogus
refused "'5' is not a time" --pattern uniform:5
refused "no pattern 'unifrom'" --pattern unifrom:5ms
refused "no pattern ''" --pattern none,,none
refused "neither 'rotate' nor a rank" --root 3
refused "--dilate is a factor" --dilate nan
refused "does not rotate" --root rotate --persistent
refused "from 1 to 65536" --parts -1
refused "measure PAT's algorithms" --alg mpi --parts 2
refused "divides the 3 processes" --groups 2
refused "groups of two or more" --groups 3
refused "goes with plain calls" --alg auto --beside 4k --persistent
refused "'x' is not a size" --beside x
refused "The baseline 'lin' is not measured" --alg mpi,auto --baseline lin
refused "choose table, osu, csv or json" --format xml
refused "does not go with 'float'" --op reduce --reduce-op band --alg mpi

# Over TCP, where short messages leave for certain; Open MPI alone heeds it.
OMPI_MCA_btl=self,tcp "$here/run_ranks.sh" 200 3 "$pat" calibrate -n 3 --messages 1k:4k --sizes 16k,64k -o "$work/costs" \
  >"$work/calibrated" 2>&1 || fail "pat calibrate"
grep -q '"stall_s"' "$work/costs" || fail "pat calibrate measures no incast"
turns=$(grep -c '^pat calibrate: 3 processes take turns on the cores' "$work/calibrated") || true
crowded=$(($(getconf _NPROCESSORS_ONLN) < 3))
[ "$turns" -eq "$crowded" ] || fail "pat calibrate says $turns times that three processes share cores, and that is $crowded"
(($(jq .eager_bytes "$work/costs") >= 7680)) || fail "pat calibrate finds no eager message"
of_mpi() { jq "[.collectives[] | select(.algorithm == \"mpi\" and $1)] | length" "$work/costs"; }
# All but exchanges with neighbours, which `auto` leaves to MPI.
for operation in $("$pat" schedule --list --format json |
  jq -r '[.[] | select(.uses_pattern) | .operation | select(startswith("neighbor") | not)] | unique[]'); do
  sizes=2
  [[ $operation == barrier ]] && sizes=1 # it has none
  [[ $(of_mpi ".operation == \"$operation\"") == "$sizes" ]] || fail "mpi's $operation is not calibrated"
done
(($(of_mpi true) > 12)) || fail "pat calibrate knows of too few operations: $(of_mpi true) rows of mpi"
[[ $(jq '.messages | length' "$work/costs") == 3 ]] || fail "three messages"
PAT_CALIBRATION=$work/costs bench --alg auto --size 64k --pattern uniform:5ms >"$work/with" 2>&1 || fail "calibrated"
PAT_CALIBRATION=$work/table bench --alg auto >"$work/no_costs" 2>&1
[[ $? == 2 ]] || fail "exit code of a bad calibration"
has no_costs "is not a JSON document"

told() { # told KNOWLEDGE...: how far forecasts are off then
  bench --alg sls --baseline '' --size 64k --pattern uniform:200ms --knowledge "$@" --format json \
    -o "$work/told" >"$work/out" 2>&1 || fail "--knowledge $*"
  jq '.results[0].forecast_error_s' "$work/told"
}
[[ $(jq -n "$(told wrong) > 4 * $(told oracle)") == true ]] || fail "what is told wrongly"
[[ $(jq -n "$(told oracle --error 150ms) > 4 * $(told oracle)") == true ]] || fail "what is told with an error"
bench --alg sls --error 5ms >"$work/out" 2>&1
[[ $? == 2 ]] || fail "an error of what PAT finds itself"

if [[ -n $wrong_scatter ]]; then # a wrong result ends the run, whichever algorithm gave it
  "$here/run_ranks.sh" 60 3 env LD_PRELOAD="$wrong_scatter" "$pat" bench --op scatter --alg lin,mpi --size 64k \
    --base 1ms --warmup 1 -n 20 --max-lateness 10s >"$work/wrong" 2>&1
  code=$?
  ((code == 1)) || fail "exit code $code of a wrong result"
  sentence="Algorithm 'mpi', iteration 2: rank 1 has a wrong element at index 7."
  [[ $(grep -cF "$sentence" "$work/wrong") == 1 ]] || fail "the rank and the index of a wrong result, once"
  ! grep -q '^mpi ' "$work/wrong" || fail "a report of wrong results"
  "$here/run_ranks.sh" 60 3 env LD_PRELOAD="$wrong_scatter" "$pat" bench --op scatter --alg mpi --size 64k \
    --beside 1k --base 1ms --warmup 1 -n 20 --max-lateness 10s >"$work/wrong" 2>&1 && fail "a wrong result beside it"
  has wrong "iteration 1: beside it, rank 1 has a wrong element at index 7"
fi

bench --alg mpi -o /nowhere/file >"$work/unwritable" 2>&1
[[ $? == 1 ]] || fail "exit code for a file that cannot be written"
has unwritable "'/nowhere/file' cannot be written"

# Interrupted: what was measured is reported, whoever gets the signal.
run_until_stopped() { # run_until_stopped RANKS OPTIONS...: in the background; sets `launcher` once something is measured
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_odls_base_sigkill_timeout=3 timeout 60 \
    "${PAT_TEST_MPIRUN:-mpirun}" -np "$1" "$pat" bench "${@:2}" -n 100000 --max-lateness 10s >"$work/stopped" 2>&1 &
  started=$!
  launcher=
  for _ in $(seq 100); do
    launcher=$(pgrep -n -P $started mpirun) && [[ $(pgrep -c -P "$launcher") == "$1" ]] && break
    sleep 0.1
  done
  [[ -n $launcher ]] || fail "mpirun to interrupt is not there"
  sleep 3
}
ranks() { # the processes of the run: MPICH's launcher has one of its own between
  local children
  children=$(pgrep -d, -P "$launcher") || return
  pgrep -P "$children" || tr , '\n' <<<"$children"
}
rank_zero() {
  for process in $(ranks); do
    tr '\0' '\n' <"/proc/$process/environ" | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=0" && echo "$process"
  done
}
reported() { # reported ALGORITHM...: each has a row, the table says that it was stopped, and there is one table
  [[ $(grep -c '^# stopped before all iterations were done' "$work/stopped") == 1 ]] || fail "one end of the table"
  for algorithm in "$@"; do has stopped "^$algorithm  *[1-9]"; done
}

# A file of an earlier run stays as it is.
echo '{"earlier": "and complete"}' | tee "$work/earlier" >"$work/times.json"
run_until_stopped 2 --alg mpi --base 50ms --format json -o "$work/times.json"
pkill -INT -P "$launcher" || fail "the ranks to interrupt are not there"
wait $started
cmp -s "$work/earlier" "$work/times.json" || fail "a stopped run replaces a complete result"
[[ $(jq -c '[.stopped, .results[0].iterations > 0]' "$work/times.partial.json") == '[true,true]' ]] || fail "what a stopped run has"
[[ $(grep -c "stopped, what was measured is in '$work/times.partial.json'" "$work/stopped") == 1 ]] || fail "where it is"

# mpirun hands a signal on as SIGTERM and kills soon after, with time for a loaded machine here. Many samples make
# the statistics long, long phases make the ranks slow to agree.
for signal in INT TERM; do
  run_until_stopped 3 --op gather --alg mpi,ls --size 4k --base 0
  kill -$signal "$launcher"
  wait $started
  reported mpi ls
  run_until_stopped 5 --op reduce --alg mpi,clairvoyant --size 1M --base 100ms --warmup 1
  kill -$signal "$launcher"
  wait $started
  reported mpi clairvoyant
done

# Rank 0 waits for nobody: another rank is held still.
run_until_stopped 3 --alg mpi --base 20ms
zero=$(rank_zero)
[[ -n $zero ]] || fail "rank 0 to interrupt is not there"
for process in $(ranks); do [[ $process == "$zero" ]] || kill -STOP "$process"; done
sleep 0.2
kill -TERM "$zero"
for _ in $(seq 50); do grep -q '^# stopped' "$work/stopped" && break; sleep 0.1; done
reported mpi
for process in $(ranks); do kill -CONT "$process"; done  # MPICH's launcher would wait for them
kill -TERM "$launcher"
wait $started
reported mpi
echo ok
