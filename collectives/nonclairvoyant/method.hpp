#pragma once

// The reduction algorithms of Benoit, Canon, Marchal 2013 in its model of a platform
// (Section 3.1): each processor holds one value; to send it takes d(i,j), to combine what was
// received with one's own c(i). A processor receives one value at a time and sends at most once.
// The result may end anywhere.

#include <memory>
#include <string>
#include <vector>

#include "collectives/nonclairvoyant/costs.hpp"

namespace pat::nonclairvoyant {

/// One algorithm on a number of processors, ready to be run again and again. Not thread-safe.
class Method {
 public:
  virtual ~Method() = default;
  /// When the result is there, all beginning at 0, in the unit of the costs. Deterministic.
  virtual double run(const Costs& costs) = 0;
};

struct MethodInfo {
  const char* name;
  const char* idea;
  const char* source;
  bool ordered;   ///< only neighbouring values are combined: for operations that do not commute
  bool of_paper;  ///< one of the four of Benoit, Canon, Marchal 2013
  std::unique_ptr<Method> (*make)(int processors);
};

/// All of them, the paper's first.
const std::vector<MethodInfo>& methods();

/// Throws Error(argument) that lists what there is.
const MethodInfo& get_method(const std::string& name);

}  // namespace pat::nonclairvoyant
