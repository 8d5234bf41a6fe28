// Simple moving average of the last w computing times.
// Source: seed 004 Section 4 and Fig. 5 (w = 5 fits the render times of Helsim).

#include <cmath>
#include <vector>

#include "core/errors.hpp"
#include "predictors/predictor.hpp"
#include "predictors/residuals.hpp"

namespace pat {
namespace {

class MovingAverage : public Predictor {
 public:
  explicit MovingAverage(std::size_t window) : values_(window) {}

  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!std::isfinite(x) || x < 0.0) return;
    if (count_ > 0) residuals_.add(x - average());
    values_[count_ % values_.size()] = x;
    ++count_;
  }
  Forecast forecast() const override {
    return count_ > 0 ? residuals_.around(average()) : Forecast{};
  }
  void reset() override {
    count_ = 0;
    residuals_.clear();
  }

 private:
  double average() const {
    const std::size_t n = std::min(count_, values_.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += values_[i];
    return sum / static_cast<double>(n);
  }

  std::vector<double> values_;
  std::size_t count_ = 0;
  Residuals residuals_;
};

}  // namespace

PAT_PREDICTOR(sma) {
  return {.name = "sma",
          .usage = "sma:w (default 5)",
          .idea = "mean of the last w computing times",
          .source = "seed 004, Section 4, Fig. 5",
          .make = [](const std::vector<double>& parameters) -> std::unique_ptr<Predictor> {
            const double w = parameters.empty() ? 5.0 : parameters[0];
            if (parameters.size() > 1 || !(w >= 1.0 && w <= 4096.0) || w != std::floor(w))
              throw Error(ErrorKind::argument,
                          "the model 'sma' takes one window of 1 to 4096 phases, write sma:5");
            return std::make_unique<MovingAverage>(static_cast<std::size_t>(w));
          }};
}

}  // namespace pat
