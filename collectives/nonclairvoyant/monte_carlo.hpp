#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/nonclairvoyant/draws.hpp"
#include "collectives/nonclairvoyant/method.hpp"
#include "collectives/nonclairvoyant/moments.hpp"
#include "collectives/nonclairvoyant/sketch.hpp"

namespace pat::nonclairvoyant {

/// What is simulated again and again.
struct Setting {
  int processors = 64;
  CostLaw communication, computation;
  const Platform* platform = nullptr;  ///< what the two are factors of; none: they are costs
  std::vector<std::string> methods;
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
};

/// When one method was done.
struct Outcome {
  std::string method;
  Moments time;
  QuantileSketch quantiles;
  /// Within 0.1 % of itself.
  double quantile(double q) const {
    return std::clamp(quantiles.quantile(q), time.least(), time.greatest());
  }
};

/// Told how many runs are done, says whether to go on; asked between some thousand runs.
using Watch = std::function<bool(std::uint64_t done)>;

/// Runs all methods with common random numbers: in each run the k-th communication that begins
/// costs the same for all of them, and so does the k-th computation (Benoit, Canon, Marchal 2013,
/// Section 6). Uses as many threads as OpenMP gives; the outcome does not depend on their number.
/// Memory does not grow with the runs. Stops early where `watch` says so; the outcome then is that
/// of the runs done.
std::vector<Outcome> simulate(const Setting& setting, const Watch& watch = {});

}  // namespace pat::nonclairvoyant
