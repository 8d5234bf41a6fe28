/* The small tool of counting_tool.c for Fortran, whose calls other libraries than MPICH do not make
 * through the C functions that a tool stands before: counts the calls by mpif.h and `use mpi`
 * (mpi_gather_) and by `use mpi_f08` of Open MPI (_f08_) and of MPICH (_f08ts_, or mpi_gather_),
 * and passes on to the next function of that name. Every argument is a pointer. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define PARAMETERS_2 void *a, void *b
#define PARAMETERS_4 PARAMETERS_2, void *c, void *d
#define PARAMETERS_6 PARAMETERS_4, void *e, void *f
#define PARAMETERS_7 PARAMETERS_6, void* g
#define PARAMETERS_8 PARAMETERS_7, void* h
#define PARAMETERS_9 PARAMETERS_8, void* i
#define ARGUMENTS_2 a, b
#define ARGUMENTS_4 ARGUMENTS_2, c, d
#define ARGUMENTS_6 ARGUMENTS_4, e, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i

#define COUNT(function, n, counter)                                 \
  void function(PARAMETERS_##n) {                                   \
    static void (*next)(PARAMETERS_##n);                            \
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, #function); \
    ++counter;                                                      \
    next(ARGUMENTS_##n);                                            \
  }
#define COUNT_ALL(name, n, counter)    \
  COUNT(mpi_##name##_, n, counter)     \
  COUNT(mpi_##name##_f08_, n, counter) \
  COUNT(mpi_##name##_f08ts_, n, counter)

static long gathers, reductions, alltoalls, begun, waits, barriers;

COUNT_ALL(gather, 9, gathers)
COUNT_ALL(allreduce, 7, reductions)
COUNT_ALL(alltoall, 8, alltoalls)
COUNT_ALL(ibcast, 7, begun)
COUNT_ALL(waitall, 4, waits)
COUNT_ALL(barrier, 2, barriers)

/* In the end of the program, which has its rank from its launcher. */
__attribute__((destructor)) static void write_counts(void) {
  char name[1000];
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (gathers == 0 || rank == NULL) return; /* the command that starts the program */
  snprintf(name, sizeof name, "%s.%s", getenv("COUNTING_TOOL"), rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) return;
  fprintf(file, "%ld %ld %ld %ld %ld %ld\n", gathers, reductions, alltoalls, begun, waits,
          barriers);
  fclose(file);
}
