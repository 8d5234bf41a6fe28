#pragma once

#include <functional>
#include <vector>

#include "tools/predict/rows.hpp"

namespace pat::predict {

/// A column of the result: its name with the unit, its heading in the table, its value.
struct Column {
  const char* name;
  const char* heading;
  int digits;     ///< after the point in the table, fewer for large numbers
  double factor;  ///< for the table
  bool of_ranks;  ///< also of single ones
  std::function<double(const Row&)> value;
};

/// How good the forecasts were.
extern const std::vector<Column> accuracy_columns;
/// What they were worth in the simulation.
extern const std::vector<Column> gain_columns;

/// Whether the row has a number in this column.
bool applies(const Row& row, const Column& column);

}  // namespace pat::predict
