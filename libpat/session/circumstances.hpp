#pragma once

#include <memory>

#include "libpat/session/watchdog.hpp"

namespace pat::detail {

/// What a session's process runs under, from its beginning on.
struct Circumstances {
  bool daemon;                         ///< this process has one
  bool daemon_everywhere;              ///< all processes of the session do
  double crowd;                        ///< processes that share a core, where most do
  std::shared_ptr<Watchdog> watchdog;  ///< null: none is wanted
};

}  // namespace pat::detail
