#include "libpat/agreement/region_sums.hpp"

namespace pat::detail {

RegionSum& RegionSums::row(const std::string& name) {
  const auto known = places_.find(name);
  if (known != places_.end()) return sums_[known->second];
  if (is_full()) return sums_.back();
  sums_.push_back({.name = sums_.size() < most_names ? name : others});
  if (!is_full()) places_.emplace(name, sums_.size() - 1);
  return sums_.back();
}

void RegionSums::add(const RegionState& region) {
  RegionSum& sum = row(region.name);
  sum.totals.add(region.totals);
  sum.instructions += region.instructions;
  sum.cycles += region.cycles;
}

}  // namespace pat::detail
