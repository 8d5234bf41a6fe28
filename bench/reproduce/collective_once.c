/* One MPI_Gather or MPI_Scatter with a block of so many bytes, for counting its messages:
 * collective_once gather|scatter BYTES */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || atoi(argv[2]) <= 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[2]);
  char* part = calloc((size_t)bytes, 1);
  char* whole = calloc((size_t)bytes * (size_t)ranks, 1);
  if (strcmp(argv[1], "gather") == 0)
    MPI_Gather(part, bytes, MPI_BYTE, whole, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Scatter(whole, bytes, MPI_BYTE, part, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  free(part);
  free(whole);
  MPI_Finalize();
  return 0;
}
