#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pat::simulate {

/// What the user asked for, as written.
struct Options {
  std::vector<std::string> methods = {"all"};
  std::string processors = "64";
  std::string distribution = "gamma";
  std::string cv;            ///< empty: what goes with the distribution
  std::string comp_ratio;    ///< empty: 0
  double mean = 1.0;         ///< of a communication
  std::string costs;         ///< a file; empty: all processors alike
  std::uint64_t runs = 10000, seed = 1;
  int figure = 0;  ///< 4, 5 or 6: a figure of seed 002; 0: none
  std::string format = "table";
  std::string plot;  ///< a picture; empty: none
  bool quiet = false;
};

/// Gives what the user left out (`given` says what was not) the values of the figure of seed 002.
/// Throws Error(argument) for a figure that there is not.
template <class Given>
void take_figure(Options& options, Given given);

}  // namespace pat::simulate
