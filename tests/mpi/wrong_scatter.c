/* Preloaded: an MPI library whose third scatter gives rank 1 a wrong element, index 7 of four bytes. */
#include <mpi.h>

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  static int calls = 0;
  const int code =
      PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (++calls == 3 && rank == 1 && recvcount > 7) ((unsigned char*)recvbuf)[4 * 7] ^= 1;
  return code;
}
