// Late last: every rank sends each block straight to the rank that it is for, and combines what
// comes for its own; those who come late send and receive last.
// Cost (equal arrivals): (P-1)(alpha + n beta) + n gamma, as pairwise; and (P-2) n gamma besides as
//   far as combining takes longer than the next message. After a last arrival
//   (P-1)(alpha + n beta) + n gamma, however late it is; P processes, n bytes of one block, alpha
//   start-up time of a message, beta transfer and gamma combining time per byte.
// The message from rank r to rank s has the time max(a_r, a_s) + ((s - r) mod P)(alpha + n beta), a
// being the arrivals: those that arrive together exchange pairwise. Sends and receives of every
// rank are in the order of these times, so there is an order of all messages that all follow, and
// nobody waits in a circle.
// Source: the idea of seed 001 (gathering in the order of arrivals); the schedule is our own.

#include <algorithm>
#include <tuple>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce_scatter/direct.hpp"

namespace pat::algorithm_reduce_scatter_late_last {
namespace {

/// When each message has its turn.
class Turns {
 public:
  Turns(const Problem& problem, const ArrivalPattern& pattern)
      : ranks_(problem.ranks),
        arrival_s_(pattern.offset_s),
        message_s_(problem.cost.alpha_s + static_cast<double>(problem.units * problem.unit_bytes) *
                                              problem.cost.beta_s_per_byte) {}

  /// The ranks that `rank` sends to, in order.
  std::vector<int> receivers(int rank) const {
    return sorted(rank, [&](int other) { return turn(rank, other); });
  }
  std::vector<int> senders(int rank) const {
    return sorted(rank, [&](int other) { return turn(other, rank); });
  }

 private:
  /// Its time, and what makes times of equal messages differ.
  std::tuple<double, int, int> turn(int from, int to) const {
    const int step = (to - from + ranks_) % ranks_;
    return {std::max(arrival_s_[from], arrival_s_[to]) + step * message_s_, step, from};
  }

  template <class Turn>
  std::vector<int> sorted(int rank, const Turn& turn_of) const {
    std::vector<int> others;
    for (int other = 0; other < ranks_; ++other)
      if (other != rank) others.push_back(other);
    std::ranges::sort(others, {}, turn_of);
    return others;
  }

  const int ranks_;
  const std::vector<double>& arrival_s_;
  const double message_s_;
};

void build_rank(const Problem& problem, const Turns& turns, int rank, Program& program) {
  reduce_scatter::Direct direct(problem, rank, program);
  int round = 0;
  for (const int to : turns.receivers(rank)) direct.send(to, ++round);
  if (direct.is_empty()) return;
  OpId written = program.copy(direct.own(), direct.result(), {direct.joined()});
  round = 0;
  for (const int from : turns.senders(rank))
    written = direct.combine(from, direct.result(), written, ++round);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const Turns turns(problem, pattern);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, turns, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, late_last) {
  return {
      .operation = Operation::reduce_scatter,
      .name = "late-last",
      .idea = "blocks go straight to their ranks; who comes late sends and receives last",
      .cost = "(P-1)(alpha + n beta) + n gamma after a last arrival",
      .flat_s =
          [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta) + t.n * t.gamma; },
      .source = "after seed 001",
      .build = build,
      .uses_pattern = true,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_scatter_late_last
