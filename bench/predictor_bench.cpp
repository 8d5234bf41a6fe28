// What one observation and one forecast cost, per model. `predictor_test` measures the memory.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "predictors/predictor.hpp"

namespace {

/// An ARMA(2,1) series, so that every model has something to do.
std::vector<double> series() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(1 << 14);
  double before = 0.0, earlier = 0.0, last_shock = 0.0;
  for (double& value : values) {
    const double shock = normal(random);
    const double next = 0.9 * before - 0.3 * earlier + shock + 0.4 * last_shock;
    value = 0.1 + 0.002 * next;
    earlier = before;
    before = next;
    last_shock = shock;
  }
  return values;
}

void observe_and_forecast(benchmark::State& state, const char* specification) {
  static const std::vector<double> values = series();
  const auto model = pat::make_predictor(specification);
  pat::Observation observation;
  std::size_t next = 0;
  for (int warm = 0; warm < 1024; ++warm) model->observe({values[next++], {}});
  for (auto _ : state) {
    observation.computing_s = values[next++ % values.size()];
    model->observe(observation);
    benchmark::DoNotOptimize(model->forecast());
  }
}

}  // namespace

BENCHMARK_CAPTURE(observe_and_forecast, last, "last");
BENCHMARK_CAPTURE(observe_and_forecast, sma_5, "sma:5");
BENCHMARK_CAPTURE(observe_and_forecast, ewma, "ewma");
BENCHMARK_CAPTURE(observe_and_forecast, holt, "holt");
BENCHMARK_CAPTURE(observe_and_forecast, median_9, "median:9");
BENCHMARK_CAPTURE(observe_and_forecast, edge, "edge");
BENCHMARK_CAPTURE(observe_and_forecast, blend, "blend");
BENCHMARK_CAPTURE(observe_and_forecast, recurrence, "recurrence");
BENCHMARK_CAPTURE(observe_and_forecast, regression, "regression");
BENCHMARK_CAPTURE(observe_and_forecast, seasonal, "seasonal");
BENCHMARK_CAPTURE(observe_and_forecast, ar, "ar");
BENCHMARK_CAPTURE(observe_and_forecast, arma_2_1, "arma:2,1");
BENCHMARK_CAPTURE(observe_and_forecast, arma_by_aicc, "arma");
BENCHMARK_CAPTURE(observe_and_forecast, ensemble, "ensemble");

BENCHMARK_MAIN();
