#!/bin/bash
# install.sh BUILD RUN_RANKS README: installs the library into an empty folder, links a C and a C++
# program and those of the README to it as a user would, and runs them.
set -eu
build=$1 run_ranks=$2 readme=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A build that makes libraries elsewhere would leave the file out; the install says so.
cmake --install "$build" --prefix "$work/pat" --component library >"$work/log" || { cat "$work/log"; exit 1; }
pc=$(dirname "$(find "$work/pat" -name pat.pc)")
export PKG_CONFIG_PATH=$pc
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
cat >"$work/user.cpp" <<'C'
#include <pat/pat.hpp>
#include <vector>
int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = 0;
  {
    pat::Session session(MPI_COMM_WORLD, "log=warn");
    pat::Region region(MPI_COMM_WORLD, "solver"), other = std::move(region);
    std::vector<double> mine(1000, rank), sum(1000);
    for (int i = 0; i < 5; ++i) {
      {
        auto scope = other.processing();
        scope.edge(0.5);
        scope.hint("elements", 1000);
        const auto pause = scope.pause();
      }
      pat::require(PAT_Reduce(mine.data(), sum.data(), 1000, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    }
    if (rank == 0 && sum[7] != size * (size - 1) / 2.0) wrong = 3;
    if (other.forecast().mean_s < 0.0) wrong = 4;
    if (other.pattern(size).first.size() != static_cast<std::size_t>(size)) wrong = 5;
    try {
      pat::require(PAT_Edge(0.5));
      wrong = 6;
    } catch (const pat::Failure& failure) {
      if (failure.code() != MPI_ERR_OTHER) wrong = 7;
    }
  }
  MPI_Finalize();
  return wrong;
}
C

# readme_program CALL: the README's first program on data of its own, with these lines in place of its
# PAT_Gather.
readme_program() {
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
  sed -n '/^    #include <pat\/pat.h>/,/^    MPI_Finalize/p' "$readme" | sed -e 1d -e "/PAT_Gather/{
    r $1
    d
  }"
  echo '  if (rank == 0 && (whole[0] != 7 || whole[3 * n - 1] != 7)) return 1;'
  echo "  return phases != $2;"
  echo '}'
}
sed -n '/PAT_Gather(part/p' "$readme" >"$work/plain"
sed -n '/^    PAT_Request request;/,/^    PAT_Wait/p' "$readme" >"$work/nonblocking"
[ "$(wc -l <"$work/plain")" -eq 1 ] && [ "$(wc -l <"$work/nonblocking")" -eq 4 ]
readme_program "$work/plain" 5 >"$work/readme-plain.c"
readme_program "$work/nonblocking" 505 >"$work/readme-nonblocking.c"
for program in readme-plain readme-nonblocking; do
  mpicc -Wall -Werror "$work/$program.c" $(pkg-config --cflags --libs pat) -o "$work/$program"
  "$run_ranks" 60 3 "$work/$program"
done
# A wrong setting is said once, not once a process.
if PAT_WINDOW=-1 "$run_ranks" 60 3 "$work/readme-plain" 2>"$work/log"; then exit 1; fi
[ "$(grep -c "PAT_WINDOW is '-1'" "$work/log")" -eq 1 ] || { cat "$work/log"; exit 1; }
mpicc -Wall -Werror "$work/user.c" $(pkg-config --cflags --libs pat) -o "$work/user-c"
mpicxx -std=c++20 -Wall -Werror -DOMPI_SKIP_MPICXX "$work/user.cpp" $(pkg-config --cflags --libs pat) -o "$work/user-cpp"
"$run_ranks" 60 3 "$work/user-c"
"$run_ranks" 60 3 "$work/user-cpp"
# Nothing but the C interface is visible, and MPI_Abort, before which trace and report are written.
if nm -D --defined-only "$work"/pat/lib*/libpat.so "$work"/pat/lib/*/libpat.so 2>/dev/null |
   grep ' T ' | grep -vE ' (PAT_.*|MPI_Abort)$'; then
  echo "libpat.so shows more than PAT_* and MPI_Abort" >&2
  exit 1
fi
