#pragma once

#include <pat/pat.h>

#include "core/errors.hpp"

namespace helsim {

/// Throws pat::Error(config) with PAT's own sentence unless `code` is MPI_SUCCESS.
inline void check_pat(int code) {
  if (code != MPI_SUCCESS) throw pat::Error(pat::ErrorKind::config, PAT_Error_string());
}

}  // namespace helsim
