#pragma once

#include <mpi.h>
#include <pat/pat.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/global_clock.hpp"

namespace pat::measure {

/// A region of PAT's, so that what is measured has a history of its own.
class RegionGuard {
 public:
  /// Collective over `comm`. Throws as must().
  RegionGuard(MPI_Comm comm, const std::string& name);
  ~RegionGuard();
  RegionGuard(const RegionGuard&) = delete;
  RegionGuard& operator=(const RegionGuard&) = delete;
  PAT_Region get() const { return region_; }

 private:
  PAT_Region region_ = nullptr;
};

/// A computing phase that only passes time, and what PAT is told of it.
struct Phase {
  double planned_s = 0.0;
  bool busy = false;                    ///< looks at the clock all the time instead of sleeping
  const RegionGuard* region = nullptr;  ///< null: PAT is told nothing
  std::vector<double> edges;            ///< fractions at which progress is reported
  /// Instead of the edges, one early edge whose fraction tells this length: the predictor `edge`
  /// then forecasts it, be it true or not.
  std::optional<double> told_s;
  double told_after_s =
      5e-3;       ///< when that edge comes, or at a tenth of the phase if that is sooner
  int parts = 0;  ///< pieces of the data that are finished one by one
  std::function<void(int)> finished;  ///< called when one is; not for the last
};

/// Passes the phase from `begin_s` on the clock; ends early when StopSignals::asked(). Returns
/// PAT's forecast of the phase's length midway between the last edge and the end, negative if there
/// was none: asking at the end would make the arrival later. What PAT refuses ends the job on
/// `comm`.
double run_phase(const Phase& phase, double begin_s, const GlobalClock& clock, MPI_Comm comm);

}  // namespace pat::measure
