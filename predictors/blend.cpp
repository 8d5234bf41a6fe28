// Edge and history blended: once an edge has come, the mixture of its extrapolation with the mean
// of the last five times that has been best in the mean square (predictors/edge_blend.hpp).
// Source: seed 001 Section 3 for the edge; Bates and Granger 1969 for the blend.

#include "predictors/edge_blend.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_blend {
namespace {

class Blend : public Predictor {
 public:
  explicit Blend(int window)
      : window_(window), history_(make_predictor("sma:" + std::to_string(window))) {}

  void observe(const Observation& observation) override {
    if (!is_time(observation.computing_s)) return;
    edge_.observe(observation.computing_s, history_->forecast());
    history_->observe(observation);
  }
  void observe_edge(double fraction, double elapsed_s) override {
    edge_.observe_edge(fraction, elapsed_s);
  }
  void forget_edge() override { edge_.forget_edge(); }
  Forecast forecast() const override {
    const Forecast from_history = history_->forecast();
    return edge_.has_edge() ? edge_.forecast(from_history) : from_history;
  }
  Forecast forecast_ahead(int steps) const override {
    return steps <= 1 ? forecast() : history_->forecast_ahead(steps);
  }
  void reset() override { *this = Blend(window_); }

 private:
  int window_;
  std::unique_ptr<Predictor> history_;
  EdgeBlend edge_;
};

constexpr const char* usage = "blend:w (1 to 4096 phases of history, default 5)";

}  // namespace

PAT_PREDICTOR(blend) {
  return {.name = "blend",
          .usage = usage,
          .idea = "the best mixture of edge and history in the mean square",
          .source = "seed 001, Section 3; Bates and Granger 1969",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            return std::make_unique<Blend>(Parameters(numbers, usage, 1).whole(0, 5, 1, 4096));
          }};
}

}  // namespace pat::predictor_blend
