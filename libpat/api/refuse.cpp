#include "pat/refuse.h"

#include "core/errors.hpp"
#include "libpat/api/error_handler.hpp"
#include "libpat/operations/checks.hpp"

int PAT_Refuse(MPI_Comm comm, const char* function, const char* sentence) {
  return pat::detail::with_error_handler(
      comm, [&]() -> int { pat::detail::refuse(pat::ErrorKind::argument, function, sentence); });
}
