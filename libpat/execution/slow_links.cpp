#include "libpat/execution/slow_links.hpp"

#include <algorithm>

#include "core/statistics.hpp"

namespace pat::detail {
namespace {

/// Most blocks share the root's port with the next one, and some of them did not.
constexpr double usual_share = 0.25;
constexpr double worth_s = 1e-3;       // shorter ones hold nobody up
constexpr std::size_t fewest = 3;      // leaves, so that a quartile tells something
constexpr std::size_t most_apart = 4;  // blocks this much shorter than the longest tell nothing

}  // namespace

void SlowLinks::note(const std::vector<BlockTime>& call) {
  std::size_t longest = 0;
  int last = -1;
  for (const BlockTime& one : call) {
    longest = std::max(longest, one.bytes);
    last = std::max(last, one.rank);
  }
  std::vector<double> pace;
  for (const BlockTime& one : call)
    if (one.bytes > longest / most_apart)
      pace.push_back(one.took_s / static_cast<double>(one.bytes));
  if (pace.size() < fewest) return;
  const double usual = quantile(pace, usual_share);
  // Those who send beside share the port with each other, too.
  const double healthy = fast_ratio + 0.5 * static_cast<double>(std::ranges::count(slow_, true));
  in_a_row_.resize(std::max(in_a_row_.size(), static_cast<std::size_t>(last) + 1));
  for (const BlockTime& one : call) {
    if (one.bytes <= longest / most_apart) continue;
    const auto rank = static_cast<std::size_t>(one.rank);
    const double ratio = one.took_s / static_cast<double>(one.bytes) / usual;
    const bool is_slow = rank < slow_.size() && slow_[rank];
    const bool otherwise = is_slow ? ratio < healthy : ratio > slow_ratio && one.took_s > worth_s;
    in_a_row_[rank] = otherwise ? in_a_row_[rank] + 1 : 0;
    if (in_a_row_[rank] < calls) continue;
    in_a_row_[rank] = 0;
    slow_.resize(in_a_row_.size());
    slow_[rank] = !is_slow;
  }
  if (std::ranges::find(slow_, true) == slow_.end()) slow_.clear();
}

}  // namespace pat::detail
