// The collectives that PAT does not have: watched, and left to MPI.

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "libpat/execution/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::Behind;
using pat::detail::CallSite;
using pat::detail::CountedCall;
using pat::detail::PassedOn;
using pat::detail::WatchedCollective;

/// `watch` declares what watches the call, by the names `function_count` and `caller`.
#define PAT_WATCH(Name, Visible, Profiling, where, parameters, arguments, watch)               \
  int PAT_FORM(Name) parameters {                                                              \
    static const Behind<decltype(&PAT_FORM(Profiling))> behind(PAT_TEXT(PAT_FORM(Visible)),    \
                                                               PAT_TEXT(PAT_FORM(Profiling))); \
    static PassedOn& function_count = *new PassedOn(PAT_TEXT(PAT_FORM(Visible)));              \
    const void* const caller = CallSite::take(__builtin_return_address(0));                    \
    if (caller == nullptr) return behind.library arguments;                                    \
    watch;                                                                                     \
    return where arguments;                                                                    \
  }

#define PAT_WATCH_BOTH(Visible, Profiling, parameters, arguments, watch)               \
  PAT_WATCH(Visible, Visible, Profiling, behind.first(), parameters, arguments, watch) \
  PAT_WATCH(Profiling, Visible, Profiling, behind.library, parameters, arguments, watch)

#define PAT_PERSISTENT_AS(Visible, Profiling, parameters, arguments)            \
  PAT_WATCH_BOTH(Visible, Profiling,                                            \
                 (PAT_UNPACK parameters, MPI_Info info, MPI_Request * request), \
                 (PAT_UNPACK arguments, info, request), const CountedCall watched(function_count))

#if MPI_VERSION >= 4
#define PAT_PERSISTENT(Name, ...) \
  PAT_PERSISTENT_AS(MPI_##Name##_init, PMPI_##Name##_init, __VA_ARGS__)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PAT_PERSISTENT(Name, ...) \
  PAT_PERSISTENT_AS(MPIX_##Name##_init, PMPIX_##Name##_init, __VA_ARGS__)
#else
#define PAT_PERSISTENT(...)
#endif

#define PAT_COLLECTIVE(Name, name, parameters, arguments)                                     \
  PAT_WATCH_BOTH(MPI_##Name, PMPI_##Name, parameters, arguments,                              \
                 const WatchedCollective watched(function_count, "MPI_" #Name, comm, caller)) \
  PAT_WATCH_BOTH(MPI_I##name, PMPI_I##name, (PAT_UNPACK parameters, MPI_Request * request),   \
                 (PAT_UNPACK arguments, request), const CountedCall watched(function_count))  \
  PAT_PERSISTENT(Name, parameters, arguments)

extern "C" {

#define PAT_CALLS "libpat/preload/watched.def"
#include "libpat/execution/both_sizes.def"

}  // extern "C"
