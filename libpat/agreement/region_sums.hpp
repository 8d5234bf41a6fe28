#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libpat/agreement/region.hpp"

namespace pat::detail {

/// What all regions of one name came to in a session.
struct RegionSum {
  std::string name;
  RegionTotals totals = {};
  std::int64_t instructions = 0, cycles = 0;  ///< 0 without counters
};

/// The sums of each name, in the order in which the names came. A program that gives each region a
/// name of its own does not grow: beyond so many names the others are one sum.
class RegionSums {
 public:
  static constexpr std::size_t most_names = 1000;
  /// No name for a region that means one place in the program.
  static constexpr const char* others = "(regions of other names)";

  void add(const RegionState& region);
  /// There are more names than rows.
  bool is_full() const { return sums_.size() > most_names; }
  const std::vector<RegionSum>& all() const { return sums_; }

 private:
  RegionSum& row(const std::string& name);

  std::vector<RegionSum> sums_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace pat::detail
