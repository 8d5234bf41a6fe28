// Straggler: the e processes that come first reduce and scatter among themselves while the others
// are on their way, so that each owns an equal share. Late ones send each share to its owner as
// they come. The last one exchanges with one owner after the other, in pieces, N of each share, and
// both then have the finished piece, which spreads among all while the next are exchanged.
// Cost (equal arrivals): (e-1)(alpha + m/e (beta + gamma)) for the first half and, from the last
//   arrival on, about (e N - 1 + ceil(log2 P)) (alpha + m/(e N) beta) + m gamma; P processes,
//   e = P - 1 unless several are late, m bytes of the vector, alpha start-up time of a message,
//   beta transfer and gamma combining time per byte. e N = sqrt((ceil(log2 P) + 1) m (beta + gamma)
//   / alpha) makes that least.
// Variant: e, from 1 to P - 1.
// Window: rounds under way at a process, ceil(log2 P) where it is known what leaves unasked, else
//   1.
// Source: Devraj et al. 2025, "Accelerating AllReduce with a persistent straggler" (StragglAR,
//   arXiv 2505.23523): one late process, P a power of two, N = 1. For any P, with several late ones
//   and with more pieces these spread by own rounds: see spread_rounds().

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/chain.hpp"
#include "collectives/allreduce/spread.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/early.hpp"
#include "collectives/patterns/pieces.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_allreduce_straggler {
namespace {

using allreduce::Transfer;
using reduce::Parts;
using reduce::Side;

/// Those whose reduce-scatter is over when the next one comes, where they are half of all or more;
/// all but one if there is no such gap.
int owners_of(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.variant >= 1 && problem.variant < problem.ranks) return problem.variant;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const int early = early_ones(
      pattern, [&](int count) { return (count - 1) * problem.cost.round_s(bytes / count); });
  return 2 * early >= problem.ranks ? early : problem.ranks - 1;
}

int segments_of(const Problem& problem, int owners) {
  if (problem.segments > 0) return problem.segments;
  if (problem.ranks < 4) return 1;  // there is nobody to pass pieces on to
  const int doublings = ceil_log2(problem.ranks);
  return std::max(allreduce::chain_segments(problem, doublings + 1) / std::max(1, owners), 1);
}

Tuning tune(const Problem& problem, const ArrivalPattern& pattern) {
  const int owners = owners_of(problem, pattern);
  return {.segments = segments_of(problem, owners), .variant = owners};
}

class Builder {
 public:
  Builder(const Problem& problem, const std::vector<int>& order, int owners, int segments,
          int place, Program& program)
      : order_(order),
        owners_(owners),
        segments_(segments),
        last_(problem.ranks - 1),
        place_(place),
        at_once_(rounds_at_once(problem, ceil_log2(problem.ranks))),
        vector_(problem, program, std::max(1, owners * segments)) {}

  void build(const std::vector<Transfer>& spread) {
    if (place_ < owners_)
      reduce_scatter();
    else if (place_ < last_)
      hand_out();
    vector_.keep_order(at_once_);
    vector_.ask();
    for (const Transfer& transfer : spread) {
      const auto round = static_cast<std::uint32_t>(owners_ - 1 + transfer.round);
      if (transfer.exchange)
        exchange(transfer, round);
      else if (transfer.from == place_)
        vector_.send(order_[transfer.to], piece(transfer.part), round);
      else if (transfer.to == place_)
        vector_.receive(order_[transfer.from], piece(transfer.part), round);
    }
    vector_.finish();
  }

 private:
  Parts share(int owner) const { return {owner * segments_, (owner + 1) * segments_}; }
  /// Its place in the vector: consecutive ones belong to different owners.
  Parts piece(int number) const {
    const int first = number % owners_ * segments_ + number / owners_;
    return {first, first + 1};
  }

  /// In a ring of the early ones, then what the late ones before the last one add.
  void reduce_scatter() {
    const int next = order_[(place_ + 1) % owners_];
    const int previous = order_[(place_ - 1 + owners_) % owners_];
    for (int step = 0; step + 1 < owners_; ++step) {
      const auto round = static_cast<std::uint32_t>(step);
      vector_.send(next, share((place_ - 1 - step + 2 * owners_) % owners_), round);
      vector_.combine(previous, share((place_ - 2 - step + 2 * owners_) % owners_), Side::either,
                      round);
    }
    for (int late = owners_; late < last_; ++late)
      vector_.combine(order_[late], share(place_), Side::either,
                      static_cast<std::uint32_t>(owners_ - 1));
  }

  void hand_out() {
    for (int owner = 0; owner < owners_; ++owner)
      vector_.send(order_[owner], share(owner), static_cast<std::uint32_t>(owners_ - 1));
  }

  /// Both sides combine in the same order, so that they get the same bits.
  void exchange(const Transfer& transfer, std::uint32_t round) {
    const bool is_last = place_ == transfer.to;
    if (!is_last && place_ != transfer.from) return;
    const int peer = order_[is_last ? transfer.from : transfer.to];
    vector_.send(peer, piece(transfer.part), round);
    vector_.combine(peer, piece(transfer.part), is_last ? Side::right : Side::left, round);
  }

  const std::vector<int>& order_;
  const int owners_, segments_, last_, place_, at_once_;
  allreduce::Vector vector_;
};

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int owners = owners_of(problem, pattern);
  const int segments = segments_of(problem, owners);
  const std::vector<Transfer> spread =
      allreduce::spread_rounds(problem.ranks, owners, owners * segments);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    Builder(problem, order, owners, segments, static_cast<int>(place), program).build(spread);
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, straggler) {
  return {.operation = Operation::allreduce,
          .name = "straggler",
          .idea = "the early ones reduce-scatter; the last exchanges parts, which spread at once",
          .cost = "(P-2)(alpha + m/(P-1) beta) + ((P-1)N-1+ceil(log2 P))(alpha + m/((P-1)N) beta)",
          .flat_s =
              [](const CostTerms& t) {
                const double pieces = std::max(1.0, (t.P - 1) * t.N);
                return (t.P - 2) * (t.alpha + t.n / std::max(1.0, t.P - 1) * t.beta) +
                       (pieces - 1 + t.levels()) * (t.alpha + t.n / pieces * t.beta);
              },
          .source = "Devraj et al. 2025, StragglAR (arXiv 2505.23523)",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_straggler
