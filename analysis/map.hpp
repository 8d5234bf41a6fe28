#pragma once

#include <vector>

#include "core/trace.hpp"

namespace pat {

/// Ranks x iterations, coloured by lateness: tiles of neighbours, each with its latest arrival, so
/// that no extreme is lost however large the run.
struct LatenessMap {
  int rows = 0, columns = 0;
  std::vector<double> latest_s;  ///< rows x columns; after the iteration's first arrival
  int first_rank(int row, int ranks) const { return static_cast<int>(long{row} * ranks / rows); }
  int first_iteration(int column, int iterations) const {
    return static_cast<int>(long{column} * iterations / columns);
  }
};

/// At most so many rows and columns.
LatenessMap map_of(const Trace& trace, int most_rows, int most_columns);

/// How often arrivals came so much after the first of their iteration.
struct Histogram {
  double width_s = 0.0;      ///< of a bin; 0 where all come at once
  std::vector<long> counts;  ///< of all ranks and iterations
};
Histogram histogram_of(const Trace& trace, int bins);

}  // namespace pat
