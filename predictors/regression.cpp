// Regression on covariates (elements, particles ... given by PAT_Hint): least squares over the past
// phases, older ones counting less by a factor of 0.99 a phase, updated recursively. The forecast
// is for the covariates of the present phase; those not given yet keep their last value. At most
// eight names are followed. The time of the last phase is a covariate too, as what the program does
// not announce often lasts (an ARX model). Without any given it is a slowly forgetting mean.
// Source: Ljung, System Identification, 2nd ed., 4.2 (ARX), 11.2 (recursive least squares with
// forgetting).

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <string>

#include "predictors/conformal.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_regression {
namespace {

constexpr int most_covariates = 8;
constexpr double forgetting = 0.99, first_uncertainty = 1e4;

class Regression : public Predictor {
  static constexpr int most_features = 2 + most_covariates;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_features, 1>;
  using Matrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_features, most_features>;

 public:
  void observe(const Observation& observation) override {
    for (const auto& [name, value] : observation.hints) observe_hint(name, value);
    const double x = observation.computing_s;
    if (!is_time(x)) return;
    const Vector z = features();
    const double error_s = x - weights_.dot(z);
    if (known_) interval_.add(x - std::max(0.0, weights_.dot(z)));
    const Vector gain = uncertainty_ * z / (forgetting + z.dot(uncertainty_ * z));
    weights_ += gain * error_s;
    uncertainty_ -= gain * (z.transpose() * uncertainty_);
    // Forgetting makes directions that no phase excites uncertain without end: stop it there.
    if (uncertainty_.trace() < first_uncertainty) uncertainty_ /= forgetting;
    uncertainty_ = 0.5 * (uncertainty_ + uncertainty_.transpose().eval());
    if (!weights_.allFinite() || !uncertainty_.allFinite()) restart(x);
    last_s_ = x;
    known_ = true;
  }

  void observe_hint(std::string_view name, double value) override {
    if (!std::isfinite(value) || std::abs(value) > 1e150) return;
    for (Covariate& covariate : covariates_) {
      if (covariate.name != name) continue;
      covariate.value = value;
      return;
    }
    if (covariates_.size() == most_covariates) return;
    // Scaled by its first value, so that particles by the million and shares of one are alike.
    if (covariates_.empty()) {
      scale_s_ = last_s_ > 0.0 ? last_s_ : 1.0;
      grow();
    }
    covariates_.push_back({std::string(name), value, value != 0.0 ? std::abs(value) : 1.0});
    grow();
  }

  Forecast forecast() const override {
    return known_ ? interval_.around(weights_.dot(features())) : Forecast{};
  }
  void reset() override { *this = Regression(); }

 private:
  struct Covariate {
    std::string name;
    double value, scale;
  };

  Vector features() const {
    Vector z(weights_.size());
    Eigen::Index n = 0;
    z[n++] = 1.0;
    if (!covariates_.empty()) z[n++] = last_s_ / scale_s_;
    for (const Covariate& covariate : covariates_) z[n++] = covariate.value / covariate.scale;
    return z;
  }
  void grow() {
    const Eigen::Index n = weights_.size();
    weights_.conservativeResize(n + 1);
    weights_[n] = 0.0;
    uncertainty_.conservativeResize(n + 1, n + 1);
    uncertainty_.row(n).setZero();
    uncertainty_.col(n).setZero();
    uncertainty_(n, n) = first_uncertainty;
  }
  void restart(double level_s) {
    weights_.setZero();
    weights_[0] = level_s;
    uncertainty_.setIdentity();
    uncertainty_ *= first_uncertainty;
  }

  std::vector<Covariate> covariates_;
  Vector weights_ = Vector::Zero(1);
  Matrix uncertainty_ = Matrix::Constant(1, 1, first_uncertainty);
  double last_s_ = 0.0, scale_s_ = 1.0;
  bool known_ = false;
  ConformalInterval interval_;
};

constexpr const char* usage = "regression";

}  // namespace

PAT_PREDICTOR(regression) {
  return {.name = "regression",
          .usage = usage,
          .idea = "least squares on the covariates that the program gives",
          .source = "Ljung 1999, 11.2",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            const Parameters parameters(numbers, usage, 0);
            return std::make_unique<Regression>();
          }};
}

}  // namespace pat::predictor_regression
