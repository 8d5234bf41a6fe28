#pragma once

#include <span>
#include <vector>

namespace pat {

/// Arithmetic mean; 0 for an empty sample.
double mean(std::span<const double> sample);
/// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> sample);
/// Quantile q in [0, 1] by linear interpolation (Hyndman and Fan's type 7, R's default); 0 if
/// empty.
double quantile(std::span<const double> sample, double q);
/// quantile(sample, 0.5).
double median(std::span<const double> sample);

/// Sample autocorrelations r_0 .. r_max_lag (r_0 = 1), each divided by n as R's acf() does; zeros
/// after r_0 for a constant sample.
/// Source: Brockwell and Davis, Introduction to Time Series and Forecasting, 1.4.1.
std::vector<double> autocorrelation(std::span<const double> sample, int max_lag);

/// Kendall's tau-b of two samples of equal length (ties corrected): 1 for the same order, -1 for
/// the opposite one, 0 where one of them is constant. O(n log n). Source: Knight, A Computer Method
/// for Calculating Kendall's Tau with Ungrouped Data, 1966.
double kendall_tau(std::span<const double> a, std::span<const double> b);

/// Wald and Wolfowitz's test for serial correlation: runs above and below the median, values equal
/// to it left out.
struct RunsTest {
  int runs = 0;
  int above = 0;
  int below = 0;
  double z = 0.0;        ///< standard normal under independence; negative: too few runs
  double p_value = 1.0;  ///< two-sided
};
/// Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.13 (Marendic et al. 2016
/// reference 46).
RunsTest runs_test(std::span<const double> sample);

}  // namespace pat
