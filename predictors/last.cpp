// Last value: the next phase takes as long as the one before.
// Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 5.2 (naive).

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_last {
namespace {

class Last : public HistoryModel {
  void learn(double computing_s) override { value_ = computing_s; }
  double predict(int) const override { return value_; }
  void forget() override {}

  double value_ = 0.0;
};

constexpr const char* usage = "last";

}  // namespace

PAT_PREDICTOR(last) {
  return {.name = "last",
          .usage = usage,
          .idea = "the next phase takes as long as the one before",
          .source = "Hyndman and Athanasopoulos 2021, 5.2",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 0);
            return std::make_unique<Last>();
          }};
}

}  // namespace pat::predictor_last
