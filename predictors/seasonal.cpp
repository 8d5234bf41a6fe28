// Seasonal: finds the period from the autocorrelation and takes the mean of the last values at the
// same place in it, newest first with weights 1/2, 1/4, 1/8 ...; without a period, the mean of the
// window. Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 2.8
// (periods in the autocorrelogram), 5.2 (seasonal naive) and 8.3 (smoothed seasons).

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_seasonal {
namespace {

constexpr int window = 256, longest_period = window / 3, every = 32;

/// The lag of the highest peak of the autocorrelogram that stands out of noise (three times its
/// standard error 1/sqrt(n)), 0 if there is none. Of the multiples of a period, the first that is
/// nearly as high as the highest.
int find_period(const std::vector<double>& sample) {
  const int longest = std::min(longest_period, static_cast<int>(sample.size()) / 3);
  const std::vector<double> r = autocorrelation(sample, longest + 1);
  const double noise = 3.0 / std::sqrt(static_cast<double>(sample.size()));
  const auto is_peak = [&](int lag) {
    const auto i = static_cast<std::size_t>(lag);
    return r[i] > noise && r[i] > r[i - 1] && r[i] >= r[i + 1];
  };
  double highest = 0.0;
  for (int lag = 2; lag <= longest; ++lag)
    if (is_peak(lag)) highest = std::max(highest, r[static_cast<std::size_t>(lag)]);
  for (int lag = 2; lag <= longest; ++lag)
    if (is_peak(lag) && r[static_cast<std::size_t>(lag)] >= 0.85 * highest) return lag;
  return 0;
}

class Seasonal : public HistoryModel {
 public:
  explicit Seasonal(int period) : given_(period), period_(period) {}

 private:
  void learn(double computing_s) override {
    if (values_.full()) sum_ -= values_.oldest();
    values_.push(computing_s);
    sum_ += computing_s;
    if (given_ > 0 || ++since_search_ < std::clamp(static_cast<int>(values_.size()) / 2, 6, every))
      return;
    since_search_ = 0;
    const std::vector<double> sample = values_.to_vector();
    sum_ = mean(sample) * static_cast<double>(sample.size());
    period_ = find_period(sample);
  }

  double predict(int steps) const override {
    if (period_ == 0 || values_.size() < static_cast<std::size_t>(period_))
      return sum_ / static_cast<double>(values_.size());
    double value = 0.0, weights = 0.0, weight = 1.0;
    const int offset = (steps - 1) % period_;
    for (int age = period_ - 1 - offset; age < static_cast<int>(values_.size()) && weight > 0.01;
         age += period_, weight *= 0.5) {
      value += weight * values_.back(static_cast<std::size_t>(age));
      weights += weight;
    }
    return value / weights;
  }
  double spread(int) const override { return 1.0; }

  void forget() override {
    values_.clear();
    sum_ = 0.0;
    period_ = given_;
    since_search_ = 0;
  }

  int given_;  // 0: to be found
  int period_;
  Window values_{window};
  double sum_ = 0.0;
  int since_search_ = 0;
};

constexpr const char* usage = "seasonal:s (period of 2 to 85 phases, default: found)";

}  // namespace

PAT_PREDICTOR(seasonal) {
  return {.name = "seasonal",
          .usage = usage,
          .idea = "values at the same place in earlier periods",
          .source = "Hyndman and Athanasopoulos 2021, 2.8, 5.2, 8.3",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 1);
            return std::make_unique<Seasonal>(
                parameters.size() == 0 ? 0 : parameters.whole(0, 2, 2, longest_period));
          }};
}

}  // namespace pat::predictor_seasonal
