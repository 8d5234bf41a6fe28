#!/bin/bash
# library.sh INSTALLED RUN_RANKS FIRST_PROGRAM README: links a C and a C++ program and those of
# docs/first-program.md and the README to the installed library by pkg-config, as a user would, and runs them.
set -eu
installed=$1 run_ranks=$2 first=$3 readme=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$(dirname "$(find "$installed" -name pat.pc)")
export PKG_CONFIG_PATH
cat >"$work/user.c" <<'C'
#include <pat/pat.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int provided, rank, size, all[64] = {0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (PAT_Init() != MPI_SUCCESS) { fprintf(stderr, "%s\n", PAT_Error_string()); return 1; }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PAT_ProcessingStart();
  PAT_Edge(0.5);
  PAT_ProcessingEnd();
  PAT_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r) if (all[r] != r) return 2;
  PAT_Finalize();
  MPI_Finalize();
  return 0;
}
C
# program_of FILE PHASES: these lines, which a page shows, on data of their own.
program_of() {
  cat <<'C'
#include <pat/pat.h>
#include <stdio.h>
enum { n = 1000 };
static int rank, phases;
static void first_half(void) { MPI_Comm_rank(MPI_COMM_WORLD, &rank); }
static void second_half(void) { ++phases; }
void other_work(void) { phases += 100; }
static float part[n], whole[3 * n];
int main(int argc, char** argv) {
  int provided, iterations = 5;
  for (int i = 0; i < n; ++i) part[i] = 7;
C
  cat "$1"
  echo '  if (rank == 0 && (whole[0] != 7 || whole[3 * n - 1] != 7)) return 1;'
  echo "  return phases != $2;"
  echo '}'
}
# The first program, the same with the other form of its gather, and the ten lines of the README.
sed -n '/^    #include <pat\/pat.h>/,/^    MPI_Finalize/p' "$first" | sed 1d >"$work/plain"
sed -n '/^    PAT_Request request;/,/^    PAT_Wait/p' "$first" >"$work/forms"
sed -e "/PAT_Gather/{
  r $work/forms
  d
}" "$work/plain" >"$work/nonblocking"
sed -n '/^    PAT_Init();/,/^    PAT_Finalize/p' "$readme" >"$work/lines"
[ "$(grep -c PAT_Gather "$work/plain")" -eq 1 ] && [ "$(wc -l <"$work/forms")" -eq 4 ] && [ "$(wc -l <"$work/lines")" -eq 10 ]
{ echo 'MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);' && cat "$work/lines" && echo 'MPI_Finalize();'; } >"$work/ten"
program_of "$work/plain" 5 >"$work/plain.c"
program_of "$work/nonblocking" 505 >"$work/nonblocking.c"
program_of "$work/ten" 5 >"$work/ten.c"
for program in plain nonblocking ten; do
  "${MPICC:-mpicc}" -Wall -Werror "$work/$program.c" $(pkg-config --cflags --libs pat) -o "$work/$program.run"
  "$run_ranks" 60 3 "$work/$program.run"
done
# A wrong setting is said once, not once a process.
if PAT_WINDOW=-1 "$run_ranks" 60 3 "$work/plain.run" 2>"$work/log"; then exit 1; fi
[ "$(grep -c "PAT_WINDOW is '-1'" "$work/log")" -eq 1 ] || { cat "$work/log"; exit 1; }
"${MPICC:-mpicc}" -Wall -Werror "$work/user.c" $(pkg-config --cflags --libs pat) -o "$work/user-c"
"${MPICXX:-mpicxx}" -std=c++20 -Wall -Werror -DOMPI_SKIP_MPICXX "$(dirname "${BASH_SOURCE[0]}")/project/in_cxx.cpp" $(pkg-config --cflags --libs pat) -o "$work/user-cpp"
"$run_ranks" 60 3 "$work/user-c"
"$run_ranks" 60 3 "$work/user-cpp"

fail() { echo "FAILED: $*" >&2; exit 1; }

# What the libraries show: the C interface, and MPI_Abort, before which trace and report are written;
# those for C++ programs the namespace pat.
shown() { nm -D --defined-only -C "$1" | sed 's/^[0-9a-f]* *. //'; }
lib=$(dirname "$(find "$installed" -name libpat.so)")

# Who reads an installed header has no list of numbered papers.
grep -rnE '[Ss]eeds? 00[0-9]' "$(dirname "$(dirname "$(find "$installed" -path '*pat/pat.h')")")" && fail "papers by number"
shown "$lib/libpat.so" | grep -vE '^(PAT_[A-Za-z_]*|MPI_Abort)$' && fail "libpat.so shows more than PAT_* and MPI_Abort"
for part in core schedules predictors; do
  shown "$lib/libpat-$part.so" | grep -vE '^(pat::|(typeinfo|typeinfo name|vtable|guard variable|non-virtual thunk) (for|to) pat::|[a-z][^(]* pat::)' &&
    fail "libpat-$part.so shows more than pat::"
done
shown "$lib/libpat-preload.so" | grep -vE '^(P?MPIX?_|mpi_|PAT_)' && fail "libpat-preload.so shows more than MPI and PAT_*"

# Each has its name with a version, needs no library that it does not use, and finds those it needs.
# Without build folders in the places where it looks.
for library in "$lib"/libpat*.so; do
  case $library in
    *preload*) ;;
    *) readelf -d "$library" | grep -q "SONAME.*$(basename "$library")\.0\]" || fail "$library has no SONAME of version 0" ;;
  esac
  ldd "$library" | grep 'not found' && fail "$library lacks libraries"
  unused=$(ldd -u "$library" | grep '^[[:space:]]*/' || true)
  [ -z "$unused" ] || fail "$library needs what it does not use: $unused"
  readelf -d "$library" | grep -E 'RUNPATH|RPATH' | grep -E "build|$PWD" && fail "$library looks in the build folder"
done
! ldd "$lib/libpat.so" "$(find "$installed" -path '*bin/pat')" | grep -q libmpi_cxx || fail "libmpi_cxx comes along"
