// Autoregression AR(p) over a window of 256 phases, estimated by Burg's method every 16 phases; the
// order is the one of least AICc up to 8 when none is given.
// Source: Brockwell and Davis, Introduction to Time Series and Forecasting, 3rd ed., 5.1.2
// and 5.5.2.

#include <algorithm>
#include <array>
#include <cmath>

#include "predictors/ar_fit.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_ar {
namespace {

constexpr int window = 256, every = 16, max_order = 16, max_chosen_order = 8;

class Autoregression : public HistoryModel {
 public:
  explicit Autoregression(int order) : order_(order) {}

 private:
  void learn(double computing_s) override {
    values_.push(computing_s);
    // Often at first, when each value says much about the coefficients.
    const int due = std::clamp(static_cast<int>(values_.size()) / 4, 2, every);
    if (++since_fit_ < due) return;
    since_fit_ = 0;
    const std::vector<double> sample = values_.to_vector();
    const int affordable = static_cast<int>(sample.size()) / 6;  // six values a coefficient
    fit_ = order_ > 0 ? fit_burg(sample, std::min(order_, affordable))
                      : fit_burg_aicc(sample, std::min(max_chosen_order, affordable));
    fitted_ = true;
  }

  double predict(int steps) const override {
    if (!fitted_) return values_.back(0);
    const std::size_t order = fit_.coefficient.size();
    std::array<double, max_order> lag{};  // newest first, around the mean
    for (std::size_t i = 0; i < order; ++i) lag[i] = values_.back(i) - fit_.mean;
    double next = 0.0;
    for (int step = 0; step < steps; ++step) {
      next = 0.0;
      for (std::size_t i = 0; i < order; ++i) next += fit_.coefficient[i] * lag[i];
      std::copy_backward(lag.begin(), lag.end() - 1, lag.end());
      lag[0] = next;
    }
    return fit_.mean + next;
  }

  double spread(int steps) const override {
    std::array<double, max_order> response{1.0};  // newest first
    double squares = 1.0;
    for (int step = 1; step < steps; ++step) {
      double next = 0.0;
      for (std::size_t i = 0; i < fit_.coefficient.size(); ++i)
        next += fit_.coefficient[i] * response[i];
      std::copy_backward(response.begin(), response.end() - 1, response.end());
      response[0] = next;
      squares += next * next;
    }
    return std::sqrt(squares);
  }

  void forget() override {
    values_.clear();
    fit_ = {};
    fitted_ = false;
    since_fit_ = 0;
  }

  int order_;  // 0: chosen
  Window values_{window};
  ArFit fit_;
  bool fitted_ = false;
  int since_fit_ = 0;
};

constexpr const char* usage = "ar:p (1 to 16, default: by AICc up to 8)";

}  // namespace

PAT_PREDICTOR(ar) {
  return {.name = "ar",
          .usage = usage,
          .idea = "weighted sum of the last p times, weights by Burg's method",
          .source = "Brockwell and Davis 2016, 5.1.2",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 1);
            return std::make_unique<Autoregression>(
                parameters.size() == 0 ? 0 : parameters.whole(0, 1, 1, max_order));
          }};
}

}  // namespace pat::predictor_ar
