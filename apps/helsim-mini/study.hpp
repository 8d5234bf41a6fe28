#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "collectives/cost/simulate.hpp"
#include "core/trace.hpp"

namespace helsim {

/// What one reduction does with the recorded render times, after seed 004, Section 7 and Table 5.
struct StudyRow {
  std::size_t bytes = 0;  ///< of one picture
  std::string algorithm;
  bool keeps_order = true;    ///< fit for the over operator too
  std::string pattern;        ///< what a schedule was built from: "-", a predictor, or "true"
  double run_time_s = 0.0;    ///< accumulated over the steps: last exit minus first arrival
  double balanced_s = 0.0;    ///< of one reduction when all arrive together
  double absorption_s = 0.0;  ///< mean over the steps (seed 004, Definition 3.6)
  double imbalance_s = 0.0;   ///< mean absolute imbalance of the steps
  int dropped = 0;            ///< steps that were measured and do not count
  std::string refused;        ///< why there are no numbers; empty if there are
};

/// How the numbers of a study came about.
struct StudyOrigin {
  std::string sentence;                                 ///< above the table
  std::string key;                                      ///< of the numbers in JSON
  std::vector<std::pair<std::string, double>> numbers;  ///< named with their units
};
StudyOrigin simulated_origin(const pat::CostModel& model);

/// Simulates every registered reduction for every message size on the arrivals of the trace.
/// Algorithms that look at the pattern get the predictors' and the true one. Throws
/// pat::Error(argument) for fewer than two ranks and as check_picture_sizes().
std::vector<StudyRow> study(const pat::Trace& trace, const std::vector<std::size_t>& sizes,
                            const std::vector<std::string>& predictors,
                            const pat::CostModel& model);

/// Throws pat::Error(argument) for a size that is no picture: less than a pixel, or more than MPI
/// counts.
void check_picture_sizes(const std::vector<std::size_t>& sizes);

/// The patterns that a predictor would have announced, step by step: ranks x steps computing times
/// in, one arrival pattern per step out. A step before the model knows anything is flat.
std::vector<pat::ArrivalPattern> predicted_patterns(const pat::Trace& trace,
                                                    const std::string& predictor);

/// `format` is table, csv or json.
void print_study(const std::vector<StudyRow>& rows, const StudyOrigin& origin,
                 const std::string& format, std::ostream& out);

/// Message sizes of seed 004: 128 KiB to 40 MiB.
std::vector<std::size_t> seed_004_sizes();

/// sma:5, arma and ensemble, as far as they are registered, and `extra` if it is not empty.
std::vector<std::string> study_predictors(const std::string& extra);

}  // namespace helsim
