#!/bin/bash
# bad_input.sh RUN_RANKS PAT PROGRAM PRELOAD STATIC: everything that a user can give `pat run` in error,
# each one sentence with the remedy.
set -u
run_ranks=$1 pat=$2 program=$3 preload=$4 static=$5
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export OMPI_MCA_orte_execute_quiet=1

# MPICH's launcher does not end the others when one refuses to start, so that each says why.
refusing=1
if is_mpich; then refusing=3; fi

one_sentence() { # one_sentence WORDS STATUS EXPECTED: what was said, and how it ended
  [ "$2" -eq "$3" ] || fail "$1: status $2: $(cat err)"
  grep -qF -- "$1" err || fail "no '$1': $(cat err)"
  [ "$(grep -c '^\[pat \|^pat: ' err)" -eq "${speakers:-1}" ] || fail "$1: not one sentence: $(cat err)"
}
# Of processes that mpirun started, one speaks: said WORDS STATUS COMMAND...
said() {
  "$run_ranks" 60 3 "${@:3}" >out 2>err
  one_sentence "$1" $? "$2"
}
# What is refused before MPI has started: refused WORDS ARGUMENTS OF PAT...
refused() {
  "$pat" "${@:2}" >out 2>err
  one_sentence "$1" $? 2
}

said 'PAT saw nothing: true did not call MPI_Init' 0 "$pat" run true
"$pat" run -- "$program" no-init 2>err
[ $? -eq 7 ] && grep -qF 'unchanged_endings did not call MPI_Init of a shared MPI library; give `pat run` the MPI' err ||
  fail "a program that does not call MPI_Init: $(cat err)"
speakers=$refusing said 'is linked statically, so nothing can stand before its MPI; link it with the shared' 2 "$pat" run "$static"
refused "there is no program 'nonsense' on the path, give its path, such as ./nonsense" run nonsense
refused "there is no program './nonsense', give the path of one" run ./nonsense
touch data
refused "'./data' cannot be executed, give a program or make it one with chmod +x" run ./data
refused 'no program is given, write it after --' run --watch
cp "$program" raised && chmod u+s raised
refused "'./raised' runs as another user, for whom the system preloads nothing; give a program without the set-user-ID bit" run ./raised
printf '\177ELF\001\001\001' >narrow && chmod +x narrow
refused "'./narrow' is a 32-bit program and PAT is not, build it for 64 bits" run ./narrow
[ "$("$pat" run --wtch -- "$program" 2>&1)" = 'pat: --wtch is not known, did you mean --watch?' ] || fail 'pat run --wtch'
refused '--report stands behind the program, write it before, or the program after -- if it is its own' run "$program" --report x
refused "-n is not known, if it is the program's own write that after --" run "$program" -n 3
refused '--report is empty, give it a value or leave it out' run --report '' -- "$program"
refused "PAT_REPORT is 'x', set it to stderr, a path ending in .json" run --report x -- "$program"
refused "PAT_THREADS is 'two', set it to own or multiple" run --threads two -- "$program"
PAT_RUN=wach refused "PAT_RUN is 'wach', set it to on, watch or off" run -- "$program"
PAT_WINDW=1 said 'PAT_WINDW is set but PAT knows no such variable, did you mean PAT_WINDOW?' 0 "$pat" run -- "$program"
export PAT_INJECT=none
PAT_INJECT_EVRY=2 said 'PAT_INJECT_EVRY is set but PAT knows no such variable, did you mean PAT_INJECT_EVERY?' 0 "$pat" run -- "$program"
PAT_INJECT_EVERY=0 said "nothing is delayed: PAT_INJECT_EVERY is '0', set it to a whole number of 1 or more" 0 "$pat" run -- "$program"
PAT_INJECT_LEAST=64x said "nothing is delayed: PAT_INJECT_LEAST is '64x', set it to bytes or such as 64k" 0 "$pat" run -- "$program"
PAT_INJECT_SEED=-1 said "nothing is delayed: PAT_INJECT_SEED is '-1'" 0 "$pat" run -- "$program"
unset PAT_INJECT
refused "PAT_ALG is 'gather=fast': there is no gather algorithm named 'fast'" run --alg gather=fast -- "$program"
PAT_PREDICTOR=foo refused "PAT_PREDICTOR is 'foo': " run -- "$program"
PAT_ALG=gather=fast said "PAT is off: PAT_ALG is 'gather=fast': there is no gather algorithm named 'fast'" 0 env LD_PRELOAD="$preload" "$program"
said "PAT is off: PAT_TRACE is 'missing/a': the file 'missing/a' cannot be written" 0 "$pat" run --trace missing/a -- "$program"
cp "$preload" second.so
said 'libpat-preload.so is loaded twice, name it once in LD_PRELOAD' 0 env LD_PRELOAD="$preload:$PWD/second.so" "$program"
mkdir alone && cp "$pat" alone/pat
alone/pat run -- "$program" 2>err
one_sentence 'libpat-preload.so is not beside' $? 2
printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -ne 2 ] || export PAT_WINDOW=-1\nexec "$@"\n' >wrong_on_2
chmod +x wrong_on_2
said "PAT is off: process 2: PAT_WINDOW is '-1'" 0 "$pat" run ./wrong_on_2 "$program"
sed -i s/PAT_WINDOW=-1/PAT_INJECT_EVERY=0/ wrong_on_2
PAT_INJECT=uniform:x said "nothing is delayed: 'x' is not a time" 0 "$pat" run "$program"
PAT_INJECT=none said "nothing is delayed: PAT_INJECT_EVERY is '0'" 0 "$pat" run ./wrong_on_2 "$program"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
