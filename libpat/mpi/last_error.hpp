#pragma once

#include <mpi.h>

#include <string>

#include "core/errors.hpp"

namespace pat::detail {

/// Remembers the sentence for PAT_Error_string() on this thread.
void remember_error(const std::string& sentence);
/// The remembered sentence of this thread; "" if there is none.
const char* remembered_error();

/// Remembers what MPI says of one of its own error codes.
void remember_mpi_error(int code);

/// The MPI error class that stands for this kind.
int mpi_class(ErrorKind kind);

/// Inside a catch block: turns the exception into an MPI error code and a remembered sentence.
int code_of_current_exception() noexcept;

/// Runs `body`, which returns an MPI error code; no exception crosses the C interface. Always
/// inline: else what `body` refers to goes through memory, a nanosecond of PAT_Edge's.
template <class Body>
[[gnu::always_inline]] inline int guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return code_of_current_exception();
  }
}

}  // namespace pat::detail
