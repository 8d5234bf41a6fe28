// Fortran's collectives. The MPI library's own wrappers make C calls of them, MPI_X or PMPI_X,
// which come here again with everything converted; but then it is the wrapper that calls. So this
// keeps where the program called from, and passes on: every argument is a pointer.

#include <mpi.h>

#include "libpat/execution/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::CallSite;
using pat::detail::next_function;

#define PAT_POINTERS_2 void *a, void *b
#define PAT_POINTERS_6 PAT_POINTERS_2, void *c, void *d, void *e, void *f
#define PAT_POINTERS_7 PAT_POINTERS_6, void* g
#define PAT_POINTERS_8 PAT_POINTERS_7, void* h
#define PAT_POINTERS_9 PAT_POINTERS_8, void* i
#define PAT_POINTERS_10 PAT_POINTERS_9, void* j
#define PAT_POINTER_NAMES_2 a, b
#define PAT_POINTER_NAMES_6 a, b, c, d, e, f
#define PAT_POINTER_NAMES_7 PAT_POINTER_NAMES_6, g
#define PAT_POINTER_NAMES_8 PAT_POINTER_NAMES_7, h
#define PAT_POINTER_NAMES_9 PAT_POINTER_NAMES_8, i
#define PAT_POINTER_NAMES_10 PAT_POINTER_NAMES_9, j

#define PAT_WITH_CODE(...) PAT_TENTH(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2)
#define PAT_TENTH(p1, p2, p3, p4, p5, p6, p7, p8, p9, n, ...) n

#define PAT_FORTRAN(function, n) PAT_FORTRAN_OF(function, n)
#define PAT_FORTRAN_OF(function, n)                                                \
  void function(PAT_POINTERS_##n) {                                                \
    using Function = void (*)(PAT_POINTERS_##n);                                   \
    static const auto next = reinterpret_cast<Function>(next_function(#function)); \
    const CallSite site(__builtin_return_address(0));                              \
    next(PAT_POINTER_NAMES_##n);                                                   \
  }

/// Name: by mpif.h and `use mpi`, and by `use mpi_f08` of Open MPI and of MPICH.
#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from) \
  PAT_BINDINGS(name, parameters)
#define PAT_BINDINGS(name, parameters)                     \
  PAT_FORTRAN(mpi_##name##_, PAT_WITH_CODE parameters)     \
  PAT_FORTRAN(mpi_##name##_f08_, PAT_WITH_CODE parameters) \
  PAT_FORTRAN(mpi_##name##_f08ts_, PAT_WITH_CODE parameters)
#define PAT_COLLECTIVE_WITHOUT_COUNTS PAT_COLLECTIVE
#define COUNT int
#define DISPLACEMENT int

extern "C" {

#include "libpat/execution/calls.def"

}  // extern "C"
