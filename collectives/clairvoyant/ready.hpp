#pragma once

// Which processes take part in a round, in which order: Proficz, Ocetkiewicz 2020 Section 5.2,
// merge-and-clean.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// The ready processes of a round. All ready processes advance by one round together, so their
/// order never changes: newly arrived ones are merged in, finished ones drop out.
class Ready {
 public:
  explicit Ready(const Instance& instance)
      : instance_(instance), tick_(instance.tick), waiting_(instance.ranks) {
    std::iota(waiting_.begin(), waiting_.end(), 0);
    std::sort(waiting_.begin(), waiting_.end(), [&](int a, int b) { return earlier(a, b); });
  }

  /// The ready processes by the instance's order, the root first if it is among them.
  const std::vector<int>& group() const { return group_; }
  /// Those of group() that were not in the group of the round before.
  const std::vector<int>& arrived() const { return arrived_; }
  std::uint32_t round() const { return round_; }
  /// The process whose availability starts the round (not always the first of group()).
  int head() const { return head_; }
  std::uint32_t tick(int process) const { return tick_[process]; }

  /// The present round as an entry of the list whose first message has index `first`.
  Round listed(std::uint32_t first) const {
    if (instance_.order == Order::latest_first) return {round_, first, 0, round_};
    return {round_, first, static_cast<std::uint32_t>(head_), tick_[head_]};
  }

  /// Forms the group of the first round.
  void start() { merge(); }

  /// Whether the only process of the group has nobody to exchange with.
  bool alone() const { return group_.size() <= 1; }

  /// Whether some process has not come yet.
  bool more_come() const { return next_ < waiting_.size(); }

  /// Ends a round: drops the processes for which `finished` holds and forms the next group.
  template <class Finished>
  void next_group(Finished finished) {
    std::erase_if(group_, finished);
    for (const int process : group_) ++tick_[process];
    ++round_;
    merge();
  }

  /// Skips the idle rounds of a process that is alone, up to the one in which another takes part.
  /// False if nobody else will come.
  bool skip() {
    if (!more_come()) return false;
    const std::uint32_t idle = rounds_until(waiting_[next_]);
    for (const int process : group_) tick_[process] += idle;
    round_ += idle;
    merge();
    return true;
  }

 private:
  bool earlier(int a, int b) const {
    const auto& part = instance_.part;
    return std::tuple(tick_[a], part[a], a) < std::tuple(tick_[b], part[b], b);
  }
  bool before(int a, int b) const {
    if (a == instance_.root || b == instance_.root) return a == instance_.root && b != a;
    if (instance_.order == Order::paper) return earlier(a, b);
    return instance_.tick[a] != instance_.tick[b] ? instance_.tick[a] > instance_.tick[b] : a < b;
  }
  /// Whether a process that waits takes part in a round whose head is available at (tick, part).
  bool in_reach(int process, std::uint32_t tick, std::uint32_t part) const {
    if (instance_.order == Order::latest_first) return tick_[process] <= tick;
    const auto mine = std::pair(tick_[process], instance_.part[process]);
    const auto end = std::pair(tick + 1, part);
    return instance_.window == Window::closed ? mine <= end : mine < end;
  }
  std::uint32_t rounds_until(int process) const {
    const std::uint32_t part = instance_.part[head_];
    const std::uint32_t now = tick_[head_], then = tick_[process];
    std::uint32_t idle = then > now + 1 ? then - now - 1 : 0;
    while (!in_reach(process, now + idle, part)) ++idle;
    return idle;
  }
  void merge() {
    head_ = -1;
    for (const int process : group_)
      if (head_ < 0 || earlier(process, head_)) head_ = process;
    if (next_ < waiting_.size() && (head_ < 0 || earlier(waiting_[next_], head_)))
      head_ = waiting_[next_];
    arrived_.clear();
    const std::uint32_t tick = tick_[head_], part = instance_.part[head_];
    while (next_ < waiting_.size() && in_reach(waiting_[next_], tick, part))
      arrived_.push_back(waiting_[next_++]);
    std::sort(arrived_.begin(), arrived_.end(), [&](int a, int b) { return before(a, b); });
    const auto middle = group_.insert(group_.end(), arrived_.begin(), arrived_.end());
    std::inplace_merge(group_.begin(), middle, group_.end(),
                       [&](int a, int b) { return before(a, b); });
  }

  const Instance& instance_;
  std::vector<std::uint32_t> tick_;  // availability of every process
  std::vector<int> waiting_;         // by arrival; those before next_ have come
  std::size_t next_ = 0;
  std::vector<int> group_, arrived_;
  std::uint32_t round_ = 0;
  int head_ = -1;
};

}  // namespace pat::clairvoyant
