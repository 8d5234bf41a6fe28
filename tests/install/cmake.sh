#!/bin/bash
# cmake.sh INSTALLED RUN_RANKS CMAKE PROJECT: a project of a user finds the installed library by
# find_package, with components and in C alone, and is told of a component that there is not.
set -eu
installed=$1 run_ranks=$2 cmake=$3 project=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$work/log" >&2; exit 1; }

mpi=(${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPICXX:+-DMPI_CXX_COMPILER="$MPICXX"}) # that of this PAT, not the first that CMake finds
configure() { "$cmake" -S "$project" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$installed" "${mpi[@]}" "$@" >"$work/log" 2>&1; }
configure || fail "the project cannot be configured"
"$cmake" --build "$work/build" >"$work/log" 2>&1 || fail "the project cannot be built"
"$run_ranks" 60 3 "$work/build/in_c" >"$work/log" 2>&1 || fail "in_c ends with $?"
"$run_ranks" 60 3 "$work/build/in_cxx" >"$work/log" 2>&1 || fail "in_cxx ends with $?"
"$work/build/studies" >"$work/log" 2>&1 || fail "studies ends with $?"
# It knows no MPI.
ldd "$work/build/studies" >"$work/log"
if grep -q libmpi "$work/log"; then fail "schedules and predictors bring MPI along"; fi

rm -rf "$work/build"
if configure -DWANTED=nonsense; then fail "a component that does not exist is found"; fi
grep -q nonsense "$work/log" || fail "the missing component is not named"
if configure -DVERSION=7.0; then fail "version 7 is found"; fi
