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

}  // namespace pat::test
