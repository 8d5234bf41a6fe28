#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"

namespace pat::study {

/// What a generator makes a trace of. Times in seconds. Every rank starts at 0, so that arrivals
/// are computing times.
struct GeneratorOptions {
  int ranks = 64;
  int iterations = 200;
  std::uint64_t seed = 1;
  double base_s = 0.1;     ///< computing time that all ranks share
  double spread_s = 0.02;  ///< how far apart ranks are: the unit of the distribution
  double noise = 0.25;     ///< what changes from iteration to iteration, in units of spread_s
  std::vector<double> ar = {0.8};  ///< coefficients, for ar and arma
  std::vector<double> ma = {};     ///< coefficients, for arma
  int period = 12;                 ///< iterations, for periodic
  int phase = 60;                  ///< mean iterations between changes, for regimes
  /// The best forecasts in place of the arrivals, for helsim: from all that was before, by one who
  /// knows the generator and its hidden course.
  bool expected = false;
};

struct Generator {
  std::string name;
  std::string idea;
  Trace (*make)(const GeneratorOptions& options) = nullptr;
  bool stationary = true;  ///< its intervals can be judged by their coverage
};

/// Every generator, in the order of the documentation.
const std::vector<Generator>& generators();

/// Makes a trace; the same options give the same trace on every machine. Throws Error(argument)
/// with a sentence for an unknown name (it lists the names there are) or impossible options.
Trace generate(std::string_view name, const GeneratorOptions& options);

}  // namespace pat::study
