#!/bin/bash
# mpich.sh CMAKE BUILD_FOLDER MPIRUN NM
# Builds libpat and some of its tests with MPICH and runs them on a few ranks, with the daemon and
# without.
set -eu
cmake=$1 build=$2 nm=$4
export PAT_TEST_MPIRUN=$3
here=$(dirname "${BASH_SOURCE[0]}")
"$cmake" --build "$build" --target pat_mpich_programs

# run RANKS TEST FILTER
run() {
  echo "== $2, $1 ranks, daemon $PAT_DAEMON"
  "$here/../run_ranks.sh" 120 "$1" "$build/bin/$2_mpich_test" --gtest_brief=1 --gtest_filter="$3"
}

# same OPTION: a program that was not changed, with PAT and that option, and without.
same() {
  echo "== an unchanged program, $1"
  "$here/../run_ranks.sh" 120 3 env -u PAT_DAEMON LD_PRELOAD="$build/lib/libpat_preload_mpich.so" "$1" PAT_REPORT="$folder/r.json" \
    PAT_MIN_BYTES=0 PAT_ALG=gather=bsls,scatter=bslin,allgather=ring "$build/bin/unchanged_collectives_mpich" 3 "$folder/with" multiple
  for rank in 0 1 2; do cmp "$folder/plain.$rank" "$folder/with.$rank"; done
  jq -e '[.process[].streams[].calls_by_algorithm | (.bsls // 0) + (.ring // 0)] | add > 100' "$folder/r.json" >/dev/null
}
"$here/../../preload/complete.sh" "$nm" "$build/lib/libpat_preload_mpich.so"
"$here/../../preload/sessions.sh" "$here/../run_ranks.sh" "$build/lib/libpat_preload_mpich.so" "$build/bin/unchanged_sessions_mpich"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/../run_ranks.sh" 60 3 "$build/bin/unchanged_collectives_mpich" 3 "$folder/plain" multiple
same PAT_DAEMON=on
same PAT_DAEMON=off
# In Fortran, where there is a compiler.
for binding in 1 2 3; do
  command -v mpif90.mpich >/dev/null || break
  mpif90.mpich -g -w -fallow-argument-mismatch -DPAT_BINDING=$binding "$here/../../preload/fortran.F90" -o "$folder/fortran"
  "$here/../run_ranks.sh" 60 3 "$folder/fortran" "$folder/plain"
  "$here/../run_ranks.sh" 60 3 env LD_PRELOAD="$build/lib/libpat_preload_mpich.so" PAT_REPORT="$folder/r.json" PAT_MIN_BYTES=0 \
    PAT_ALG=gather=bsls,scatter=bslin "$folder/fortran" "$folder/with" pause
  for rank in 0 1 2; do cmp "$folder/plain.$rank" "$folder/with.$rank"; done
  jq -e '[.process[].regions[].name] | any(startswith("barrier at fortran.F90:"))' "$folder/r.json" >/dev/null
done
# Of another MPI library's program it says so, and leaves it alone.
"$here/../run_ranks.sh" 60 3 env LD_PRELOAD="$build/lib/libpat-preload.so" "$build/bin/unchanged_collectives_mpich" 1 "$folder/other" \
  2>"$folder/said"
grep -q 'PAT is off: its library was built with Open MPI and this program runs with MPICH' "$folder/said"
[ "$(grep -c 'PAT is off' "$folder/said")" -eq 1 ]

export PAT_DAEMON=on PAT_TEST_THREADS=multiple
for ranks in 1 3; do
  run "$ranks" large_count '*'
  run "$ranks" errors '*'
done
run 3 settled '*'
run 2 soak '*'
run 3 scatter '*EveryRootAndCount*:*Derived*'
run 3 alltoall '*EqualsMpi*:*Outlives*'
# MPICH 4.0.2's own reduction crashes on three ranks where the root of 1000 ints gives
# MPI_IN_PLACE.
run 3 reduce '*EveryRootAndCount*:*FurtherTypes*:*Order*-*/mpi:*/auto'
export PAT_DAEMON=off PAT_TEST_THREADS=funneled
run 3 large_count '*'
run 3 blocking '*'
run 2 soak '*'
run 3 gather '*EveryRootAndCount*:*Derived*'
run 3 allgather '*EveryCount*:*Derived*'
run 3 alltoall '*EqualsMpi*:*Outlives*'
