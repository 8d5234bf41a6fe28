// The collectives that PAT has, as an unmodified program calls them: all from the table of calls.
// Their non-blocking and persistent forms give the program an MPI_Request, so they are watched and
// left to MPI.

#include <mpi.h>

#include "libpat/operations/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::Arguments;
using pat::detail::Behind;
using pat::detail::block;
using pat::detail::blocks;
using pat::detail::call_of_program;
using pat::detail::CallSite;
using pat::detail::CountedCall;
using pat::detail::is_own;
using pat::detail::PassedOn;

#define PAT_BEHIND(function)                                                                 \
  static const Behind<decltype(&PAT_FORM(P##function))> behind(PAT_TEXT(PAT_FORM(function)), \
                                                               PAT_TEXT(PAT_FORM(P##function)))

#define PAT_PLAIN(Name, operation, varying, parameters, to, from)                                 \
  int PAT_FORM(MPI_##Name) parameters {                                                           \
    PAT_BEHIND(MPI_##Name);                                                                       \
    const void* const caller = __builtin_return_address(0);                                       \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(MPI_##Name), operation, varying, to);              \
    if (behind.tool == nullptr) return call_of_program(a, CallSite::take(caller));                \
    const CallSite site(caller);                                                                  \
    return behind.tool(PAT_THEN from a.comm);                                                     \
  }                                                                                               \
  int PAT_FORM(PMPI_##Name) parameters {                                                          \
    PAT_BEHIND(MPI_##Name);                                                                       \
    const void* const caller = CallSite::take(__builtin_return_address(0));                       \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(MPI_##Name), operation, varying, to);              \
    return caller == nullptr ? behind.library(PAT_THEN from a.comm) : call_of_program(a, caller); \
  }

/// Function: the whole name of a form that begins something; where: behind.first() or
/// behind.library; more: what the form has beside the parameters.
#define PAT_COUNTED(prefix, Function, where, operation, varying, parameters, more, to, from, last) \
  int PAT_FORM(prefix##Function)(PAT_UNPACK parameters, PAT_UNPACK more) {                         \
    PAT_BEHIND(MPI_##Function);                                                                    \
    static PassedOn& function_count = *new PassedOn(PAT_TEXT(PAT_FORM(MPI_##Function)));           \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(MPI_##Function), operation, varying, to);           \
    const bool own = is_own(__builtin_return_address(0));                                          \
    if (own) return behind.library(PAT_THEN from a.comm, PAT_UNPACK last);                         \
    const CountedCall counted(function_count);                                                     \
    return where(PAT_THEN from a.comm, PAT_UNPACK last);                                           \
  }

#define PAT_BEGINNING(Function, operation, varying, parameters, more, to, from, last)         \
  PAT_COUNTED(MPI_, Function, behind.first(), operation, varying, parameters, more, to, from, \
              last)                                                                           \
  PAT_COUNTED(PMPI_, Function, behind.library, operation, varying, parameters, more, to, from, last)

#define PAT_NONBLOCKING(name, operation, varying, parameters, to, from)                     \
  PAT_BEGINNING(I##name, operation, varying, parameters, (MPI_Request * request), to, from, \
                (request))

#if MPI_VERSION >= 4
#define PAT_PERSISTENT(Name, operation, varying, parameters, to, from) \
  PAT_BEGINNING(Name##_init, operation, varying, parameters,           \
                (MPI_Info info, MPI_Request * request), to, from, (info, request))
#else
#define PAT_PERSISTENT(...)
#endif

#define PAT_COLLECTIVE(Name, name, operation, varying, parameters, to, from) \
  PAT_PLAIN(Name, operation, varying, parameters, to, from)                  \
  PAT_NONBLOCKING(name, operation, varying, parameters, to, from)            \
  PAT_PERSISTENT(Name, operation, varying, parameters, to, from)

extern "C" {

#include "libpat/operations/both_sizes.def"

}  // extern "C"
