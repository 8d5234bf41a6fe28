#include "tools/study/measures.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/statistics.hpp"

namespace pat::study {
namespace {

/// Sums of the errors, one value at a time.
class Errors {
 public:
  void add(double truth_s, double forecast_s, double lower_s, double upper_s) {
    const double error = forecast_s - truth_s;
    sum_.mae_s += std::abs(error);
    sum_.rmse_s += error * error;
    sum_.bias_s += error;
    if (truth_s > 0.0) {
      sum_.mape_percent += 100.0 * std::abs(error) / truth_s;
      ++with_truth_;
    }
    // Half a nanosecond is the resolution of a trace.
    sum_.coverage += truth_s >= lower_s - 0.5e-9 && truth_s <= upper_s + 0.5e-9 ? 1.0 : 0.0;
    sum_.width_s += upper_s - lower_s;
    ++sum_.count;
  }
  Accuracy mean() const {
    Accuracy result = sum_;
    const double n = std::max<double>(1.0, static_cast<double>(sum_.count));
    result.mae_s /= n;
    result.rmse_s = std::sqrt(sum_.rmse_s / n);
    result.bias_s /= n;
    result.coverage /= n;
    result.width_s /= n;
    result.mape_percent /= std::max<double>(1.0, static_cast<double>(with_truth_));
    return result;
  }

 private:
  Accuracy sum_;
  std::size_t with_truth_ = 0;
};

void add(Errors& errors, const Trace& trace, const Replay& replay, int iteration, int rank) {
  const auto at = static_cast<std::size_t>(iteration) * static_cast<std::size_t>(trace.ranks) +
                  static_cast<std::size_t>(rank);
  if (replay.known[at] == 0) return;
  errors.add(trace.arrival_s[at], replay.arrival_s[at], replay.lower_s[at], replay.upper_s[at]);
}

}  // namespace

Accuracy accuracy(const Trace& trace, const Replay& replay, int skip) {
  Errors errors;
  double tau = 0.0, hits = 0.0, judged = 0.0;
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  for (int i = skip; i < trace.iterations(); ++i) {
    for (int rank = 0; rank < trace.ranks; ++rank) add(errors, trace, replay, i, rank);
    const std::size_t begin = static_cast<std::size_t>(i) * ranks;
    const std::span truth = trace.row(i);
    const std::span forecast = std::span(replay.arrival_s).subspan(begin, ranks);
    const std::span known = std::span(replay.known).subspan(begin, ranks);
    if (std::count(known.begin(), known.end(), 0) > 0) continue;
    judged += 1.0;
    tau += kendall_tau(truth, forecast);
    const auto last = std::max_element(forecast.begin(), forecast.end()) - forecast.begin();
    hits += truth[static_cast<std::size_t>(last)] == *std::max_element(truth.begin(), truth.end());
  }
  Accuracy result = errors.mean();
  result.kendall_tau = judged > 0.0 ? tau / judged : 0.0;
  result.last_hit_rate = judged > 0.0 ? hits / judged : 0.0;
  return result;
}

Accuracy accuracy_of_rank(const Trace& trace, const Replay& replay, int skip, int rank) {
  Errors errors;
  for (int i = skip; i < trace.iterations(); ++i) add(errors, trace, replay, i, rank);
  return errors.mean();
}

}  // namespace pat::study
