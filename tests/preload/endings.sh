#!/bin/bash
# endings.sh RUN_RANKS PAT PROGRAM PRELOAD STATIC: programs that end in other ways than by
# MPI_Finalize, that start others, and everything that a user can give `pat run` in error: each one
# sentence with the remedy.
set -u
run_ranks=$1 pat=$2 program=$3 preload=$4 static=$5
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export OMPI_MCA_orte_execute_quiet=1
sentences() { grep -c '^\[pat \|^pat: ' err; }

ends() { # ends STATUS HOW OPTIONS...: with that status, with PAT and without
  local expected=$1 how=$2 status
  rm -f r.json run*.trace*
  "$run_ranks" 60 3 "$pat" run "${@:3}" -- "$program" "$how" >out 2>err
  status=$?
  [ $status -eq "$expected" ] || fail "$how: status $status, not $expected: $(cat out err)"
}
quiet() { [ "$(sentences)" -eq 0 ] || fail "$1: it says $(grep '^\[pat ' err)"; }

for how in finalize fork exec threads spawn connect 'close stderr' 'at exit'; do
  for options in '' '--threads multiple'; do
    # shellcheck disable=SC2086
    ends 0 "$how" $options
    quiet "$how"
  done
done
ends 0 'close stderr' --report r.json --trace run.trace
[ -s r.json ] && [ ! -s data ] || fail "a program that closes standard error: $(cat data)"
"$run_ranks" 60 3 "$program" mistakes >plain 2>err || fail "mistakes without PAT: $(cat err)"
ends 0 mistakes
cmp -s plain out || fail "other error classes: $(cat plain out)"
quiet mistakes
PAT_MIN_BYTES=0 ends 0 mistakes --threads multiple --alg gather=ls
cmp -s plain out || fail "other error classes with PAT's algorithms: $(cat plain out)"

# What the library of files calls is none of the program's.
for io in ompio romio321; do
  OMPI_MCA_io=$io ends 0 files --report r.json
  [ "$(jq -c '[.process[].streams[] | select(.calls > 0).operation] | unique' r.json)" = '["allreduce","gather"]' ] ||
    fail "files by $io: $(jq -c '[.process[].streams[].operation] | unique' r.json)"
done

# What is recorded is left behind in every case; a program that ends MPI in its last functions has ended it.
for options in '' '--threads multiple'; do
  # shellcheck disable=SC2086
  ends 0 'at exit' --report r.json --trace run.trace $options
  quiet 'at exit'
  [ "$(jq -c '[.complete, ([.places[] | select(.place | startswith("gather")).iterations] | add)]' r.json)" = '[true,25]' ] ||
    fail "at exit $options: $(jq -c '[.complete, .places]' r.json)"
done
gathers() { jq '[.places[] | select(.place | startswith("gather")).iterations] | add' r.json; }
for how in abort:9 exit:5; do
  ends "${how#*:}" "${how%:*}" --report r.json --trace run.trace
  [ -s r.json ] && [ "$(gathers)" -gt 10 ] || fail "$how: no report: $(cat err)"
done
for how in kill:137 crash:139; do
  ends "${how#*:}" "${how%:*}" --trace run.trace
done
ends 5 _exit --trace run.trace
ends 0 spawn --report r.json --trace run.trace
[ "$(jq .processes r.json)" = 3 ] || fail "the report is not of the first three: $(jq -c . r.json)"

# One sentence, and the program goes on as it is: said WORDS STATUS COMMAND...
said() {
  local words=$1 expected=$2 status
  "$run_ranks" 60 3 "${@:3}" >out 2>err
  status=$?
  [ $status -eq "$expected" ] || fail "$words: status $status: $(cat err)"
  grep -qF -- "$words" err || fail "no '$words': $(cat err)"
  [ "$(sentences)" -eq 1 ] || fail "$words: not one sentence: $(cat err)"
}
said 'PAT saw nothing: true did not call MPI_Init' 0 "$pat" run true
"$pat" run -- "$program" 'no init' 2>err
[ $? -eq 7 ] && grep -qF 'unchanged_endings did not call MPI_Init of a shared MPI library; give `pat run` the MPI' err ||
  fail "a program that does not call MPI_Init: $(cat err)"
said 'is linked statically, so nothing can stand before its MPI; link it with the shared' 2 "$pat" run "$static"
said "there is no program 'nonsense' on the path, give its path, such as ./nonsense" 2 "$pat" run nonsense
said "there is no program './nonsense', give the path of one" 2 "$pat" run ./nonsense
touch data
said "'./data' cannot be executed, give a program or make it one with chmod +x" 2 "$pat" run ./data
said 'no program is given, write it after --' 2 "$pat" run --watch
[ "$("$pat" run --wtch -- "$program" 2>&1)" = 'pat: --wtch is not known, did you mean --watch?' ] || fail 'pat run --wtch'
said '--report is empty, give it a value or leave it out' 2 "$pat" run --report '' -- "$program"
said "PAT_REPORT is 'x', set it to stderr, a path ending in .json" 2 "$pat" run --report x -- "$program"
said "PAT_THREADS is 'two', set it to own or multiple" 2 "$pat" run --threads two -- "$program"
PAT_RUN=wach said "PAT_RUN is 'wach', set it to on, watch or off" 2 "$pat" run -- "$program"
PAT_WINDW=1 said 'PAT_WINDW is set but PAT knows no such variable, did you mean PAT_WINDOW?' 0 "$pat" run -- "$program"
said "PAT is off: PAT_ALG is 'gather=fast': there is no gather algorithm named 'fast'" 0 "$pat" run --alg gather=fast -- "$program"
said "PAT is off: PAT_TRACE is 'missing/a': the file 'missing/a' cannot be written" 0 "$pat" run --trace missing/a -- "$program"
cp "$preload" second.so
said 'libpat-preload.so is loaded twice, name it once in LD_PRELOAD' 0 env LD_PRELOAD="$preload:$PWD/second.so" "$program"
mkdir alone && cp "$pat" alone/pat
said 'libpat-preload.so is not beside' 2 alone/pat run -- "$program"
printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" -ne 2 ] || export PAT_WINDOW=-1\nexec "$@"\n' >wrong_on_2
chmod +x wrong_on_2
said "PAT is off: process 2: PAT_WINDOW is '-1'" 0 "$pat" run ./wrong_on_2 "$program"

# A script's program is seen; PAT_RUN=off leaves it alone; a library that is named already is not named twice.
printf '#!/bin/sh\n"$@"\n' >script
chmod +x script
for command in "$pat run --report r.json ./script" "env LD_PRELOAD=$preload PAT_REPORT=r.json $pat run"; do
  rm -f r.json
  # shellcheck disable=SC2086
  "$run_ranks" 60 3 $command "$program" finalize >out 2>err || fail "$command: $(cat err)"
  quiet "$command"
  [ "$(gathers)" = 20 ] || fail "$command: $(gathers) gathers"
done
rm -f r.json
PAT_RUN=off ends 0 finalize --report r.json
[ ! -e r.json ] || fail "PAT_RUN=off leaves a report"
quiet 'PAT_RUN=off'

# Processes that do not load PAT while others wait for them are spoken of.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  timeout 14 "${PAT_TEST_MPIRUN:-mpirun}" -np 1 "$pat" run -- "$program" finalize : -np 1 "$program" finalize >out 2>err
grep -q 'PAT has waited 10 s for other processes of this run that do not load it: start all of them' err ||
  fail "processes without PAT: $(cat err)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
