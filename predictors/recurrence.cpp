// Recurrence: a slow kind of phase that comes back at uneven distances (a rebuild of neighbour
// lists, an output). A phase is slow if it takes over 1.5 times the median of the 31 before it. How
// long ago the last slow one was says how likely one is next: of the past distances that were at
// least as long (each newer one made the older count less, by 0.98), the share that ended here. The
// forecast is the recent mean of the likelier kind, not of both: a schedule built for a phase
// between the two fits neither. Source: Kalbfleisch and Prentice, The Statistical Analysis of
// Failure Time Data, 2nd ed., 2002, 1.2 and 1.4 (discrete hazard and its estimate).

#include <algorithm>
#include <array>
#include <cmath>

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_recurrence {
namespace {

constexpr double slower = 1.5, forgetting = 0.98, gain = 0.2;
constexpr int usual_window = 31, longest = 64;

/// Exponentially weighted mean; the first value stands for itself.
struct Level {
  double mean_s = 0.0;
  bool known = false;
  void add(double x) {
    mean_s = known ? mean_s + gain * (x - mean_s) : x;
    known = true;
  }
};

class Recurrence : public HistoryModel {
 private:
  void learn(double computing_s) override {
    const bool slow = recent_.size() > 0 && computing_s > slower * recent_.median();
    recent_.push(computing_s);
    (slow ? slow_ : usual_).add(computing_s);
    since_ = std::min(since_ + 1, longest);
    if (!slow) return;
    for (double& count : distances_) count *= forgetting;
    if (begun_) distances_[place(since_)] += 1.0;
    begun_ = true;
    since_ = 0;
  }
  double predict(int steps) const override {
    const bool slow = slow_.known && share_that_end(steps) > 0.5;
    return (slow || !usual_.known ? slow_ : usual_).mean_s;
  }
  double spread(int) const override { return 1.1; }
  void forget_before_change() override {}  // levels follow, and distances are not what has changed
  void forget() override {
    recent_.clear();
    slow_ = usual_ = {};
    distances_ = {};
    since_ = 0;
    begun_ = false;
  }

  static std::size_t place(int distance) {
    return static_cast<std::size_t>(std::min(distance, longest) - 1);
  }
  /// Of the distances that are longer than the time since the last slow phase, the share that end
  /// `steps` from now.
  double share_that_end(int steps) const {
    double longer = 0.0;
    for (std::size_t i = place(since_ + 1); i < distances_.size(); ++i) longer += distances_[i];
    const int end = since_ + steps;
    return longer > 0.0 && end < longest ? distances_[place(end)] / longer : 0.0;
  }

  SortedWindow recent_{usual_window};
  Level usual_, slow_;
  std::array<double, longest> distances_{};  // at place(d): how many of d phases there were
  int since_ = 0;                            // phases since the last slow one
  bool begun_ = false;                       // there was a slow one
};

constexpr const char* usage = "recurrence";

}  // namespace

PAT_PREDICTOR(recurrence) {
  return {
      .name = "recurrence",
      .usage = usage,
      .idea =
          "of a usual and a slow kind of phase the one that is likelier so long after a slow one",
      .source = "Kalbfleisch and Prentice 2002, 1.2, 1.4",
      .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
        const Parameters parameters(numbers, usage, 0);
        return std::make_unique<Recurrence>();
      }};
}

}  // namespace pat::predictor_recurrence
