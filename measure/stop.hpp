#pragma once

#include <functional>
#include <thread>

namespace pat::measure {

/// Lets SIGINT and SIGTERM end a run in order. A Ctrl-C given to Open MPI's mpirun reaches the
/// ranks as SIGTERM after one second, and SIGKILL follows after one more (its parameter
/// odls_base_sigkill_timeout): there is no time to wait for a rank that computes or for an
/// operation that lacks one. So what must not be lost is done at once, beside the program.
class StopSignals {
 public:
  /// From now on these signals make asked() true and, at the first of them, call `at_once` from a
  /// thread of its own; it must not talk to MPI. One object at a time.
  explicit StopSignals(std::function<void()> at_once);
  /// Waits for `at_once` if it is under way; later signals are ignored: the run is ending.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Whether such a signal has come. Thread-safe.
  static bool asked();

 private:
  std::thread watcher_;
};

}  // namespace pat::measure
