// Extrapolation from the edge: a phase that has done the share f of its work after t seconds ends
// after t / f; without an edge in the present phase, the last value.
// Source: seed 001 Section 3, Fig. 3 (lines 3 and 4).

#include <cmath>

#include "core/errors.hpp"
#include "predictors/predictor.hpp"
#include "predictors/residuals.hpp"

namespace pat {
namespace {

class Edge : public Predictor {
 public:
  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!std::isfinite(x) || x < 0.0) return;
    if (extrapolated_s_ >= 0.0) at_edge_.add(x - extrapolated_s_);
    else if (last_s_ >= 0.0) from_last_.add(x - last_s_);
    last_s_ = x;
    extrapolated_s_ = -1.0;
  }
  void observe_edge(double fraction, double elapsed_s) override {
    if (!(fraction > 0.0 && fraction < 1.0) || !std::isfinite(elapsed_s) || elapsed_s < 0.0) return;
    const double total_s = elapsed_s / fraction;
    if (std::isfinite(total_s)) extrapolated_s_ = total_s;
  }
  Forecast forecast() const override {
    if (extrapolated_s_ >= 0.0) return at_edge_.around(extrapolated_s_);
    return last_s_ >= 0.0 ? from_last_.around(last_s_) : Forecast{};
  }
  void reset() override { *this = Edge(); }

 private:
  double last_s_ = -1.0;          // negative: nothing seen yet
  double extrapolated_s_ = -1.0;  // negative: no edge in the present phase
  Residuals at_edge_, from_last_;
};

}  // namespace

PAT_PREDICTOR(edge) {
  return {.name = "edge",
          .usage = "edge",
          .idea = "elapsed time over the share of work done, once an edge has come",
          .source = "seed 001, Section 3, Fig. 3",
          .make = [](const std::vector<double>& parameters) -> std::unique_ptr<Predictor> {
            if (!parameters.empty())
              throw Error(ErrorKind::argument, "the model 'edge' takes no parameters, write edge");
            return std::make_unique<Edge>();
          }};
}

}  // namespace pat
