#include "libpat/agreement/periods.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"

namespace pat::detail {
namespace {

/// By chance steps are shorter by so many standard deviations of a block in one of a hundred
/// comparisons, and nobody minds a smaller share.
constexpr double sure = 2.7, least_share = 0.003;
/// A comparison of which fewer calls were measured tells nothing.
constexpr std::uint32_t least_compared = 6;

bool is_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace

void Periods::go(std::uint32_t call, bool library) {
  if (is_comparing() && !is_before(call, *compared_from_ + calls_of_a_comparison))
    close_comparison(call);
  if (library == goes_to_library_) return;
  goes_to_library_ = library;
  from_ = call;
  begin_.reset();
}

void Periods::over(std::uint32_t call, double at_s) {
  if (!begin_) {
    if (is_before(call + 1, from_ + settling_calls)) return;
    begin_ = latest_ = {call, at_s};
    return;
  }
  if (!is_before(latest_.call, call)) return;
  latest_ = {call, at_s};
  if (!is_comparing() && steps() >= calls_of_a_block) close_block();
}

void Periods::close_block() {
  if (goes_to_library_ != usual_is_library_) {
    blocks_.clear();
    usual_is_library_ = goes_to_library_;
    compared_from_.reset();
    compared_s_.reset();
  }
  constexpr double latest = 0.25;
  block_calls_ = blocks_.empty() ? steps() : block_calls_ + latest * (steps() - block_calls_);
  blocks_.push_back(step_s());
  begin_ = latest_;
  if (compared_s_ && ++blocks_since_ == blocks_afterwards) judge();
  if (blocks_.size() > most_blocks) blocks_.erase(blocks_.begin());
}

void Periods::close_comparison(std::uint32_t call) {
  last_compared_ = call;
  if (goes_to_library_ != usual_is_library_ && steps() >= least_compared) {
    compared_s_ = step_s();
    blocks_since_ = 0;
  } else {
    compared_from_.reset();
    wait_ = first_wait;
  }
}

void Periods::judge() {
  (usual_is_library_ ? library_s_ : pat_s_) = mean(blocks_);
  (usual_is_library_ ? pat_s_ : library_s_) = *compared_s_;
  const bool changes = is_shorter(*compared_s_);
  if (changes) library_is_better_ = !usual_is_library_;
  wait_ = changes ? first_wait : std::min(4 * wait_, longest_wait);
  compared_from_.reset();
  compared_s_.reset();
}

/// Than all blocks about it, whether steps grow or shrink meanwhile, and by more than chance, which
/// is larger in a few calls than in a long block.
bool Periods::is_shorter(double compared_s) const {
  const auto about = static_cast<std::ptrdiff_t>(2 * blocks_afterwards);
  if (compared_s >= *std::min_element(blocks_.end() - about, blocks_.end())) return false;
  const double as_sure_as = block_calls_ / calls_of_a_half;
  const double doubt_s = standard_deviation(blocks_) *
                         std::sqrt(as_sure_as + 1.0 / static_cast<double>(blocks_.size()));
  const double usual_s = mean(blocks_);
  return usual_s - compared_s > std::max(sure * doubt_s, least_share * usual_s);
}

bool Periods::is_due(std::uint32_t call) const {
  const bool other_is_known = !usual_is_library_ || library_is_better_;
  return !compared_from_ && other_is_known && goes_to_library_ == usual_is_library_ &&
         blocks_.size() >= least_blocks && call - last_compared_ >= wait_;
}

void Periods::compare(std::uint32_t call) {
  compared_from_ = call;
}

std::uint32_t Periods::compared_calls_left(std::uint32_t call) const {
  if (!is_comparing()) return 0;
  const std::uint32_t done = call - *compared_from_;
  return done < calls_of_a_comparison ? calls_of_a_half - done % calls_of_a_half : 0;
}

bool Periods::wants_library(std::uint32_t call) const {
  return compared_calls_left(call) > 0 ? !usual_is_library_ : library_is_better_;
}

}  // namespace pat::detail
