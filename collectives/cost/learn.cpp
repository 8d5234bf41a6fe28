#include "collectives/cost/learn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace pat {
namespace {

/// What one call tells of how much calls differ, as a share of all that is known of it, and how
/// many standard deviations of a surprise count.
constexpr double noise_weight = 1.0 / 16.0, most_noise = 3.0;
/// What a price may drift from one call to the next that shows it, likewise.
constexpr double drift_sd = 0.02;
/// What it may drift while others are taken, for each of their calls, and how uncertain that makes
/// it at most: what was slow in its first calls is tried again.
constexpr double ageing_sd = 0.01, aged_sd = 0.25;
/// Surprises beyond so many standard deviations are taken for so many.
constexpr double most_surprise = 2.5;
/// Of a call in which less lies beyond the last arrival nothing is concluded that no accident is.
constexpr double least_share = 0.3;
/// The first call of a way that is learnt from may be slow for being one of its first (cold pages,
/// links that were not in use): what it took beyond so many standard deviations is that uncertain.
constexpr double usual_surprise = 0.5;
/// A correction beyond this says that something else was measured.
const double most_log = std::log(64.0);

/// How far corrections of two streams of one size lie apart, and of two sizes for each doubling, as
/// standard deviations of the logarithm; and how far sizes may be apart.
constexpr double stream_sd = 0.1, doubling_sd = 0.1, most_doublings = 2.0;

/// How often the filter looks from where its step has led.
constexpr int looks = 3;

/// By how much the logarithm of a time grows when the price that `share` of it goes with grows by
/// `moved`, of the logarithm; and what its share is then.
double longer_by(double share, double moved) {
  return std::log1p(share * std::expm1(moved));
}
double share_after(double share, double moved) {
  return share * std::exp(moved - longer_by(share, moved));
}

/// The share of a time that goes with a price grows with it: where a call tells that it was far too
/// low, it is that of what was seen that counts. Puts in place of both what a step of the filter is
/// to take them for, from where it leads to.
void look_closely(double& surprise, double& share, double variance, double noise) {
  const double most_moved = most_surprise * std::sqrt(variance);
  const double highest = std::hypot(most_surprise * noise, longer_by(share, most_moved));
  const double lowest = -std::hypot(most_surprise * noise, share * most_moved);
  surprise = std::clamp(surprise, lowest, highest);
  double moved = 0.0;
  for (int look = 0; look < looks; ++look) {
    const double seen = share_after(share, moved);
    const double gain = seen * variance / (seen * seen * variance + noise * noise);
    const double left = surprise - longer_by(share, moved);
    moved = std::clamp(gain * (left + seen * moved), -most_moved, most_moved);
  }
  const double seen = share_after(share, moved);
  surprise += seen * moved - longer_by(share, moved);
  share = seen;
}

/// How much of `surprise` may be there because the way is new to this run, whatever earlier ones
/// have measured. Of one alone nothing: its plans go
/// by it, and one for links that are too fast costs more than one for too slow ones.
double start_up(const Prices& prices, std::size_t way, double surprise) {
  if (prices.candidates.size() < 2 || prices.beliefs.was_called(way)) return 0.0;
  const double usual = std::hypot(prices.beliefs.sd(way), prices.beliefs.noise_sd());
  return std::max(0.0, surprise - usual_surprise * usual);
}

}  // namespace

Beliefs::Beliefs(std::vector<Prior> priors, double common_sd, Prior shared) {
  shared.measured = true;
  priors.push_back(shared);
  for (const Prior& prior : priors) log_.push_back(std::log(prior.correction));
  called_.assign(priors.size(), false);
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = 0; j < size(); ++j) {
      const bool common = !priors[i].measured && !priors[j].measured;
      covariance_.push_back((common ? common_sd * common_sd : 0.0) +
                            (i == j ? priors[i].own_sd * priors[i].own_sd : 0.0));
    }
}

Beliefs::Beliefs(std::vector<Prior> priors, double common_sd)
    : Beliefs(std::move(priors), common_sd, Prior{}) {}

double Beliefs::correction(std::size_t way) const {
  return std::exp(std::clamp(log_[way], -most_log, most_log));
}

double Beliefs::sd_against(std::size_t way, std::size_t other) const {
  return std::sqrt(std::max(0.0, at(way, way) + at(other, other) - 2.0 * at(way, other)));
}

double Beliefs::step_against(std::size_t way, std::size_t other) const {
  const double sd = std::hypot(std::sqrt(std::max(0.0, at(way, way))), noise_sd());
  return std::abs(at(way, way) - at(way, other)) / sd;
}

void Beliefs::age() {
  for (std::size_t way = 0; way < size(); ++way)
    if (way != MpiPrice::way && way != shared_way() && at(way, way) < aged_sd * aged_sd)
      covariance_[way * size() + way] += ageing_sd * ageing_sd;
}

void Beliefs::observe(std::size_t way, double surprise, double share, double noise,
                      double shared_share) {
  covariance_[way * size() + way] += drift_sd * drift_sd;
  look_closely(surprise, share, at(way, way), std::hypot(noise, shared_share * sd(shared_way())));
  std::vector<double> column(size());
  for (std::size_t i = 0; i < size(); ++i)
    column[i] = at(i, way) * share + at(i, shared_way()) * shared_share;
  const double expected = share * column[way] + shared_share * column[shared_way()] + noise * noise;
  for (std::size_t i = 0; i < size(); ++i) {
    log_[i] += column[i] * surprise / expected;
    for (std::size_t j = 0; j < size(); ++j)
      covariance_[i * size() + j] -= column[i] * column[j] / expected;
  }
}

