// ARMA(p, q) over a window of 256 phases: exact maximum likelihood every 64 phases (sooner at
// first), starting from the last estimate, and Kalman filtering in between. Without orders, those
// of least AICc among p <= 3, q <= 2 are chosen, again every fourth time. Before the first
// estimate, the mean of the last five times. Source: seed 004 Section 4; Brockwell and Davis,
// Introduction to Time Series and Forecasting, 3rd ed., 5.2 and 5.5; Harvey, Time Series Models,
// chapter 4.

#include <algorithm>

#include "predictors/arma_fit.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_arma {
namespace {

constexpr int window = 256, every = 64, evaluations = 60, selections = 4;
constexpr int max_chosen_p = 3, max_chosen_q = 2;

class Arma : public HistoryModel {
 public:
  Arma(int p, int q) : p_(p), q_(q) {}

 private:
  bool order_given() const { return p_ >= 0; }
  int needed() const { return order_given() ? 16 + 4 * (p_ + q_) : 40; }

  void learn(double computing_s) override {
    values_.push(computing_s);
    if (fit_.usable) filter_.update(computing_s);
    const int size = static_cast<int>(values_.size());
    if (++since_fit_ < (fit_.usable ? std::min(every, std::max(16, size / 3)) : 8)) return;
    if (size >= needed()) estimate();
  }

  void estimate() {
    since_fit_ = 0;
    const std::vector<double> sample = values_.to_vector();
    if (!order_given() && (fits_ % selections == 0 || !fit_.usable)) {
      fit_ = fit_arma_aicc(sample, max_chosen_p, max_chosen_q, evaluations);
    } else {
      const ArmaCoefficients before = fit_.coefficients;
      const int p = order_given() ? p_ : static_cast<int>(before.ar.size());
      const int q = order_given() ? q_ : static_cast<int>(before.ma.size());
      fit_ = fit_arma(sample, p, q, fit_.usable ? &before : nullptr, evaluations);
    }
    ++fits_;
    if (!fit_.usable) return;
    filter_ = ArmaFilter(fit_.coefficients);
    for (const double x : sample) filter_.update(x);
  }

  double predict(int steps) const override {
    if (fit_.usable) return filter_.expected(steps);
    double sum = 0.0;
    const std::size_t n = std::min<std::size_t>(5, values_.size());
    for (std::size_t age = 0; age < n; ++age) sum += values_.back(age);
    return sum / static_cast<double>(n);
  }
  double spread(int steps) const override { return fit_.usable ? filter_.spread(steps) : 1.0; }

  void forget() override {
    values_.clear();
    fit_ = {};
    since_fit_ = fits_ = 0;
  }

  int p_, q_;  // negative: chosen
  Window values_{window};
  ArmaFit fit_;
  ArmaFilter filter_;
  int since_fit_ = 0, fits_ = 0;
};

constexpr const char* usage = "arma:p,q (0 to 10 each, not both 0, default: by AICc)";

}  // namespace

PAT_PREDICTOR(arma) {
  return {.name = "arma",
          .usage = usage,
          .idea = "autoregression and moving average of the noise, by maximum likelihood",
          .source = "seed 004, Section 4; Brockwell and Davis 2016, 5.2",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 2);
            if (parameters.size() == 0) return std::make_unique<Arma>(-1, -1);
            const int p = parameters.whole(0, 0, 0, max_arma_order);
            const int q = parameters.whole(1, 0, 0, max_arma_order);
            if (p + q == 0) parameters.refuse();
            return std::make_unique<Arma>(p, q);
          }};
}

}  // namespace pat::predictor_arma
