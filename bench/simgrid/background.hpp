#pragma once

#include <memory>
#include <string>

#include "libpat/execution.hpp"

namespace pat::simulated {

/// Who carries an execution forward while its process computes.
class Background {
 public:
  virtual ~Background() = default;
  /// The process computes until the simulated time `arrival_s`; what may run before the join runs
  /// meanwhile. Called by the process's own actor.
  virtual void compute_until(double arrival_s, Execution& execution) const = 0;
  /// Between two looks at moving data, seconds: Problem::pause_s.
  virtual double pause_s() const { return 0.0; }
};

/// "none": nobody, the whole schedule runs inside the call.
/// "thread": a daemon that comes back as often as libpat's thread (libpat/pace.hpp).
/// "actor": a second actor does the computing, so that the first sees every message at once: a
/// daemon that costs nothing and never sleeps. The best that a background can do.
/// Throws Error(argument) that lists the names.
std::unique_ptr<Background> make_background(const std::string& name);

}  // namespace pat::simulated
