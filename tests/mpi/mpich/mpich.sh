#!/bin/bash
# mpich.sh CMAKE BUILD_FOLDER MPIRUN
# Builds libpat and some of its tests with MPICH and runs them on a few ranks, with the daemon and
# without.
set -eu
cmake=$1 build=$2
export PAT_TEST_MPIRUN=$3
here=$(dirname "${BASH_SOURCE[0]}")
"$cmake" --build "$build" --target pat_mpich_programs

# run RANKS TEST FILTER
run() {
  echo "== $2, $1 ranks, daemon $PAT_DAEMON"
  "$here/../run_ranks.sh" 120 "$1" "$build/bin/$2_mpich_test" --gtest_brief=1 --gtest_filter="$3"
}

export PAT_DAEMON=on PAT_TEST_THREADS=multiple
for ranks in 1 3; do
  run "$ranks" large_count '*'
  run "$ranks" errors '*'
done
run 3 settled '*'
run 2 soak '*'
run 3 scatter '*EveryRootAndCount*:*Derived*'
# MPICH 4.0.2's own reduction crashes on three ranks where the root of 1000 ints gives
# MPI_IN_PLACE.
run 3 reduce '*EveryRootAndCount*:*FurtherTypes*:*Order*-*/mpi:*/auto'
export PAT_DAEMON=off PAT_TEST_THREADS=funneled
run 3 large_count '*'
run 3 blocking '*'
run 2 soak '*'
run 3 gather '*EveryRootAndCount*:*Derived*'
run 3 allgather '*EveryCount*:*Derived*'
