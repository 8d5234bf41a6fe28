// Holt's linear trend: a level and a slope, both smoothed exponentially.
//   level <- a x + (1 - a)(level + slope),  slope <- b (change of level) + (1 - b) slope
// Source: Holt 1957; Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd
// ed., 8.2.

#include <algorithm>
#include <cmath>

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_holt {
namespace {

class Holt : public HistoryModel {
 public:
  Holt(double level_weight, double slope_weight) : a_(level_weight), b_(slope_weight) {}

 private:
  void learn(double computing_s) override {
    if (count_ < 1000) ++count_;
    if (count_ == 1) {
      level_ = computing_s;
      return;
    }
    const double before = level_;
    level_ += slope_ + std::max(a_, 1.0 / count_) * (computing_s - level_ - slope_);
    slope_ += b_ * (level_ - before - slope_);
  }
  double predict(int steps) const override { return level_ + steps * slope_; }
  void forget() override {
    count_ = 0;
    level_ = slope_ = 0.0;
  }

  double a_, b_;
  int count_ = 0;
  double level_ = 0.0, slope_ = 0.0;
};

constexpr const char* usage = "holt:a,b (0.001 to 1, default 0.3,0.1)";

}  // namespace

PAT_PREDICTOR(holt) {
  return {.name = "holt",
          .usage = usage,
          .idea = "level and slope, both smoothed",
          .source = "Holt 1957; Hyndman and Athanasopoulos 2021, 8.2",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 2);
            return std::make_unique<Holt>(parameters.real(0, 0.3, 0.001, 1.0),
                                          parameters.real(1, 0.1, 0.001, 1.0));
          }};
}

}  // namespace pat::predictor_holt
