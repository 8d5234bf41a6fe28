// Exponentially weighted moving average: level <- level + a (x - level).
// In the first phases the weight is 1 / n, so that the first value does not count for ever.
// Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 8.1.

#include <algorithm>
#include <cmath>

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_ewma {
namespace {

class Ewma : public HistoryModel {
 public:
  explicit Ewma(double weight) : weight_(weight) {}

 private:
  void learn(double computing_s) override {
    if (count_ < 1000) ++count_;
    level_ += std::max(weight_, 1.0 / count_) * (computing_s - level_);
  }
  double predict(int) const override { return level_; }
  /// Of the model for which the average is best: an ARIMA(0,1,1) with theta = a - 1.
  double spread(int steps) const override {
    return std::sqrt(1.0 + static_cast<double>(steps - 1) * weight_ * weight_);
  }
  void forget() override {
    count_ = 0;
    level_ = 0.0;
  }

  double weight_;
  int count_ = 0;
  double level_ = 0.0;
};

constexpr const char* usage = "ewma:a (0.001 to 1, default 0.3)";

}  // namespace

PAT_PREDICTOR(ewma) {
  return {.name = "ewma",
          .usage = usage,
          .idea = "average whose weights fall by 1 - a a phase",
          .source = "Hyndman and Athanasopoulos 2021, 8.1",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            return std::make_unique<Ewma>(Parameters(numbers, usage, 1).real(0, 0.3, 0.001, 1.0));
          }};
}

}  // namespace pat::predictor_ewma
