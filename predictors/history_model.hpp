#pragma once

#include "predictors/change.hpp"
#include "predictors/conformal.hpp"
#include "predictors/predictor.hpp"
#include "predictors/window.hpp"

namespace pat {

/// Whether a value can be a computing time: finite, not negative, under 1e9 seconds (31 years).
bool is_time(double value_s);

/// What the models that go by past times alone have in common: they check values, judge their own
/// last forecast, notice changes, drop the history from before a change, and put intervals around
/// what they say. A model gives a point forecast and no more.
class HistoryModel : public Predictor {
 public:
  void observe(const Observation& observation) final;
  Forecast forecast() const final;
  Forecast forecast_ahead(int steps) const final;
  void reset() final;

 protected:
  /// Takes in one valid time. Bounded in time and memory.
  virtual void learn(double computing_s) = 0;
  /// Point forecast `steps` >= 1 phases ahead; asked for only after learn(). May be anything: what
  /// is not finite or is negative is mended by the caller.
  virtual double predict(int steps) const = 0;
  /// Drops all that was learnt.
  virtual void forget() = 0;
  /// Drops what a change of the times has made worthless: all, unless a model knows better. The
  /// values since the change are learnt again after it.
  virtual void forget_before_change() { forget(); }
  /// Standard error `steps` ahead over the one for 1 step; the default is a random walk's, the
  /// cautious choice.
  virtual double spread(int steps) const;

 private:
  void start_over();

  int known_ = 0;
  Window recent_{16};
  ConformalInterval interval_;
  ChangeDetector change_;
};

}  // namespace pat
