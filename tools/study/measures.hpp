#pragma once

#include "core/trace.hpp"
#include "tools/study/replay.hpp"

namespace pat::study {

/// How good forecasts were. Seconds unless said otherwise; averages over iterations and ranks.
struct Accuracy {
  double mae_s = 0.0;
  double rmse_s = 0.0;
  double mape_percent = 0.0;   ///< of the arrival time; arrivals at 0 are left out
  double bias_s = 0.0;         ///< forecast minus truth
  double kendall_tau = 0.0;    ///< of the order of arrival, mean over iterations
  double last_hit_rate = 0.0;  ///< share of iterations whose last arriver was foretold
  double coverage = 0.0;       ///< share of arrivals within the 90 % interval
  double width_s = 0.0;        ///< of the interval
  std::size_t count = 0;       ///< forecasts that were judged
};

/// Judges the iterations from `skip` on, all ranks. In kendall_tau and last_hit_rate, iterations in
/// which some rank had no forecast are left out; truths that tie for the last place all count.
Accuracy accuracy(const Trace& trace, const Replay& replay, int skip);
/// As accuracy, for one rank; the measures of order are 0.
Accuracy accuracy_of_rank(const Trace& trace, const Replay& replay, int skip, int rank);

}  // namespace pat::study
