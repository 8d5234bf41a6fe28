#!/bin/bash
# endings.sh RUN_RANKS PAT PROGRAM PRELOAD: programs that end in other ways than by MPI_Finalize, that start
# others, and that are started by others.
set -u
run_ranks=$1 pat=$2 program=$3 preload=$4
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export OMPI_MCA_orte_execute_quiet=1
# MPICH's launcher gives those whom an abort leaves no time to write, tells signals by their bare numbers,
# and Debian's neither spawns nor connects.
others=' spawn connect' exited=5 killed=137 crashed=139 leaves_time=yes
if "${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -qi hydra; then
  others='' exited='5|9' killed=9 crashed=11 leaves_time=no
fi
sentences() { grep -c '^\[pat \|^pat: ' err; }

ends() { # ends STATUS HOW OPTIONS...: with that status, with PAT and without
  local expected=$1 how=$2 status
  rm -f r.json run*.trace*
  # shellcheck disable=SC2086
  "$run_ranks" 60 3 "$pat" run "${@:3}" -- "$program" $how >out 2>err
  status=$?
  [[ $status =~ ^($expected)$ ]] || fail "$how: status $status, not $expected: $(cat out err)"
}
quiet() { [ "$(sentences)" -eq 0 ] || fail "$1: it says $(grep '^\[pat ' err)"; }

for options in '' '--threads multiple'; do
  # shellcheck disable=SC2086
  ends 0 "fork exec$others" $options
  quiet "fork exec$others"
  # shellcheck disable=SC2086
  ends 0 close-stderr $options
  quiet close-stderr
done
ends 0 threads
quiet threads
ends 0 close-stderr --report r.json --trace run.trace
[ -s r.json ] && [ ! -s data ] || fail "a program that closes standard error: $(cat data)"
"$run_ranks" 60 3 "$program" mistakes >plain 2>err || fail "mistakes without PAT: $(cat err)"
ends 0 mistakes
cmp -s plain out || fail "other error classes: $(cat plain out)"
quiet mistakes
PAT_MIN_BYTES=0 ends 0 mistakes --threads multiple --alg gather=ls
cmp -s plain out || fail "other error classes with PAT's algorithms: $(cat plain out)"

# The thread level is raised only if the user says so.
multiple=$("$run_ranks" 60 1 "$program" threads level)
for how in level funneled; do
  plain=$("$run_ranks" 60 3 "$program" $how)
  [ "$("$run_ranks" 60 3 "$pat" run -- "$program" $how)" = "$plain" ] || fail "$how: the level of threads is not $plain"
  [ "$("$run_ranks" 60 3 "$pat" run --threads multiple -- "$program" $how)" = "$multiple" ] ||
    fail "$how: the level of threads is not $multiple with --threads multiple"
done

# What the library of files calls is none of the program's.
for io in ompio romio321; do
  OMPI_MCA_io=$io ends 0 files --report r.json
  [ "$(jq -c '[.process[].streams[] | select(.calls > 0).operation] | unique' r.json)" = '["allreduce","gather"]' ] ||
    fail "files by $io: $(jq -c '[.process[].streams[].operation] | unique' r.json)"
done

# What is recorded is left behind in every case; a program that ends MPI in its last functions has ended it.
for options in '' '--threads multiple'; do
  # shellcheck disable=SC2086
  ends 0 at-exit --report r.json --trace run.trace $options
  quiet at-exit
  [ "$(jq -c '[.complete, ([.places[] | select(.place | startswith("gather")).iterations] | add)]' r.json)" = '[true,25]' ] ||
    fail "at exit $options: $(jq -c '[.complete, .places]' r.json)"
done
gathers() { jq '[.places[] | select(.place | startswith("gather")).iterations] | add' r.json; }
# Open MPI kills for good a second after it has asked to end, which a loaded machine may take to write.
for how in abort:9 'error:[1-9][0-9]*' "exit:$exited"; do
  OMPI_MCA_odls_base_sigkill_timeout=4 ends "${how#*:}" "${how%:*}" --report r.json --trace run.trace
  [ $leaves_time = no ] || { [ -s r.json ] && [ "$(gathers)" -gt 10 ]; } || fail "$how: no report, or one without the gathers: $(jq -c . r.json 2>&1 | head -c 500) $(cat err)"
done
for how in kill:$killed crash:$crashed; do
  ends "${how#*:}" "${how%:*}" --trace run.trace
done
ends "$exited" _exit --trace run.trace
[ -z "$others" ] || ends 0 spawn --report r.json --trace run.trace
[ -z "$others" ] || [ "$(jq .processes r.json)" = 3 ] || fail "the report is not of the first three: $(jq -c . r.json)"

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

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
