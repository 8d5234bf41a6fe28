#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/nonclairvoyant/monte_carlo.hpp"
#include "collectives/nonclairvoyant/theory.hpp"
#include "tools/simulate/plan.hpp"

namespace pat::simulation {

/// One line of the result: a method in one cell of the plan.
struct Row {
  int processors;
  double cv, comp_ratio;
  nonclairvoyant::Outcome outcome;
  std::optional<nonclairvoyant::Expectation> theory;  ///< where it is known
};

struct Rows {
  std::vector<Row> rows;               ///< cell by cell, the methods in the order of the plan
  std::uint64_t done = 0, wanted = 0;  ///< runs
  bool stopped() const { return done < wanted; }
};

/// Simulates the plan and shows a progress bar. Ctrl-C ends it; what is done by then is returned.
Rows rows_of(const Plan& plan, bool quiet);

}  // namespace pat::simulation
