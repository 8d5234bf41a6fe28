/* Which algorithms the MPI library chooses for MPI_Gather and MPI_Scatter:
 * pat-collective-once OPERATION BYTES[,BYTES...] RANKS[,RANKS...]
 * makes a call with each number of processes (those that there are enough for) and each size of a
 * block, and prints "OPERATION RANKS ALGORITHM..." for each number, the algorithms by PAT's names.
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

static const char* chosen = NULL; /* the first one called: it may use another */

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

/* The algorithm of one call. */
static const char* chosen_for(int gathers, int bytes, int ranks, MPI_Comm comm) {
  char* part = calloc((size_t)bytes, 1);
  char* whole = calloc((size_t)bytes * (size_t)ranks, 1);
  if (part == NULL || whole == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  chosen = NULL;
  if (gathers)
    MPI_Gather(part, bytes, MPI_BYTE, whole, bytes, MPI_BYTE, 0, comm);
  else
    MPI_Scatter(whole, bytes, MPI_BYTE, part, bytes, MPI_BYTE, 0, comm);
  free(part);
  free(whole);
  return chosen == NULL ? "?" : chosen;
}

/* The next number of a list with commas; 0 at its end, and for what is no number. */
static int next_number(const char** list) {
  char* end = NULL;
  const long number = strtol(*list, &end, 10);
  *list = *end == ',' ? end + 1 : end;
  return number > 0 && number <= 1 << 24 ? (int)number : 0;
}

int main(int argc, char** argv) {
  int rank = 0, all = 1, ranks = 0, bytes = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int gathers = strcmp(argv[1], "gather") == 0;
  for (const char* numbers = argv[3]; (ranks = next_number(&numbers)) > 0 && ranks <= all;) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    if (rank == 0) printf("%s %d", argv[1], ranks);
    for (const char* sizes = argv[2]; (bytes = next_number(&sizes)) > 0;) {
      const char* name = chosen_for(gathers, bytes, ranks, comm);
      if (rank == 0) printf(" %s", name);
    }
    if (rank == 0) puts("");
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
