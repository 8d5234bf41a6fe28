/* phases CALLS [erratic]: computes, exchanges messages with its neighbours, and gathers: rank 0
 * computes for 20 ms and the others for 10, with 5 ms of waiting for a message in the middle; or,
 * if it is erratic, somewhere, another time in each call and several times in some. Ends with 3
 * where what was gathered is wrong. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void compute(long us) {
  const struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  int rank, size, token = 0;
  const int calls = argc > 1 ? atoi(argv[1]) : 20, erratic = argc > 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = 20000;
  double* mine = calloc(n, sizeof(double));
  double* all = calloc((size_t)n * size, sizeof(double));
  const int wraps = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, 0, &ring);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    const int parts = erratic ? 1 + i % 3 : 1;
    for (int part = 0; part < parts; ++part) {
      compute(erratic ? 1000 + 4000 * (i * 7 % 4) : rank == 0 ? 15000 : 5000);
      MPI_Request request;
      MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
      MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    compute(5000);
    mine[n - 1] = rank + i;
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; ++r)
      if (all[(r + 1) * n - 1] != r + i) return 3;
    compute(3000);
    MPI_Neighbor_allgather(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, ring);
  }
  MPI_Comm_free(&ring);
  free(all);
  free(mine);
  MPI_Finalize();
  return 0;
}
