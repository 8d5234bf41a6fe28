#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pat::simulation {

/// What the user asked for, as written; what is empty was left out.
struct Options {
  std::vector<std::string> methods;
  std::string processors, distribution, cv, comp_ratio;
  double mean = 1.0;  ///< of a communication
  std::string costs;  ///< a file
  std::uint64_t runs = 0, seed = 1;
  int figure = 0;  ///< 4, 5 or 6: a figure of seed 002; 0: none
  std::string format = "table";
  std::string plot;  ///< a picture
  bool quiet = false;
};

}  // namespace pat::simulation
