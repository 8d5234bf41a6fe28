#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pat::nonclairvoyant {

/// Mean, variance and range of values that come one by one. Source: Welford 1962; Chan, Golub and
/// LeVeque 1983 for the sum of two.
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }
  void merge(const Moments& other) {
    if (other.count_ == 0) return;
    const auto mine = static_cast<double>(count_), theirs = static_cast<double>(other.count_);
    const double off = other.mean_ - mean_;
    mean_ += off * theirs / (mine + theirs);
    squares_ += other.squares_ + off * off * mine * theirs / (mine + theirs);
    count_ += other.count_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Of the sample (n - 1); 0 for fewer than two values.
  double variance() const { return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1); }
  double standard_deviation() const { return std::sqrt(variance()); }
  /// Of the mean.
  double standard_error() const {
    return count_ == 0 ? 0.0 : std::sqrt(variance() / static_cast<double>(count_));
  }
  double least() const { return count_ == 0 ? 0.0 : least_; }
  double greatest() const { return count_ == 0 ? 0.0 : greatest_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
  double least_ = std::numeric_limits<double>::infinity(), greatest_ = -least_;
};

}  // namespace pat::nonclairvoyant
