#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pat::nonclairvoyant {

/// Quantiles of any number of values from counts in classes whose width grows with the value: each
/// answer is wrong by 0.1 % of itself at most, and the memory depends on the range of the values
/// alone (at most 0.6 MB). The order of the values does not matter. Source: Masson, Rim and Lee,
/// DDSketch, PVLDB 12, 2019. Not thread-safe.
class QuantileSketch {
 public:
  /// Values below 1e-280 count as 0; none may be negative.
  void add(double value);
  void merge(const QuantileSketch& other);
  /// The value of which a share q in [0, 1] is not greater; 0 without values.
  double quantile(double q) const;
  std::uint64_t count() const { return count_; }

 private:
  void make_room(int lowest, int highest);

  std::uint64_t count_ = 0, zeros_ = 0;
  int lowest_ = 0;                     ///< class of counts_[0]
  std::vector<std::uint64_t> counts_;  ///< of the classes from lowest_ on
};

}  // namespace pat::nonclairvoyant
