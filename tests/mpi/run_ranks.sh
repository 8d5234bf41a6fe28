#!/bin/bash
# run_ranks.sh SECONDS RANKS PROGRAM [ARGUMENT ...]
# Runs an MPI program with more ranks than cores, if need be, and lets waiting ranks sleep. When the
# time is up every rank prints its state (PAT_WATCHDOG) before all are ended and the test fails.
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
timeout --signal=TERM --kill-after=10 "$seconds" "${PAT_TEST_MPIRUN:-mpirun}" -np "$ranks" "$@"
status=$?
if [ $status -eq 124 ] || [ $status -eq 137 ]; then
  echo "run_ranks.sh: $ranks ranks did not end within $seconds s; their states are above" >&2
fi
exit $status
