/* phases CALLS [erratic|communicator|window|file]: computes, exchanges messages with its
 * neighbours, and gathers: rank 0 computes for 20 ms and the others for 10, with 5 ms of waiting
 * for a message in the middle; or, if it is erratic, somewhere, another time in each call and
 * several times in some; or they make a communicator, open a window or a file together in the place
 * of messages. At last two lines reduce in turn. Ends with 3 where what was gathered is wrong. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void compute(long us) {
  const struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

static int rank, size;

static void exchange_messages(void) {
  int token = 0;
  MPI_Request request;
  MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Something that nobody can do before all have come. */
static void meet_for(const char* what) {
  if (strcmp(what, "communicator") == 0) {
    MPI_Comm same;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_free(&same);
  } else if (strcmp(what, "window") == 0) {
    MPI_Win window;
    MPI_Win_create(&rank, sizeof rank, sizeof rank, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  } else if (strcmp(what, "file") == 0) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)sizeof rank * rank, &rank, 1, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  } else {
    exchange_messages();
  }
}

int main(int argc, char** argv) {
  const int calls = argc > 1 ? atoi(argv[1]) : 20;
  const char* how = argc > 2 ? argv[2] : "";
  const int erratic = strcmp(how, "erratic") == 0;
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
      meet_for(how);
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
  for (int i = 0; i < calls; ++i) { /* nothing between them */
    MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(all);
  free(mine);
  MPI_Finalize();
  return 0;
}
