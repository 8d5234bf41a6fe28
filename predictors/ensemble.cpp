// Ensemble: the weighted mean of several models; a model's weight is exp(-k (L / L_min - 1)), L its
// absolute error averaged over the recent past (factor 0.97 a phase) and L_min the least of them. A
// model that is clearly worse drops out, models that are about as good average their errors out.
// The weights with and without an edge in the present phase are learnt apart, as an edge helps only
// some models. Source: Cesa-Bianchi and Lugosi, Prediction, Learning, and Games, 2006, 2.2 and 2.11
// (exponential weights on discounted losses); Timmermann, Forecast Combinations, Handbook of
// Economic Forecasting 1, 2006.

#include <algorithm>
#include <array>
#include <cmath>

#include "predictors/conformal.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat {
namespace {

constexpr double forgetting = 0.97, sharpness = 8.0;

class Ensemble : public Predictor {
 public:
  Ensemble() {
    for (const char* member : {"last", "sma:5", "sma:20", "ewma:0.15", "median:9", "holt", "ar",
                               "arma:2,1", "seasonal", "blend", "edge", "regression"})
      members_.push_back(make_predictor(member));
    for (Standing& standing : standings_) standing.loss_s.resize(members_.size());
  }

  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    if (!is_time(x)) return;
    if (const double mean_s = combined(1); known_) {
      Standing& now = standing();
      now.interval.add(x - mean_s);
      ++now.count;
      const double keep = std::min(forgetting, 1.0 - 1.0 / now.count);
      for (std::size_t i = 0; i < members_.size(); ++i) {
        const Forecast said = members_[i]->forecast();
        const double loss_s = std::abs(x - (said.known ? said.mean_s : 0.0));
        now.loss_s[i] = keep * now.loss_s[i] + (1.0 - keep) * loss_s;
      }
    }
    for (const auto& member : members_) member->observe(observation);
    edge_ = false;
    known_ = true;
  }
  void observe_edge(double fraction, double elapsed_s) override {
    edge_ = edge_ || (fraction > 0.0 && fraction < 1.0 && elapsed_s >= 0.0);
    for (const auto& member : members_) member->observe_edge(fraction, elapsed_s);
  }
  void observe_hint(std::string_view name, double value) override {
    for (const auto& member : members_) member->observe_hint(name, value);
  }
  Forecast forecast() const override { return forecast_ahead(1); }
  Forecast forecast_ahead(int steps) const override {
    if (!known_) return {};
    return standing().interval.around(
        combined(steps), std::sqrt(static_cast<double>(std::clamp(steps, 1, max_horizon))));
  }
  void reset() override { *this = Ensemble(); }

 private:
  /// How the members have done lately, and how the ensemble has.
  struct Standing {
    std::vector<double> loss_s;
    int count = 0;
    ConformalInterval interval;
  };

  Standing& standing() { return standings_[edge_ ? 1 : 0]; }
  const Standing& standing() const { return standings_[edge_ ? 1 : 0]; }

  double combined(int steps) const {
    const std::vector<double>& loss_s = standing().loss_s;
    const double least_s = *std::min_element(loss_s.begin(), loss_s.end());
    double sum = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Forecast said = members_[i]->forecast_ahead(steps);
      if (!said.known) continue;
      const double excess = loss_s[i] > least_s ? loss_s[i] / std::max(least_s, 1e-15) - 1.0 : 0.0;
      const double weight = std::exp(-sharpness * excess);
      sum += weight * said.mean_s;
      weights += weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
  }

  std::vector<std::unique_ptr<Predictor>> members_;
  std::array<Standing, 2> standings_;  // without and with an edge in the present phase
  bool edge_ = false;
  bool known_ = false;
};

constexpr const char* usage = "ensemble";

}  // namespace

PAT_PREDICTOR(ensemble) {
  return {.name = "ensemble",
          .usage = usage,
          .idea = "mean of all models, weighted by how well each has done lately",
          .source = "Cesa-Bianchi and Lugosi 2006, 2.2, 2.11",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 0);
            return std::make_unique<Ensemble>();
          }};
}

}  // namespace pat
