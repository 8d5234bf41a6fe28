#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/nonclairvoyant/draws.hpp"
#include "collectives/nonclairvoyant/method.hpp"
#include "tools/simulate/options.hpp"

namespace pat::simulation {

/// What is simulated: all methods, with each number of processors, coefficient of variation and
/// ratio of computing to communication.
struct Plan {
  std::vector<std::string> methods;
  std::vector<int> processors;
  nonclairvoyant::Distribution distribution = nonclairvoyant::Distribution::gamma;
  std::vector<double> cvs, comp_ratios;
  double mean = 1.0;
  std::optional<nonclairvoyant::Platform> platform;  ///< of processors that differ
  std::uint64_t runs = 10000, seed = 1;

  std::size_t cells() const { return processors.size() * cvs.size() * comp_ratios.size(); }
  /// cvs and comp_ratios span a plane.
  bool is_map() const { return cvs.size() > 1 && comp_ratios.size() > 1; }
};

/// Reads the lists and the file, puts in what was left out, that of a figure if one is asked for.
/// Throws Error(argument) for what there is not and for options that exclude each other, Error(io)
/// for the file.
Plan plan_of(const Options& options);

}  // namespace pat::simulation
