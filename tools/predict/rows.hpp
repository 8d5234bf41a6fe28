#pragma once

#include <string>
#include <vector>

#include "tools/predict/subjects.hpp"
#include "tools/study/gain.hpp"
#include "tools/study/measures.hpp"

namespace pat::predict {

/// One line of the result.
struct Row {
  const Subject* subject = nullptr;
  std::string model, exchange;
  int rank = -1;  ///< -1: all of them
  study::Accuracy accuracy;
  study::Gain gain;
  double sent = 1.0;  ///< forecasts sent per rank and iteration
};

/// Replays every subject with every model and exchange, and simulates what that is worth; shows a
/// progress bar. The rows point into `subjects`.
std::vector<Row> rows_of(const Options& options, const std::vector<Subject>& subjects);

}  // namespace pat::predict
