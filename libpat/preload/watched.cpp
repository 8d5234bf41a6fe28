// The collectives that PAT does not have: watched, and left to MPI.

#include <mpi.h>

#include "libpat/operations/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::Behind;
using pat::detail::CallSite;
using pat::detail::CountedCall;
using pat::detail::PassedOn;
using pat::detail::WatchedCollective;

/// `watch` declares what watches the call, by the names `function_count` and `caller`.
#define PAT_WATCH(prefix, Function, where, parameters, arguments, watch)                 \
  int PAT_FORM(prefix##Function) parameters {                                            \
    static const Behind<decltype(&PAT_FORM(PMPI_##Function))> behind(                    \
        PAT_TEXT(PAT_FORM(MPI_##Function)), PAT_TEXT(PAT_FORM(PMPI_##Function)));        \
    static PassedOn& function_count = *new PassedOn(PAT_TEXT(PAT_FORM(MPI_##Function))); \
    const void* const caller = CallSite::take(__builtin_return_address(0));              \
    if (caller == nullptr) return behind.library arguments;                              \
    watch;                                                                               \
    return where arguments;                                                              \
  }

#define PAT_WATCH_BOTH(Function, parameters, arguments, watch)            \
  PAT_WATCH(MPI_, Function, behind.first(), parameters, arguments, watch) \
  PAT_WATCH(PMPI_, Function, behind.library, parameters, arguments, watch)

#if MPI_VERSION >= 4
#define PAT_PERSISTENT(Name, parameters, arguments)                                          \
  PAT_WATCH_BOTH(Name##_init, (PAT_UNPACK parameters, MPI_Info info, MPI_Request * request), \
                 (PAT_UNPACK arguments, info, request), const CountedCall watched(function_count))
#else
#define PAT_PERSISTENT(...)
#endif

#define PAT_COLLECTIVE(Name, name, parameters, arguments)                                     \
  PAT_WATCH_BOTH(Name, parameters, arguments,                                                 \
                 const WatchedCollective watched(function_count, "MPI_" #Name, comm, caller)) \
  PAT_WATCH_BOTH(I##name, (PAT_UNPACK parameters, MPI_Request * request),                     \
                 (PAT_UNPACK arguments, request), const CountedCall watched(function_count))  \
  PAT_PERSISTENT(Name, parameters, arguments)

extern "C" {

#define PAT_CALLS "libpat/preload/watched.def"
#include "libpat/operations/both_sizes.def"

}  // extern "C"
