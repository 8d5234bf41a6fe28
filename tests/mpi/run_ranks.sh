#!/bin/sh
# run_ranks.sh TIMEOUT_S RANKS PROGRAM ARGS...: mpirun with waiting ranks that give way.
limit=$1 ranks=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec timeout "$limit" mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
  --mca btl_vader_single_copy_mechanism none -np "$ranks" "$@"
