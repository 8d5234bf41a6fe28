/* A small tool such as users have: counts calls through the profiling interface and writes the
 * counts of each process to $COUNTING_TOOL.<rank> in MPI_Finalize. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long gathers, reductions, alltoalls, begun, receives, barriers;

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  ++gathers;
  return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  ++reductions;
  return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  ++alltoalls;
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                MPI_Request* request) {
  ++begun;
  return PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                      request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  ++receives;
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  char name[1000];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", getenv("COUNTING_TOOL"), rank);
  FILE* file = fopen(name, "w");
  if (file != NULL) {
    fprintf(file, "%ld %ld %ld %ld %ld %ld\n", gathers, reductions, alltoalls, begun, receives,
            barriers);
    fclose(file);
  }
  return PMPI_Finalize();
}
