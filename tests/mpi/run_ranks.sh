#!/bin/bash
# run_ranks.sh SECONDS RANKS PROGRAM [ARGUMENT ...]
# Runs an MPI program with more ranks than cores, if need be, and lets waiting ranks sleep. When the
# time is up every rank prints its state (PAT_WATCHDOG), and a debugger, where there is one, where each of its
# threads is, before all are ended and the test fails.
# PAT_TEST_MPIRUN: another mpirun than the one on the path; ctest sets it to that of the build.
# PAT_TEST_PRELOAD: a library that lets waiting ranks yield where the MPI library does not; ctest sets it, too.
set -u
seconds=$1 ranks=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_base_warn_component_unused=0
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
if [ -n "${PAT_TEST_PRELOAD-}" ]; then export LD_PRELOAD=$PAT_TEST_PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}; fi
export PAT_WATCHDOG=${PAT_WATCHDOG:-$((seconds * 3 / 4))}

# descendants PID: those processes that it has started, and they, and so on.
descendants() {
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    descendants "$child"
  done
}

# say_where PROGRAM: where each thread is of all descendants of this script that run it.
say_where() {
  local pid
  for pid in $(descendants $$); do
    [ "$(readlink "/proc/$pid/exe")" = "$(readlink -f "$1")" ] || continue
    echo "run_ranks.sh: process $pid after $((seconds * 7 / 8)) s:"
    env -u LD_PRELOAD timeout 30 gdb -p "$pid" -batch -nx -ex 'thread apply all backtrace 16' 2>/dev/null | grep -E '^(Thread|#)'
  done >&2
}

program=$(command -v "$1") # not found where the first argument is an option of mpirun: then nothing is said
if command -v gdb >/dev/null && [ -n "$program" ]; then
  { read -rt $((seconds * 7 / 8)) <> <(:) || say_where "$program"; } & # a process that sleeps would be left behind
fi
trap 'pkill -P $$; wait' EXIT # whoever ends this script ends the ranks
timeout --signal=TERM --kill-after=10 "$seconds" "${PAT_TEST_MPIRUN:-mpirun}" -np "$ranks" "$@"
status=$?
if [ $status -eq 124 ] || [ $status -eq 137 ]; then
  echo "run_ranks.sh: $ranks ranks did not end within $seconds s; their states are above" >&2
fi
exit $status
