#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "libpat/agreement/reasons.hpp"

namespace pat::detail {

/// What `auto` expected when it chose last, run times of a call in seconds; at the leader only.
struct Expected {
  double taken_s = 0.0, mpi_s = 0.0;  ///< 0: not simulated
  std::string runner_up;              ///< empty: none was simulated
  double runner_up_s = 0.0;
};

/// What the report says of the calls of a series. Not thread-safe.
struct Tally {
  std::map<std::string, std::uint64_t> calls_by_algorithm;
  Reasons reasons;  ///< at the leader only
  double waited_for_decision_s = 0.0;
  double longest_decision_wait_s = 0.0;
  double in_call_s = 0.0;
  std::uint64_t settled_calls = 0;  ///< that only left an event behind
  std::uint64_t background_calls = 0;
  std::uint64_t recalls = 0;      ///< leases that were called back, at the leader
  std::uint64_t trials = 0;       ///< calls in which a way was tried, at the leader
  double lost_to_trials_s = 0.0;  ///< what these took beyond what was known to be best
  Expected expected;
  std::uint64_t out_of_turn = 0;  ///< go-aheads given to processes that came before their turn

  std::uint64_t calls() const;
  /// A call has waited so long for its decision.
  void note_wait(double waited_s) {
    waited_for_decision_s += waited_s;
    longest_decision_wait_s = std::max(longest_decision_wait_s, waited_s);
  }
  void add(const Tally& other);
};

/// What series of several communicators have in common, for the report: one line of it.
struct TallyKey {
  static constexpr int any_root = -1;
  std::string operation;
  int root = 0;    ///< any_root: calls of more kinds than are told apart
  int leader = 0;  ///< rank in the session
  std::size_t block_bytes = 0;
  bool varying = false;
  std::string choice;       ///< the algorithm that the user chose, or auto
  std::uint64_t group = 0;  ///< tells apart communicators of other processes: a hash of their ranks
  int processes = 0;        ///< of that group
  bool left_to_library = false;  ///< no decision was needed
  auto operator<=>(const TallyKey&) const = default;
};

}  // namespace pat::detail
