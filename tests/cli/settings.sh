#!/usr/bin/env bash
# settings.sh RUN_RANKS PAT: what the settings of a session (PAT_REPORT, PAT_TRACE, ...) give a user,
# with pat bench as the program.
set -u
run_ranks=$1 pat=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMPI_MCA_orte_execute_quiet=1 OMPI_MCA_odls_base_sigkill_timeout=0
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
bench() { "$run_ranks" 60 3 "$pat" bench --quiet --base 1ms --warmup 1 -n 8 --max-lateness 10s "$@"; }

# The report gives the reasons of each stream with the calls that went by them, most calls first, also
# where another rank than 0 decided.
PAT_REPORT=stderr PAT_WINDW=1 bench --op gather --alg auto,sls --root 1 --size 1M --pattern uniform:20ms \
  >out 2>err || fail "pat bench ends with $?: $(cat err)"
[ "$(grep -c 'PAT_WINDW is set .*, did you mean PAT_WINDOW?$' err)" -eq 1 ] || fail "a misspelt variable: $(cat err)"
sed -n '/^collectives:/,/^calls:/p' err >report
awk '/^ +(gather|reduce) .* auto |^ +gather .* sls / { streams++; calls = $5; sum = 0; last = calls + 1 }
     / x  / { sum += $1; if ($1 > last && !/ more reasons? /) bad = 1; last = $1; if (sum == calls) whole++ }
     END { exit bad || streams < 2 || whole != streams }' report ||
  fail "the reasons do not sum up to the calls: $(cat report)"
grep -qE '^ +9 x  chosen by the user$' report || fail "not all calls of sls were chosen: $(cat report)"
PAT_REPORT=report.json bench --op gather --alg auto --size 16M --pattern uniform:20ms >out 2>err || fail "$(cat err)"
[ "$(jq '.process[0].streams[0] | .calls == ([.reasons[].calls] | add)' report.json)" = true ] ||
  fail "the report in JSON: $(jq '.process[0].streams' report.json)"
jq -e 'any(.process[0].streams[0].reasons[]; .reason | startswith("mpi: the first call"))' report.json >out ||
  fail "no reason for the first call: $(jq '.process[0].streams' report.json)"
# The leader says what it expected when it chose last, and what was next best; the others expect nothing.
expected='[.expected_s, .expected_of_mpi_s, .expected_of_runner_up_s]'
jq -e ".process[0].streams[0] | $expected | all(type == \"number\" and . > 0)" report.json >out ||
  fail "what the leader expected: $(jq '.process[0].streams[0]' report.json)"
next=$(jq -r '.process[0].streams[0].runner_up' report.json)
"$pat" schedule --op gather --list | grep -qE "^gather +${next%% *} " || fail "the next best is '$next'"
jq -e "[.process[1:][].streams[0] | $expected + [.runner_up]] | length == 2 and all(.[]; all(. == null))" report.json >out ||
  fail "what others expected: $(jq '.process[1:][].streams[0]' report.json)"

# pat predict takes the operations and sizes from the head of a recorded trace.
PAT_TRACE=run.trace bench --op gather,scatter --alg lin --size 48k >out 2>err || fail "$(cat err)"
"$pat" predict --trace run.trace --model last --skip 4 --format csv --quiet >out 2>err || fail "predict: $(cat err)"
for call in gather,16384,sls,lin scatter,16384,slin,lin; do
  grep -q ",$call\$" out || fail "no $call in $(cat out)"
done

# A calibration made with other processes is used, and said once; with these there is nothing to say.
"$run_ranks" 60 2 "$pat" calibrate -n 3 --messages 1k:4k --sizes 16k --op gather -o costs >out 2>err ||
  fail "pat calibrate: $(cat err)"
PAT_CALIBRATION=costs bench --alg auto,sls --size 64k >out 2>err || fail "another number of processes: $(cat err)"
[ "$(grep -c "'costs', made with 2 processes, and here are 3: .*mpirun -n 3 pat calibrate" err)" -eq 1 ] ||
  fail "not one warning of another number of processes: $(cat err)"
