// Edge and history blended: once an edge has come, w t/f + (1 - w) H, where t/f extrapolates the
// edge and H is the mean of the last five times. The weight that is best in the mean square is
// learnt for each eighth of the work apart: a late edge says more than an early one. Before
// anything is learnt w = f: the time that is gone, and of H the share that is left. Source: seed
// 001 Section 3 for the edge; Bates and Granger 1969 for the blend.

#include <algorithm>
#include <array>

#include "predictors/blend.hpp"
#include "predictors/conformal.hpp"
#include "predictors/edge_reading.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat {
namespace {

constexpr std::size_t stages = 8;

class Blend : public Predictor {
 public:
  explicit Blend(int window) : window_(window), history_(make_history(window)) {}

  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!is_time(x)) return;
    const Forecast from_history = history_->forecast();
    if (edge_) {
      stage().error.add(x - blended());
      if (from_history.known)
        stage().weight.add(x - edge_->extrapolated_s(), x - from_history.mean_s);
    }
    edge_.reset();
    history_->observe(observation);
  }
  void observe_edge(double fraction, double elapsed_s) override {
    if (const auto reading = read_edge(fraction, elapsed_s)) edge_ = reading;
  }
  Forecast forecast() const override {
    if (!edge_) return history_->forecast();
    return stages_[index()].error.around(blended());
  }
  Forecast forecast_ahead(int steps) const override {
    return steps <= 1 ? forecast() : history_->forecast_ahead(steps);
  }
  void reset() override { *this = Blend(window_); }

 private:
  struct Stage {
    BestBlend weight;
    ConformalInterval error;
  };

  static std::unique_ptr<Predictor> make_history(int window) {
    return make_predictor("sma:" + std::to_string(window));
  }
  std::size_t index() const {
    return std::min(stages - 1, static_cast<std::size_t>(edge_->fraction * stages));
  }
  Stage& stage() { return stages_[index()]; }
  /// The present phase takes at least as long as it has taken already.
  double blended() const {
    const Forecast from_history = history_->forecast();
    if (!from_history.known) return edge_->extrapolated_s();
    const double w = stages_[index()].weight.weight(edge_->fraction);
    const double value = w * edge_->extrapolated_s() + (1.0 - w) * from_history.mean_s;
    return std::max(value, edge_->elapsed_s);
  }

  int window_;
  std::unique_ptr<Predictor> history_;
  std::optional<EdgeReading> edge_;  // of the present phase
  std::array<Stage, stages> stages_;
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

}  // namespace pat
