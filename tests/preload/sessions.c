/* sessions [init]: a program that uses the sessions of MPI 4 and never calls MPI_Init; or that
 * calls it, too, and works on communicators of both kinds in turn. Prints what one of the last
 * reductions comes to. Ends with 3 where a result is wrong. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 2000 };

static void work(MPI_Comm comm, int calls) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double* mine = malloc(sizeof(double) * n);
  double* all = malloc(sizeof(double) * n * size);
  for (int i = 0; i < calls; ++i) {
    double sum = 0;
    MPI_Request request;
    for (int k = 0; k < n; ++k) mine[k] = rank + i;
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, i % size, comm);
    for (int r = 0; rank == i % size && r < size; ++r)
      if (all[r * n] != r + i || all[r * n + n - 1] != r + i) exit(3);
    MPI_Iallreduce(mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != size * (size - 1) / 2.0 + size * i) exit(3);
  }
  free(all);
  free(mine);
}

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, part;
  int rank, size;
  if (argc > 1) {
    MPI_Init(&argc, &argv);
    work(MPI_COMM_WORLD, 10);
  }
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int round = 0; round < 3; ++round) {
    work(comm, 10);
    if (argc > 1) work(MPI_COMM_WORLD, 10);
  }
  MPI_Comm_split(comm, rank % 2, rank, &part);
  work(part, 10);
  MPI_Comm_free(&part);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (rank == 0) printf("all %d are done\n", size);
  if (argc > 1) MPI_Finalize();
  return 0;
}
