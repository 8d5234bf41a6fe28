/* One MPI_Gather or MPI_Scatter with a block of so many bytes; rank 0 prints the algorithm that the
 * MPI library chose for it, by PAT's name: pat-collective-once gather|scatter BYTES
 *
 * The components of Open MPI call its algorithms by their names in libmpi. This program has
 * functions of these names, which come first: they note which was called and call on. An MPI
 * library whose algorithms cannot be seen so gets a "?". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* chosen = NULL; /* the first one called: an algorithm may use another */

#ifdef OPEN_MPI

#define NOTING(name, function, parameters, arguments)                          \
  int function parameters;                                                     \
  int function parameters {                                                    \
    int(*library) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #function); \
    if (chosen == NULL) chosen = name;                                         \
    return library arguments;                                                  \
  }

#define PARAMETERS                                                                      \
  const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count, \
      MPI_Datatype recv_type, int root, MPI_Comm comm, void *module
#define ARGUMENTS send, send_count, send_type, recv, recv_count, recv_type, root, comm, module

NOTING("lin", ompi_coll_base_gather_intra_basic_linear, (PARAMETERS), (ARGUMENTS))
NOTING("bnom", ompi_coll_base_gather_intra_binomial, (PARAMETERS), (ARGUMENTS))
NOTING("ls", ompi_coll_base_gather_intra_linear_sync, (PARAMETERS, int first_segment),
       (ARGUMENTS, first_segment))
NOTING("lin", ompi_coll_base_scatter_intra_basic_linear, (PARAMETERS), (ARGUMENTS))
NOTING("bnom", ompi_coll_base_scatter_intra_binomial, (PARAMETERS), (ARGUMENTS))
NOTING("lin", ompi_coll_base_scatter_intra_linear_nb, (PARAMETERS, int most_requests),
       (ARGUMENTS, most_requests))

#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || atoi(argv[2]) <= 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[2]);
  char* part = calloc((size_t)bytes, 1);
  char* whole = calloc((size_t)bytes * (size_t)ranks, 1);
  chosen = NULL; /* whatever MPI_Init did */
  if (strcmp(argv[1], "gather") == 0)
    MPI_Gather(part, bytes, MPI_BYTE, whole, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Scatter(whole, bytes, MPI_BYTE, part, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(chosen == NULL ? "?" : chosen);
  free(part);
  free(whole);
  MPI_Finalize();
  return 0;
}
