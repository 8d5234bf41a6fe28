#include "libpat/agreement/periods.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"
#include "libpat/agreement/call_order.hpp"

namespace pat::detail {
namespace {

/// By chance steps are shorter by so many standard deviations of a block in one of a hundred
/// comparisons, and nobody minds a smaller share.
constexpr double sure = 2.7, least_share = 0.003;
/// A comparison of which fewer calls were measured tells nothing.
constexpr std::uint32_t least_compared = 6;

}  // namespace

void Periods::Span::begin(std::uint32_t call) {
  from_ = call;
  begin_.reset();
}

void Periods::Span::note(std::uint32_t call, double at_s) {
  if (begin_ ? !is_before(latest_.call, call) : is_before(call, from_)) return;
  latest_ = {call, at_s};
  if (!begin_) begin_ = latest_;
}

void Periods::go(std::uint32_t call, bool library) {
  if (comparison_ && comparison_->has(call)) {
    comparison_->spoilt = comparison_->spoilt || library == usual_is_library_;
    return;
  }
  if (library == goes_to_library_) return;
  goes_to_library_ = library;
  span_.begin(call + settling_calls - 1);
}

void Periods::over(std::uint32_t call, double at_s) {
  if (comparison_ && comparison_->has(call)) return comparison_->span.note(call, at_s);
  span_.note(call, at_s);
  if (span_.steps() >= calls_of_a_block) close_block();
}

void Periods::close_block() {
  if (goes_to_library_ != usual_is_library_) {
    blocks_.clear();
    usual_is_library_ = goes_to_library_;
    comparison_.reset();
  }
  constexpr double latest = 0.25;
  const double steps = span_.steps();
  block_calls_ = blocks_.empty() ? steps : block_calls_ + latest * (steps - block_calls_);
  blocks_.push_back(span_.step_s());
  span_.go_on_from_here();
  if (comparison_ && ++comparison_->blocks_since == blocks_afterwards) judge();
  if (blocks_.size() > most_blocks) blocks_.erase(blocks_.begin());
}

void Periods::judge() {
  const Span& compared = comparison_->span;
  if (comparison_->spoilt || compared.steps() < least_compared) {
    wait_ = first_wait;
  } else {
    (usual_is_library_ ? library_s_ : pat_s_) = mean(blocks_);
    (usual_is_library_ ? pat_s_ : library_s_) = compared.step_s();
    const bool changes = is_shorter(compared.step_s());
    if (changes) library_is_better_ = !usual_is_library_;
    wait_ = changes ? first_wait : std::min(4 * wait_, longest_wait);
  }
  comparison_.reset();
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
  return !comparison_ && other_is_known && goes_to_library_ == usual_is_library_ &&
         blocks_.size() >= least_blocks && call - last_compared_ >= wait_;
}

void Periods::compare(std::uint32_t call) {
  comparison_ = Comparison{.from = call, .span = {}};
  comparison_->span.begin(call + settling_calls - 1);
  last_compared_ = call + calls_of_a_comparison;
  span_.begin(last_compared_ + settling_calls - 1);
}

std::uint32_t Periods::compared_calls_left(std::uint32_t call) const {
  if (!comparison_ || !comparison_->has(call)) return 0;
  return calls_of_a_half - (call - comparison_->from) % calls_of_a_half;
}

bool Periods::wants_library(std::uint32_t call) const {
  return compared_calls_left(call) > 0 ? !usual_is_library_ : library_is_better_;
}

}  // namespace pat::detail
