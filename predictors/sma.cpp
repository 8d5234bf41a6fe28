// Simple moving average of the last w computing times.
// Source: seed 004 Section 4 and Fig. 5 (w = 5 fits the render times of Helsim).

#include <algorithm>
#include <cmath>

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_sma {
namespace {

class MovingAverage : public HistoryModel {
 public:
  explicit MovingAverage(int window) : values_(static_cast<std::size_t>(window)) {}

 private:
  void learn(double computing_s) override {
    if (values_.full()) sum_ -= values_.oldest();
    values_.push(computing_s);
    sum_ += computing_s;
    if (++since_summed_ < values_.capacity()) return;
    since_summed_ = 0;  // once a window, so that rounding errors do not pile up
    sum_ = 0.0;
    for (std::size_t age = 0; age < values_.size(); ++age) sum_ += values_.back(age);
  }
  double predict(int) const override { return sum_ / static_cast<double>(values_.size()); }
  double spread(int steps) const override {
    return std::sqrt(1.0 + static_cast<double>(steps - 1) / static_cast<double>(values_.size()));
  }
  void forget() override {
    values_.clear();
    sum_ = 0.0;
    since_summed_ = 0;
  }

  Window values_;
  double sum_ = 0.0;
  std::size_t since_summed_ = 0;
};

constexpr const char* usage = "sma:w (1 to 4096 phases, default 5)";

}  // namespace

PAT_PREDICTOR(sma) {
  return {
      .name = "sma",
      .usage = usage,
      .idea = "mean of the last w computing times",
      .source = "seed 004, Section 4, Fig. 5",
      .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
        return std::make_unique<MovingAverage>(Parameters(numbers, usage, 1).whole(0, 5, 1, 4096));
      }};
}

}  // namespace pat::predictor_sma
