#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pat::fft {

/// One call on one process; seconds on the clock that all processes share.
struct Times {
  double start_s = 0.0;    ///< the computing phase began
  double edge_s = 0.0;     ///< half of it was done
  double end_s = 0.0;      ///< it ended
  double arrival_s = 0.0;  ///< the gather was entered
  double exit_s = 0.0;     ///< the gather was left
};

/// One transform of one block by one algorithm.
struct Call {
  int algorithm = 0;         ///< index into the list that was asked for
  std::size_t pattern = 0;   ///< which delays it had: each algorithm has each once
  double total_s = 0.0;      ///< from the block to its spectrum, at the master
  std::vector<Times> ranks;  ///< one per process
};

/// A row of the comparison (seed 001, Table 5).
struct Summary {
  std::string algorithm;
  std::size_t calls = 0;
  double total_s = 0.0;      ///< sum over the calls
  double computing_s = 0.0;  ///< mean computing phase over calls and processes
  double run_time_s = 0.0;   ///< mean over the calls of last exit minus first arrival
  double elapsed_s = 0.0;    ///< mean over calls and processes of exit minus arrival
  double added_s = 0.0;      ///< median over the calls of last exit minus last arrival: the part of
                             ///< the run time that is not the imbalance itself
  /// Median run time over that of the first algorithm, with its 95 % interval, the calls with the
  /// same delays taken together (core/inference.hpp). 1, 1, 1 for the first one.
  double ratio = 1.0, ratio_low = 1.0, ratio_high = 1.0;
};

/// One row for each algorithm, in the order of `algorithms`.
std::vector<Summary> summarise(std::span<const Call> calls,
                               std::span<const std::string> algorithms);

/// How well a model would have predicted the calls, each process on its own.
struct Score {
  std::string model;
  double mean_absolute_error_s = 0.0;  ///< of the computing time, at the edge
  double last_arriver_share = 0.0;     ///< how often the last arriver was predicted, 0 to 1
  std::size_t forecasts = 0;           ///< how many errors the mean is over
  std::size_t orders = 0;              ///< how many calls the share is over
};

/// Runs the models of the predictors library over the calls in their order, all on the same data;
/// a model that uses edges sees the one at half of the work. Throws Error(argument) for a model
/// that does not exist.
std::vector<Score> score_models(std::span<const Call> calls, std::span<const std::string> models);

}  // namespace pat::fft
