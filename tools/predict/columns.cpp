#include "tools/predict/columns.hpp"

#include <cmath>

namespace pat::predict {

const std::vector<Column> accuracy_columns = {
    {"mae_s", "MAE ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.mae_s; }},
    {"rmse_s", "RMSE ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.rmse_s; }},
    {"mape_percent", "MAPE %", 2, 1, true, [](const Row& r) { return r.accuracy.mape_percent; }},
    {"bias_s", "bias ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.bias_s; }},
    {"kendall_tau", "tau", 3, 1, false, [](const Row& r) { return r.accuracy.kendall_tau; }},
    {"last_hit_rate", "last %", 1, 100, false,
     [](const Row& r) { return r.accuracy.last_hit_rate; }},
    {"coverage", "cover %", 1, 100, true, [](const Row& r) { return r.accuracy.coverage; }},
    {"interval_width_s", "width ms", 3, 1e3, true, [](const Row& r) { return r.accuracy.width_s; }},
    {"sent_per_iteration", "sent", 2, 1, true, [](const Row& r) { return r.sent; }}};

const std::vector<Column> gain_columns = {
    {"run_time_without_s", "plain ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.against_s; }},
    {"run_time_forecast_s", "forecast ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.forecast_s; }},
    {"run_time_perfect_s", "arrivals ms", 3, 1e3, false,
     [](const Row& r) { return r.gain.perfect_s; }},
    {"lost_s", "lost ms", 3, 1e3, false, [](const Row& r) { return r.gain.lost_s(); }},
    {"gain_kept", "kept %", 1, 100, false, [](const Row& r) { return r.gain.kept(); }},
    {"taken", "taken %", 1, 100, false, [](const Row& r) { return r.gain.taken; }}};

bool applies(const Row& row, const Column& column) {
  return (row.rank < 0 || column.of_ranks) && std::isfinite(column.value(row));
}

}  // namespace pat::predict
