// threads ELEMENTS: threads that make communicators side by side, each below a communicator of its
// own, as MPI allows, and sum so many integers on each.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 3, rounds = 40 };
static int elements;

static void sum(MPI_Comm comm, int* values) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < elements; ++i) values[i] = rank + i % 7;
  MPI_Allreduce(MPI_IN_PLACE, values, elements, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < elements; ++i)
    if (values[i] != ranks * (ranks - 1) / 2 + ranks * (i % 7)) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void* make_and_free(void* own) {
  MPI_Comm world = *(MPI_Comm*)own;
  int* values = malloc((size_t)elements * sizeof *values);
  int rank;
  MPI_Comm_rank(world, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm half, again;
    MPI_Comm_split(world, rank % 2, 0, &half);
    sum(half, values);
    MPI_Barrier(half);
    MPI_Comm_dup(world, &again);
    sum(again, values);
    MPI_Comm_free(&again);
    MPI_Comm_free(&half);
  }
  free(values);
  return NULL;
}

int main(int argc, char** argv) {
  int level, rank;
  if (argc != 2) return 2;
  elements = atoi(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm own[threads];
  pthread_t running[threads];
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, make_and_free, &own[i]);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  if (rank == 0) printf("all rounds done\n");
  MPI_Finalize();
  return 0;
}
