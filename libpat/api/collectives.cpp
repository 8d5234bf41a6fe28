// PAT_Gather, PAT_Igather, PAT_Gather_init, their _c forms, and the same of every other collective:
// all from the table of calls.

#include "core/errors.hpp"
#include "libpat/api/error_handler.hpp"
#include "libpat/execution/given.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/operations/collective.hpp"
#include "pat/pat.h"

namespace pat::detail {
namespace {

int enter(const Arguments& arguments) {
  if (Settled* now = settled(arguments)) {
    const int code = call_settled(arguments, *now);
    if (code != MPI_SUCCESS) remember_mpi_error(code);
    return code;
  }
  return with_error_handler(arguments.comm, [&] { return call(arguments); });
}

template <class Make>
int enter_request(const Arguments& arguments, PAT_Request* request, const Make& make) {
  return with_error_handler(arguments.comm, [&] {
    if (request == nullptr)
      refuse(ErrorKind::argument, arguments.function,
             "request is a null pointer, give a place for the handle");
    *request = static_cast<PAT_Request>(make(arguments));
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace pat::detail

#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from)                        \
  [[gnu::hot]] int PAT_FORM(PAT_##Name) parameters {                                               \
    return pat::detail::enter(PAT_ARGUMENTS(PAT_FORM(PAT_##Name), operation, blocks, to));         \
  }                                                                                                \
  int PAT_FORM(PAT_I##name)(PAT_UNPACK parameters, PAT_Request * request) {                        \
    return pat::detail::enter_request(PAT_ARGUMENTS(PAT_FORM(PAT_I##name), operation, blocks, to), \
                                      request, pat::detail::start);                                \
  }                                                                                                \
  int PAT_FORM(PAT_##Name##_init)(PAT_UNPACK parameters, PAT_Request * request) {                  \
    return pat::detail::enter_request(                                                             \
        PAT_ARGUMENTS(PAT_FORM(PAT_##Name##_init), operation, blocks, to), request,                \
        pat::detail::make_request);                                                                \
  }

extern "C" {

using pat::detail::adjoining;
using pat::detail::block;
using pat::detail::blocks;
using pat::detail::far_blocks;
using pat::detail::Given;
using pat::detail::typed_blocks;

#include "libpat/execution/both_sizes.def"

}  // extern "C"
