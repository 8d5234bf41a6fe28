#pragma once

#include <mpi.h>

namespace pat::measure {

/// How a rank's own clock relates to that of rank 0: global = own - (offset + drift * own).
struct ClockModel {
  double offset_s = 0.0;
  double drift = 0.0;  ///< seconds a second
};

/// A clock all ranks agree on. Where all of them run on one kernel (equal boot id) that is the
/// monotonic clock itself; elsewhere ranks learn a linear model of their offset in a binary tree of
/// pairs, each from a partner that knows the global time already. Source: Hunold and Carpen-Amarie,
/// Hierarchical Clock Synchronization in MPI, 2018 (HCA3).
class GlobalClock {
 public:
  /// `always_learn`: also on one kernel. Collective over `comm`.
  explicit GlobalClock(MPI_Comm comm, bool always_learn = false);

  /// Global time, seconds. Local.
  double now_s() const;
  /// Sleeps until the global time `until_s`; returns earlier when `interrupted()` says so. Local.
  void sleep_until(double until_s, bool (*interrupted)() = nullptr) const;
  /// Largest apparent difference between a rank's global time and that of rank 0 now, and how
  /// precisely it could be measured (half a round trip); both on rank 0. Collective.
  struct Skew {
    double largest_s = 0.0;
    double precision_s = 0.0;
  };
  Skew measure_skew(MPI_Comm comm) const;
  bool shared() const { return shared_; }

 private:
  double to_own(double global_s) const;
  ClockModel model_;
  bool shared_ = false;
};

}  // namespace pat::measure
