#include "collectives/cost/learn.hpp"

#include <algorithm>
#include <cmath>

namespace pat {
namespace {

/// How far the times of two equal calls lie apart, as a standard deviation of the logarithm.
constexpr double noise_sd = 0.12;
/// What a price may drift from one call to the next that shows it, likewise.
constexpr double drift_sd = 0.02;
/// Surprises beyond so many standard deviations are taken for so many.
constexpr double most_surprise = 2.5;
/// A correction beyond this says that something else was measured.
constexpr double least_correction = 1.0 / 64.0, most_correction = 64.0;

template <class Priced>
void correct(Priced& price, const Observed& call) {
  if (!(call.run_time_s > 0.0) || !(call.simulated_s > 0.0) || !std::isfinite(call.run_time_s))
    return;
  const double share = std::clamp(1.0 - call.spread_s / call.simulated_s, 0.0, 1.0);
  const double before = price.log_sd * price.log_sd + drift_sd * drift_sd;
  const double noise = std::hypot(noise_sd, call.error_s / call.simulated_s);
  const double expected = share * share * before + noise * noise;
  const double most = most_surprise * std::sqrt(expected);
  const double surprise = std::clamp(std::log(call.run_time_s / call.simulated_s), -most, most);
  const double weight = before * share / expected;
  price.correction =
      std::clamp(price.correction * std::exp(weight * surprise), least_correction, most_correction);
  price.log_sd = std::sqrt(before * (1.0 - weight * share));
  ++price.samples;
}

}  // namespace

void learn(Candidate& candidate, const Observed& call) {
  correct(candidate, call);
}

void learn(MpiPrice& mpi, const Observed& call) {
  correct(mpi, call);
}

}  // namespace pat
