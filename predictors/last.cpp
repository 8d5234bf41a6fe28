// Last value: the next phase takes as long as the one before.
// Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 5.2 (naive).

#include "core/errors.hpp"
#include "predictors/predictor.hpp"
#include "predictors/residuals.hpp"

namespace pat {
namespace {

class Last : public Predictor {
 public:
  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!std::isfinite(x) || x < 0.0) return;
    if (known_) residuals_.add(x - value_);
    value_ = x;
    known_ = true;
  }
  Forecast forecast() const override { return known_ ? residuals_.around(value_) : Forecast{}; }
  void reset() override { *this = Last(); }

 private:
  double value_ = 0.0;
  bool known_ = false;
  Residuals residuals_;
};

}  // namespace

PAT_PREDICTOR(last) {
  return {.name = "last",
          .usage = "last",
          .idea = "the next phase takes as long as the one before",
          .source = "Hyndman and Athanasopoulos 2021, 5.2",
          .make = [](const std::vector<double>& parameters) -> std::unique_ptr<Predictor> {
            if (!parameters.empty())
              throw Error(ErrorKind::argument, "the model 'last' takes no parameters, write last");
            return std::make_unique<Last>();
          }};
}

}  // namespace pat
