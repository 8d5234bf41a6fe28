#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/trace.hpp"
#include "tools/study/replay.hpp"

namespace pat::study {

/// The collective whose schedules are built from forecasts.
struct GainOptions {
  Operation operation = Operation::reduce;
  std::string algorithm = "clairvoyant";  ///< built from the forecast
  std::string against = "bnom";           ///< what would be used without one
  std::size_t bytes = std::size_t{16} << 20;
  int segments = 1;
  int against_segments = 0;  ///< of `against`; 0: as many
  int root = 0;
  /// Only where select() expects a gain over `against`, as `auto` does: the mean over patterns
  /// drawn within the forecast's intervals; `against` elsewhere.
  bool only_if_sure = false;
  CostModel model = {};
  bool operation_told = true, bytes_told = true;  ///< false: it is assumed
};

/// Sets the operation, the root and the size: as given, else as the trace's head says (PAT_TRACE
/// writes what was called; "before MPI_Allreduce" tells the operation alone), else what `options`
/// has; the operation else reduce. And whether they were told.
void choose_call(GainOptions& options, const std::optional<Operation>& operation,
                 const std::optional<std::size_t>& bytes, const Trace& trace);

/// "gather, scatter or reduce": the operations whose rows name algorithms to compare.
std::string operations_to_study();

/// "sls, slin or clairvoyant": what they name, &StudiedPair::informed or &StudiedPair::plain.
std::string studied_algorithms(std::string_view StudiedPair::*which);

/// Fills in the algorithms that are empty with those which the operation's row names; where
/// operation and size were told, `against` with what stands for MPI's own (price_mpi). Throws
/// Error(argument) for those that there are not, and for operations that have none to simulate.
void choose_algorithms(GainOptions& options, int ranks);

/// Mean run times (last exit minus first arrival, seed 001 Eq. 1) over the iterations judged.
struct Gain {
  double against_s = 0.0;   ///< without a forecast
  double forecast_s = 0.0;  ///< schedule built from the forecast
  double perfect_s = 0.0;   ///< schedule built from the true arrivals
  double taken = 0.0;       ///< share of iterations in which the forecast was acted on
  double lost_s() const { return forecast_s - perfect_s; }
  /// Share of the gain with the true arrivals that the forecast keeps; NaN where there is nothing
  /// to gain. Algorithms are greedy: the schedule from the true arrivals need not be the best one,
  /// and where the forecast chanced upon a better one it keeps more than all.
  double kept() const {
    const double possible = against_s - perfect_s;
    return possible > 1e-12 * against_s ? (against_s - forecast_s) / possible
                                        : std::numeric_limits<double>::quiet_NaN();
  }
};

/// Simulates every iteration from `skip` on. Throws Error(argument) for algorithms that there are
/// not.
Gain gain(const Trace& trace, const Replay& replay, int skip, const GainOptions& options,
          const Progress& progress = {});

}  // namespace pat::study
