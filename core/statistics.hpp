#pragma once

#include <span>

namespace pat {

/// Arithmetic mean; 0 for an empty sample.
double mean(std::span<const double> sample);
/// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> sample);
/// Quantile q in [0, 1] by linear interpolation (Hyndman and Fan's type 7, R's default); 0 if empty.
double quantile(std::span<const double> sample, double q);
/// quantile(sample, 0.5).
double median(std::span<const double> sample);

}  // namespace pat
