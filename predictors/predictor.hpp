#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/forecast.hpp"

namespace pat {

/// One finished computing phase, as a model sees it.
struct Observation {
  double computing_s = 0.0;
  std::vector<std::pair<std::string, double>> hints;  ///< covariates, such as ("particles", 1e6)
};

/// A model of the computing times of one process in one region. Not thread-safe: one object has one
/// user. Times in seconds.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// A computing phase ended. Values that are no times (not finite, negative, 1e9 s or more) are
  /// ignored. Bounded in time and memory, however long the program runs.
  virtual void observe(const Observation& observation) = 0;
  /// The present phase has done `fraction` (0 < fraction < 1) of its work after `elapsed_s`.
  /// Forgotten at the next observe(). Models that use history alone need not override it.
  virtual void observe_edge(double fraction, double elapsed_s);
  /// The phase of the last observe_edge() will not be observed: its edge is not the next one's.
  /// Models that take no edges need not override it.
  virtual void forget_edge();
  /// A covariate of the present (or next) phase, such as ("particles", 1e6): PAT_Hint. Forgotten at
  /// the next observe(), whose observation carries the same hints. Most models need not override
  /// it.
  virtual void observe_hint(std::string_view name, double value);
  /// The computing time of the present (or next) phase. `known` is false before the model has
  /// enough to go by; a known forecast is always valid().
  virtual Forecast forecast() const = 0;
  /// The computing time of the phase `steps` ahead (1 is what forecast() says; capped at
  /// max_horizon): for patterns that are exchanged every k-th iteration only (Marendic et al. 2016
  /// Section 4).
  virtual Forecast forecast_ahead(int steps) const;
  static constexpr int max_horizon = 256;
  virtual void reset() = 0;
};

/// A registered model. `make` gets the numbers after the colon of "arma:2,1"; it throws
/// Error(argument) with a sentence if it cannot use them.
struct PredictorInfo {
  std::string name;    ///< "sma"
  std::string usage;   ///< "sma:w (default 5)"
  std::string idea;    ///< one line
  std::string source;  ///< paper or textbook
  std::unique_ptr<Predictor> (*make)(const std::vector<double>& parameters) = nullptr;
};

/// Defines what the registration line `pat_predictor(NAME)` refers to, in the namespace
/// pat::predictor_NAME.
#define PAT_PREDICTOR(id)                 \
  namespace here = ::pat::predictor_##id; \
  ::pat::PredictorInfo make();            \
  ::pat::PredictorInfo make()

/// Every registered model, in the order of the registration lines. Thread-safe.
const std::vector<PredictorInfo>& predictors();

/// Makes a model from "name" or "name:number,number". Throws Error(argument) with a sentence that
/// lists the models there are, or says what is wrong with the parameters.
std::unique_ptr<Predictor> make_predictor(std::string_view specification);

}  // namespace pat
