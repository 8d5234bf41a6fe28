#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/cost/simulate.hpp"
#include "collectives/operation.hpp"
#include "core/errors.hpp"

namespace pat::schedule {

/// What the user asked for, as written on the command line.
struct Request {
  bool list = false, verify = false;
  std::optional<std::string> operation;
  std::string algorithm, generator, order, window;
  std::string arrivals, arrivals_file, cost, shared, draw, size = "900x500", format;
  std::optional<int> ranks, segments, variant, root;
  std::vector<int> factors;
  std::optional<long long> count, type_bytes;
  std::optional<double> round_s;
  std::vector<std::string> slow_links;  ///< "7:10": rank 7's takes ten times as long
  bool unaware = false;                 ///< of these the builder knows nothing
};

/// A wrong option: Error(argument) with this sentence.
Error usage(const std::string& sentence);

/// The operation that is asked for, reduce if none is. Throws usage() for another name.
Operation operation_of(const Request& request);

/// What --simulate and --slow-link give, else the default. Throws usage() for what makes no sense.
CostModel cost_of(const Request& request);

}  // namespace pat::schedule
