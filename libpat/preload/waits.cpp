// Functions that may wait for other processes: their time is no computing.

#include <mpi.h>

#include "libpat/execution/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::Behind;
using pat::detail::is_own;
using pat::detail::WaitingCall;
using pat::detail::WaitsFor;

#define PAT_WAIT(prefix, Name, what, where, parameters, arguments)                                 \
  int PAT_FORM(prefix##Name) parameters {                                                          \
    static const Behind<decltype(&PAT_FORM(PMPI_##Name))> behind(PAT_TEXT(PAT_FORM(MPI_##Name)),   \
                                                                 PAT_TEXT(PAT_FORM(PMPI_##Name))); \
    if (is_own(__builtin_return_address(0))) return behind.library arguments;                      \
    const WaitingCall waiting(WaitsFor::what, PAT_TEXT(PAT_FORM(MPI_##Name)));                     \
    return where arguments;                                                                        \
  }

#define PAT_COLLECTIVE(Name, what, parameters, arguments)           \
  PAT_WAIT(MPI_, Name, what, behind.first(), parameters, arguments) \
  PAT_WAIT(PMPI_, Name, what, behind.library, parameters, arguments)

extern "C" {

#define PAT_CALLS "libpat/preload/waits.def"
#include "libpat/execution/both_sizes.def"

}  // extern "C"
