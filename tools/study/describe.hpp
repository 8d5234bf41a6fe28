#pragma once

#include <vector>

#include "core/trace.hpp"

namespace pat::study {

/// What a trace is like. Seconds unless said otherwise.
struct Description {
  int ranks = 0;
  int iterations = 0;
  double mean_arrival_s = 0.0;
  double mean_imbalance_s = 0.0;  ///< latest minus earliest arrival (seed 004 Def. 3.5)
  double max_imbalance_s = 0.0;
  double imbalance_factor = 0.0;          ///< mean of imbalance_factors
  std::vector<double> imbalance_factors;  ///< per iteration: latest arrival over mean arrival
  std::vector<double> imbalances_s;       ///< per iteration: latest minus earliest arrival
  double within_rank_s = 0.0;    ///< standard deviation over the iterations, mean over ranks
  double between_ranks_s = 0.0;  ///< standard deviation of the ranks' means
  double skewness = 0.0;  ///< of an iteration's arrivals, mean; above 0: few late, below: few early
  double order_persistence = 0.0;       ///< Kendall's tau of the orders of neighbouring iterations
  std::vector<double> autocorrelation;  ///< of a rank's arrivals, mean over ranks; from lag 0
  double serial_share = 0.0;  ///< share of ranks whose runs test rejects independence at 5 %
  double runs_z = 0.0;        ///< mean over ranks of the runs test's z
};

Description describe(const Trace& trace, int max_lag = 40);

}  // namespace pat::study
