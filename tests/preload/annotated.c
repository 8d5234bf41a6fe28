/* annotated: a program that says itself where it computes, and calls some collectives of MPI
 * besides. */

#include <mpi.h>
#include <pat/pat.h>
#include <stdio.h>
#include <time.h>

enum { n = 4000, calls = 12 };
static double mine[n], all[n * 16];

int main(int argc, char** argv) {
  const struct timespec half = {0, 2000000};
  int rank, size, running = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD); /* before PAT runs */
  PAT_Initialized(&running);
  if (running) return 3;
  if (PAT_Init() != MPI_SUCCESS) {
    fprintf(stderr, "%s\n", PAT_Error_string());
    return 4;
  }
  for (int i = 0; i < calls; ++i) {
    PAT_ProcessingStart();
    nanosleep(&half, NULL);
    PAT_Edge(0.5);
    nanosleep(&half, NULL);
    PAT_ProcessingEnd();
    for (int k = 0; k < n; ++k) mine[k] = rank + i;
    PAT_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; ++r)
      if (all[r * n + n - 1] != r + i) return 5;
    MPI_Allgather(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r)
      if (all[r] != r + i) return 6;
  }
  PAT_Finalize();
  MPI_Finalize();
  return 0;
}