void Beliefs::observe_call(std::size_t way, double surprise, double share, double error,
                           double shared_share) {
  called_[way] = true;
  const double noise = std::hypot(noise_sd(), error);
  // What the prices' own doubt explains says nothing of chance (the score of a normal variance).
  const double expected =
      share * share * at(way, way) + 2.0 * share * shared_share * at(way, shared_way()) +
      shared_share * shared_share * at(shared_way(), shared_way()) + noise * noise;
  // By accident a call is slow, not fast: what it was taken to cost was wrong.
  if (share > least_share && surprise < -most_surprise * std::sqrt(expected)) {
    covariance_[way * size() + way] += 0.25 * surprise * surprise / (share * share);
    return observe(way, surprise, share, noise, shared_share);
  }
  const double beyond =
      std::min(surprise * surprise, most_noise * most_noise * expected) - expected;
  observe(way, surprise, share, noise, shared_share);
  const double weight = noise_weight * (noise_ / expected);
  noise_ = std::max(least_noise_sd * least_noise_sd, noise_ + weight * beyond);
}

int samples_needed(const Beliefs& beliefs) {
  const double ratio = beliefs.noise_sd() / Beliefs::least_noise_sd;
  return std::max(1, static_cast<int>(ratio * ratio));
}

void take_over(Prices& prices) {
  prices.model.shared = prices.shared.times(prices.beliefs.shared_correction());
  prices.mpi.correction = prices.beliefs.correction(MpiPrice::way);
  for (Candidate& candidate : prices.candidates) {
    candidate.correction = prices.beliefs.correction(candidate.way);
    candidate.log_sd = prices.beliefs.sd_against(candidate.way, MpiPrice::way);
    candidate.log_step = prices.beliefs.step_against(candidate.way, MpiPrice::way);
    candidate.mpi_log_step = prices.beliefs.step_against(MpiPrice::way, candidate.way);
  }
}

void learn(Prices& prices, std::size_t way, const Observed& call) {
  if (!(call.run_time_s > 0.0) || !(call.simulated_s > 0.0) || !std::isfinite(call.run_time_s))
    return;
  prices.beliefs.age();
  const double surprise = std::log(call.run_time_s / call.simulated_s);
  const double error = std::hypot(call.error_s / call.simulated_s, start_up(prices, way, surprise));
  const double share = std::clamp(1.0 - call.spread_s / call.simulated_s, 0.0, 1.0);
  prices.beliefs.observe_call(way, surprise, share, error, std::min(share, call.shared_share));
  take_over(prices);
  if (way == MpiPrice::way) ++prices.mpi.samples;
  for (Candidate& candidate : prices.candidates)
    if (candidate.way == way) ++candidate.samples;
}

double spread_of(std::size_t bytes, std::size_t other_bytes) {
  if ((bytes == 0) != (other_bytes == 0)) return std::numeric_limits<double>::infinity();
  const double doublings =
      bytes == 0
          ? 0.0
          : std::abs(std::log2(static_cast<double>(bytes) / static_cast<double>(other_bytes)));
  if (doublings > most_doublings + 1e-9) return std::numeric_limits<double>::infinity();
  return stream_sd + doubling_sd * doublings;
}

double hear(Prices& prices, const Problem& problem, const std::vector<Calibration::Learnt>& others,
            std::set<std::size_t>& heard) {
  const std::size_t bytes = problem.units * problem.unit_bytes;
  const auto hear_of = [&](const std::string& algorithm, int window, std::size_t way,
                           const std::string& stand_in) {
    const Calibration::Learnt* nearest = nullptr;
    double least_sd = std::numeric_limits<double>::infinity();
    for (const Calibration::Learnt& one : others) {
      const double sd = spread_of(bytes, one.block_bytes);
      if (one.operation != problem.operation || one.ranks != problem.ranks || one.samples == 0 ||
          one.algorithm != algorithm || one.window != window || one.stand_in != stand_in ||
          sd >= least_sd)
        continue;
      nearest = &one;
      least_sd = sd;
    }
    if (nearest == nullptr || !heard.insert(way).second) return 0.0;
    const double before = std::log(prices.beliefs.correction(way));
    prices.beliefs.observe(way, std::log(nearest->correction) - before, 1.0,
                           std::hypot(least_sd, nearest->log_sd));
    take_over(prices);
    return std::abs(std::log(prices.beliefs.correction(way)) - before);
  };
  double moved = 0.0;
  if (prices.shared.any())
    moved = hear_of(Calibration::Learnt::shared, 0, prices.beliefs.shared_way(), "");
  if (prices.mpi.stand_in != nullptr && prices.mpi.samples == 0)
    moved = std::max(moved, hear_of("mpi", 0, MpiPrice::way, prices.mpi.stand_in->name));
  for (const Candidate& one : prices.candidates)
    if (one.samples == 0 && one.reading == Reading::exact)
      moved = std::max(moved, hear_of(one.algorithm->name, one.window, one.way, ""));
  return moved;
}

}  // namespace pat
