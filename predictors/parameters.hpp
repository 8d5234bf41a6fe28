#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"

namespace pat {

/// Reads the numbers after a model's colon, in order; what is wrong is told with the model's usage.
class Parameters {
 public:
  Parameters(const std::vector<double>& values, std::string usage, std::size_t most)
      : values_(values), usage_(std::move(usage)) {
    if (values_.size() > most) refuse();
  }
  std::size_t size() const { return values_.size(); }
  double real(std::size_t index, double fallback, double low, double high) const {
    const double value = index < values_.size() ? values_[index] : fallback;
    if (!(value >= low && value <= high)) refuse();
    return value;
  }
  int whole(std::size_t index, int fallback, int low, int high) const {
    const double value = real(index, fallback, low, high);
    if (value != std::floor(value)) refuse();
    return static_cast<int>(value);
  }
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::argument, "the model's parameters are not usable, write " + usage_);
  }

 private:
  const std::vector<double>& values_;
  std::string usage_;
};

}  // namespace pat
