#pragma once

#include <limits>
#include <memory>
#include <string>

#include "libpat/execution/schedule_run.hpp"

namespace pat::simulated {

/// The daemon's part of one call in one process: what moves before the arrival, and when the daemon
/// looks again.
class Background {
 public:
  virtual ~Background() = default;

  /// One round at the simulated time `now_s`: what may move moves. Returns when the next one is
  /// due, `never`, or `on_message`: whenever a message of the call has come or gone.
  virtual double round(double now_s, detail::ScheduleRun& execution) = 0;
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double on_message = -never;

  /// It knows the arrivals, whatever the processes are told; so it knows as well who will meet whom
  /// in a dynamic algorithm.
  virtual bool knows_arrivals() const { return false; }
  /// Between two looks at moving data, seconds: Problem::pause_s.
  virtual double pause_s() const { return 0.0; }
};

/// "none": nobody, the whole schedule runs inside the call.
/// "thread": rounds as far apart as those of libpat's thread, by the same code
/// (libpat/agreement/pace.hpp). "actor": a round at every message, as of a thread that costs
/// nothing and never sleeps. "oracle": as "actor", and it knows the arrivals. The best that a
/// background can do. Throws Error(argument) that lists the names.
std::unique_ptr<Background> make_background(const std::string& name);

/// The process computes until the simulated time `arrival_s`, and `background` has its rounds
/// meanwhile. Called by the process's own actor. Throws detail::MpiFailure.
void compute_until(double arrival_s, Background& background, detail::ScheduleRun& execution);

}  // namespace pat::simulated
