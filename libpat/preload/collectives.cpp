// The collectives that PAT has, as an unmodified program calls them: all from the table of calls.
// Their non-blocking and persistent forms give the program an MPI_Request: see requests.hpp for
// which of them are PAT's. The others are counted and left to MPI.

#include <mpi.h>

#include <string_view>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "libpat/execution/given.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/requests.hpp"
#include "libpat/preload/watch.hpp"

using pat::detail::adjoining;
using pat::detail::Arguments;
using pat::detail::begin_request;
using pat::detail::Behind;
using pat::detail::block;
using pat::detail::blocks;
using pat::detail::call_of_program;
using pat::detail::CallSite;
using pat::detail::CountedCall;
using pat::detail::far_blocks;
using pat::detail::is_own;
using pat::detail::make_persistent;
using pat::detail::PassedOn;
using pat::detail::takes_persistent;
using pat::detail::takes_request;
using pat::detail::typed_blocks;

#define PAT_BEHIND(function)                                                                 \
  static const Behind<decltype(&PAT_FORM(P##function))> behind(PAT_TEXT(PAT_FORM(function)), \
                                                               PAT_TEXT(PAT_FORM(P##function)))

#define PAT_PLAIN(Name, operation, blocks, parameters, to, from)                                  \
  int PAT_FORM(MPI_##Name) parameters {                                                           \
    PAT_BEHIND(MPI_##Name);                                                                       \
    const void* const caller = __builtin_return_address(0);                                       \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(MPI_##Name), operation, blocks, to);               \
    if (behind.tool == nullptr) return call_of_program(a, CallSite::take(caller));                \
    const CallSite site(caller);                                                                  \
    return behind.tool(PAT_THEN from a.comm);                                                     \
  }                                                                                               \
  int PAT_FORM(PMPI_##Name) parameters {                                                          \
    PAT_BEHIND(MPI_##Name);                                                                       \
    const void* const caller = CallSite::take(__builtin_return_address(0));                       \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(MPI_##Name), operation, blocks, to);               \
    return caller == nullptr ? behind.library(PAT_THEN from a.comm) : call_of_program(a, caller); \
  }

/// Visible, Profiling: the names of a form that begins something; takes, begin: whether PAT does
/// such a call, and what does it then; more: what the form has beside the parameters.
#define PAT_BEGINNING(Visible, Profiling, operation, blocks, parameters, more, to, from, last,  \
                      takes, begin)                                                             \
  PAT_BEGIN(Visible, Visible, Profiling, operation, blocks, parameters, more, to, from, last,   \
            takes, begin)                                                                       \
  PAT_BEGIN(Profiling, Visible, Profiling, operation, blocks, parameters, more, to, from, last, \
            takes, begin)

#define PAT_BEGIN(Name, Visible, Profiling, operation, blocks, parameters, more, to, from, last, \
                  takes, begin)                                                                  \
  int PAT_FORM(Name)(PAT_UNPACK parameters, PAT_UNPACK more) {                                   \
    static const Behind<decltype(&PAT_FORM(Profiling))> behind(PAT_TEXT(PAT_FORM(Visible)),      \
                                                               PAT_TEXT(PAT_FORM(Profiling)));   \
    constexpr bool visible = std::string_view(#Name) == #Visible;                                \
    const Arguments a = PAT_ARGUMENTS(PAT_FORM(Visible), operation, blocks, to);                 \
    if (!visible && is_own(__builtin_return_address(0)))                                         \
      return behind.library(PAT_THEN from a.comm, PAT_UNPACK last);                              \
    if (visible && behind.tool != nullptr)                                                       \
      return behind.tool(PAT_THEN from a.comm, PAT_UNPACK last);                                 \
    if (takes(a)) return begin(a, request);                                                      \
    static PassedOn& function_count = *new PassedOn(PAT_TEXT(PAT_FORM(Visible)));                \
    const CountedCall counted(function_count);                                                   \
    return behind.library(PAT_THEN from a.comm, PAT_UNPACK last);                                \
  }

#define PAT_NONBLOCKING(name, operation, blocks, parameters, to, from)                             \
  PAT_BEGINNING(MPI_I##name, PMPI_I##name, operation, blocks, parameters, (MPI_Request * request), \
                to, from, (request), takes_request, begin_request)

#define PAT_PERSISTENT_AS(Visible, Profiling, operation, blocks, parameters, to, from) \
  PAT_BEGINNING(Visible, Profiling, operation, blocks, parameters,                     \
                (MPI_Info info, MPI_Request * request), to, from, (info, request),     \
                takes_persistent, make_persistent)

#if MPI_VERSION >= 4
#define PAT_PERSISTENT(Name, ...) \
  PAT_PERSISTENT_AS(MPI_##Name##_init, PMPI_##Name##_init, __VA_ARGS__)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PAT_PERSISTENT(Name, ...) \
  PAT_PERSISTENT_AS(MPIX_##Name##_init, PMPIX_##Name##_init, __VA_ARGS__)
#else
#define PAT_PERSISTENT(...)
#endif

#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from) \
  PAT_PLAIN(Name, operation, blocks, parameters, to, from)                  \
  PAT_NONBLOCKING(name, operation, blocks, parameters, to, from)            \
  PAT_PERSISTENT(Name, operation, blocks, parameters, to, from)

extern "C" {

#include "libpat/execution/both_sizes.def"

}  // extern "C"
