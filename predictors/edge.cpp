// Extrapolation from the edge: a phase that has done the share f of its work after t seconds ends
// after t / f; without an edge in the present phase, the last value.
// Source: seed 001 Section 3, Fig. 3 (lines 3 and 4).

#include "predictors/conformal.hpp"
#include "predictors/edge_reading.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_edge {
namespace {

class Edge : public Predictor {
 public:
  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!is_time(x)) return;
    if (edge_)
      at_edge_.add(x - edge_->extrapolated_s());
    else if (last_s_ >= 0.0)
      from_last_.add(x - last_s_);
    last_s_ = x;
    edge_.reset();
  }
  void observe_edge(double fraction, double elapsed_s) override {
    if (const auto reading = read_edge(fraction, elapsed_s)) edge_ = reading;
  }
  void forget_edge() override { edge_.reset(); }
  Forecast forecast() const override {
    if (edge_) return at_edge_.around(edge_->extrapolated_s());
    return last_s_ >= 0.0 ? from_last_.around(last_s_) : Forecast{};
  }
  void reset() override { *this = Edge(); }

 private:
  double last_s_ = -1.0;             // negative: nothing seen yet
  std::optional<EdgeReading> edge_;  // of the present phase
  ConformalInterval at_edge_, from_last_;
};

constexpr const char* usage = "edge";

}  // namespace

PAT_PREDICTOR(edge) {
  return {.name = "edge",
          .usage = usage,
          .idea = "elapsed time over the share of work done, once an edge has come",
          .source = "seed 001, Section 3, Fig. 3",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 0);
            return std::make_unique<Edge>();
          }};
}

}  // namespace pat::predictor_edge
