#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "libpat/session/measurement.hpp"
#include "tests/mpi/session.hpp"

namespace pat::test {

/// What a broken predictor says instead of its forecast.
using Filter = Forecast (*)(const Forecast&);
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline const std::pair<const char*, Filter> broken_predictors[] = {
    {"reversed",
     [](const Forecast& f) {
       return Forecast{std::max(0.0, 0.02 - f.mean_s), 0.0, 1.0, f.known};
     }},
    {"equal",
     [](const Forecast& f) {
       return Forecast{0.005, 0.005, 0.005, f.known};
     }},
    {"random",
     [](const Forecast& f) {
       static std::mt19937 random(static_cast<unsigned>(rank()));
       return Forecast{static_cast<double>(random() % 30) * 1e-3, 0.0, 1.0, f.known};
     }},
    {"nan",
     [](const Forecast&) {
       return Forecast{nan, nan, nan, true};
     }},
    {"huge",
     [](const Forecast&) {
       return Forecast{1e300, 0.0, 1e308, true};
     }},
    {"negative", [](const Forecast&) {
       return Forecast{-1e9, -1e9, -1e9, true};
     }}};

/// The running session's forecasts go through `filter` from now on.
inline void break_predictor(Filter filter) {
  detail::filter_forecasts(filter);
}

/// Four calls with each broken predictor, each after an annotated phase that is of another length
/// on every rank. `call` gets its number.
template <class Call>
void call_with_broken_predictors(const Call& call) {
  for (const auto& [label, filter] : broken_predictors) {
    break_predictor(filter);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      sleep_ms(0.4 * ((rank() + i) % 4));
      ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
      sleep_ms(0.4 * ((rank() + i) % 4));
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      call(i);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << label;
    }
  }
}

}  // namespace pat::test
