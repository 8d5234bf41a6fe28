// What PAT_Init takes, with messages measured (PAT_CALIBRATE=quick) and without (off), in turn:
// from a barrier until the last process is through, a line a pair.
//
//   mpirun -n 8 build/release/bin/init_bench [PAIRS]

#include <mpi.h>
#include <pat/pat.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/statistics.hpp"

namespace {

double milliseconds_of_init(const char* settings) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  if (PAT_Init_comm(MPI_COMM_WORLD, settings) != MPI_SUCCESS) {
    std::fprintf(stderr, "init_bench: %s\n", PAT_Error_string());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const double own_ms = 1e3 * (MPI_Wtime() - start_s);
  double last_ms = 0.0;
  MPI_Allreduce(&own_ms, &last_ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PAT_Finalize();
  return last_ms;
}

}  // namespace

int main(int argc, char** argv) {
  int given = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 10;
  if (pairs < 1) {
    if (rank == 0) std::fprintf(stderr, "usage: init_bench [PAIRS], a number above 0\n");
    MPI_Finalize();
    return 2;
  }
  milliseconds_of_init("");  // the first one opens connections
  std::vector<double> beyond_ms;
  for (int pair = 0; pair < pairs; ++pair) {
    const double off_ms = milliseconds_of_init("calibrate=off"),
                 quick_ms = milliseconds_of_init("calibrate=quick");
    beyond_ms.push_back(quick_ms - off_ms);
    if (rank == 0)
      std::printf("without %8.2f ms, with %8.2f ms: %8.2f ms more\n", off_ms, quick_ms,
                  beyond_ms.back());
  }
  if (rank == 0) std::printf("median %.2f ms more\n", pat::median(beyond_ms));
  MPI_Finalize();
}
