#include "collectives/nonclairvoyant/sketch.hpp"

#include <algorithm>
#include <cmath>

namespace pat::nonclairvoyant {
namespace {

constexpr double error = 1e-3;
constexpr double growth = (1.0 + error) / (1.0 - error);
constexpr double least = 1e-280;

int class_of(double value) {
  static const double per_unit = 1.0 / std::log(growth);
  return static_cast<int>(std::ceil(std::log(value) * per_unit));
}

/// No value of the class is further from this than `error` of itself.
double middle_of(int place) {
  return 2.0 * std::pow(growth, place) / (growth + 1.0);
}

}  // namespace

void QuantileSketch::make_room(int lowest, int highest) {
  if (counts_.empty()) {
    lowest_ = lowest;
    counts_.resize(static_cast<std::size_t>(highest - lowest + 1));
    return;
  }
  if (lowest < lowest_) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(lowest_ - lowest), 0);
    lowest_ = lowest;
  }
  const std::size_t needed = static_cast<std::size_t>(highest - lowest_ + 1);
  if (needed > counts_.size()) counts_.resize(needed);
}

void QuantileSketch::add(double value) {
  ++count_;
  if (!(value >= least)) {
    ++zeros_;
    return;
  }
  const int place = class_of(value);
  make_room(place, place);
  ++counts_[static_cast<std::size_t>(place - lowest_)];
}

void QuantileSketch::merge(const QuantileSketch& other) {
  count_ += other.count_;
  zeros_ += other.zeros_;
  if (other.counts_.empty()) return;
  make_room(other.lowest_, other.lowest_ + static_cast<int>(other.counts_.size()) - 1);
  const auto shift = static_cast<std::size_t>(other.lowest_ - lowest_);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[shift + i] += other.counts_[i];
}

double QuantileSketch::quantile(double q) const {
  if (count_ == 0) return 0.0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
  auto left = static_cast<std::uint64_t>(position);
  if (left < zeros_) return 0.0;
  left -= zeros_;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (left < counts_[i]) return middle_of(lowest_ + static_cast<int>(i));
    left -= counts_[i];
  }
  return middle_of(lowest_ + static_cast<int>(counts_.size()) - 1);
}

}  // namespace pat::nonclairvoyant
