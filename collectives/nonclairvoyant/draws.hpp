#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <span>
#include <string>

namespace pat::nonclairvoyant {

enum class Distribution { constant, exponential, gamma };

/// Throws Error(argument) that lists what there is.
Distribution distribution_of(const std::string& name);
const char* name(Distribution distribution);

/// Random costs of one kind of operation. Gamma: shape 1 / cv^2, scale mean cv^2.
struct CostLaw {
  Distribution distribution = Distribution::constant;
  double mean = 1.0;  ///< 0: they cost nothing
  double cv = 0.0;    ///< standard deviation over mean, of gamma; 0: constant
};

/// Random numbers that (seed, number) names, whatever thread draws them. Not thread-safe.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t number);
  /// Draws every element.
  void draw(const CostLaw& law, std::span<double> costs);

 private:
  boost::random::mt19937_64 generator_;
};

}  // namespace pat::nonclairvoyant
