#include "predictors/history_model.hpp"

#include <algorithm>
#include <cmath>

namespace pat {

namespace {

constexpr std::size_t errors_before_changes_count = 12;

}  // namespace

bool is_time(double value_s) {
  return value_s >= 0.0 && value_s < 1e9;
}

void HistoryModel::observe(const Observation& observation) {
  const double x = observation.computing_s;
  if (!is_time(x)) return;
  recent_.push(x);
  if (known_ == 0) {
    learn(x);
    known_ = 1;
    return;
  }
  const double error_s = x - std::max(0.0, predict(1));
  const bool changed =
      interval_.size() >= errors_before_changes_count && change_.add(error_s, interval_.scale_s());
  interval_.add(error_s);
  if (changed)
    start_over();
  else
    learn(x);
}

void HistoryModel::start_over() {
  forget_before_change();
  interval_.restart();
  const auto keep =
      std::min(static_cast<std::size_t>(std::max(1, change_.since())), recent_.size());
  for (std::size_t age = keep; age-- > 0;) learn(recent_.back(age));
}

Forecast HistoryModel::forecast() const {
  return known_ > 0 ? interval_.around(predict(1)) : Forecast{};
}

Forecast HistoryModel::forecast_ahead(int steps) const {
  const int ahead = std::clamp(steps, 1, max_horizon);
  return known_ > 0 ? interval_.around(predict(ahead), spread(ahead)) : Forecast{};
}

double HistoryModel::spread(int steps) const {
  return std::sqrt(static_cast<double>(steps));
}

void HistoryModel::reset() {
  known_ = 0;
  recent_.clear();
  interval_.clear();
  change_.clear();
  forget();
}

}  // namespace pat
