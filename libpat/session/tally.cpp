#include "libpat/session/tally.hpp"

#include <algorithm>

namespace pat::detail {

std::uint64_t Tally::calls() const {
  std::uint64_t calls = 0;
  for (const auto& [algorithm, count] : calls_by_algorithm) calls += count;
  return calls;
}

void Tally::add(const Tally& other) {
  for (const auto& [algorithm, count] : other.calls_by_algorithm)
    calls_by_algorithm[algorithm] += count;
  for (const Reasons::Count& one : other.reasons.by_calls()) reasons.add(one.latest, one.calls);
  waited_for_decision_s += other.waited_for_decision_s;
  longest_decision_wait_s = std::max(longest_decision_wait_s, other.longest_decision_wait_s);
  in_call_s += other.in_call_s;
  settled_calls += other.settled_calls;
  background_calls += other.background_calls;
  recalls += other.recalls;
  trials += other.trials;
  lost_to_trials_s += other.lost_to_trials_s;
  if (other.expected.taken_s > 0.0) expected = other.expected;
  out_of_turn += other.out_of_turn;
}

}  // namespace pat::detail