PAT_CALIBRATION=costs PAT_LOG=error bench --alg auto --size 64k >out 2>err || fail "$(cat err)"
grep -q 'made with' err && fail "the warning does not go by PAT_LOG"
jq '.collectives[].ranks = 3' costs >same
PAT_CALIBRATION=same bench --alg auto --size 64k >out 2>err || fail "$(cat err)"
grep -q 'made with' err && fail "a warning without reason: $(cat err)"

# Every setting says its unit, and a misspelt variable is named.
PAT_WATCHDG=1 PAT_ALPHA=25us PAT_WATCHDOG=1.5s PAT_MIN_BYTES=64k "$pat" info --env >out 2>err || fail "$(cat err)"
[ "$(cat err)" = "pat: PAT_WATCHDG is set but PAT knows no such variable, did you mean PAT_WATCHDOG?" ] ||
  fail "pat info --env of a misspelt variable: $(cat err)"
grep -qE '^PAT_ALPHA +2.5e-05 ' out && grep -qE '^PAT_WATCHDOG +1.5 ' out && grep -qE '^PAT_MIN_BYTES +65536 ' out ||
  fail "settings with units: $(cat out)"
for variable in ALPHA BETA GAMMA WATCHDOG; do
  grep -A 1 "^PAT_$variable " out | grep -q 'allowed: seconds' || fail "PAT_$variable does not say its unit"
done
for variable in SCRATCH MIN_BYTES; do
  grep -A 1 "^PAT_$variable " out | grep -q 'allowed: bytes' || fail "PAT_$variable does not say its unit"
done

# refused TEXT OPTIONS...: a session with the settings of the environment ends with 2 and says TEXT.
refused() {
  bench --alg auto "${@:2}" >out 2>err
  [ $? -eq 2 ] || fail "$1: no refusal"
  grep -qF -- "$1" err || fail "no '$1' in: $(cat err)"
}
# What all processes find wrong, or one of them, is said once, and by the setting's name.
PAT_WINDOW=-1 refused "PAT_WINDOW is '-1'"
[ "$(grep -c "PAT_WINDOW is '-1'" err)" -eq 1 ] || fail "not one sentence: $(cat err)"
printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -ne 2 ] || export PAT_WINDOW=-1\nexec "$@"\n' >wrong_on_2
chmod +x wrong_on_2
"$run_ranks" 60 3 ./wrong_on_2 "$pat" bench --quiet -n 1 --alg auto >out 2>err
[ $? -eq 2 ] || fail "a wrong setting of process 2 is not refused"
[ "$(grep -c "process 2: PAT_WINDOW is '-1'" err)" -eq 1 ] || fail "not one sentence of process 2: $(cat err)"
# So is a command line that all have, by the first of each program where mpirun starts several.
"$run_ranks" 60 3 "$pat" bench --siez 4k >out 2>err
[ "$(grep -c -- '--siez is not known, did you mean --size?' err)" -eq 1 ] || fail "not one sentence: $(cat err)"
# (MPICH does not tell which processes are of one program.)
"$run_ranks" 60 1 sleep 5 : -np 2 "$pat" bench --siez 4k >out 2>err
"${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -qi hydra || [ "$(grep -c -- '--siez is not known, did you mean --size?' err)" -eq 1 ] || fail "not one sentence of the second program: $(cat err)"
ln -s missing/trace.txt link
PAT_TRACE=link refused "PAT_TRACE is 'link': the file 'link' cannot be written"
PAT_TRACE=. refused "PAT_TRACE is '.': the file '.' is no regular file"
mkfifo pipe.json
PAT_REPORT=pipe.json refused "PAT_REPORT is 'pipe.json': the file 'pipe.json' is no regular file"
PAT_REPORT=missing/a.json refused "PAT_REPORT is 'missing/a.json': the file"
PAT_WATCHDOG=5m refused "PAT_WATCHDOG is '5m', set it to seconds from 0 to 1e6"
refused "'windw=3' and there is no such key, did you mean window?" --config windw=3
[ -e missing ] && fail "a refused setting leaves something"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
