// Straggler: the e processes that come first reduce and scatter among themselves while the others
// are on their way, so that each owns one of e parts. Late ones send each part to its owner as
// they come. The last one exchanges with one owner after the other, and both then have the finished
// part, which spreads among all while the next are exchanged.
// Cost (equal arrivals): (e-1)(alpha + m/e (beta + gamma)) for the first half and, from the last
//   arrival on, about (e - 1 + ceil(log2 P)) (alpha + m/e beta) + m gamma; P processes, e = P - 1
//   unless several are late, m bytes of the vector, alpha start-up time of a message, beta transfer
//   and gamma combining time per byte.
// Variant: e, from 1 to P - 1.
// Source: Devraj et al. 2025, "Accelerating AllReduce with a persistent straggler" (StragglAR,
//   arXiv 2505.23523): one late process and P a power of two. For any P, and with several late
//   ones, the parts spread by own rounds: see spread_rounds().

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/early.hpp"
#include "collectives/allreduce/spread.hpp"
#include "collectives/allreduce/vector.hpp"

namespace pat {
namespace {

using allreduce::Transfer;
using reduce::Parts;
using reduce::Side;

/// Those whose reduce-scatter is over when the next one comes, where they are half of all or more;
/// all but one if there is no such gap.
int owners_of(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.variant >= 1 && problem.variant < problem.ranks) return problem.variant;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const int early = allreduce::early_ones(
      pattern, [&](int count) { return (count - 1) * problem.cost.round_s(bytes / count); });
  return 2 * early >= problem.ranks ? early : problem.ranks - 1;
}

Tuning tune(const Problem& problem, const ArrivalPattern& pattern) {
  return {.variant = owners_of(problem, pattern)};
}

class Builder {
 public:
  Builder(const Problem& problem, const std::vector<int>& order, int owners, int place,
          Program& program)
      : order_(order),
        owners_(owners),
        last_(problem.ranks - 1),
        place_(place),
        vector_(problem, program, std::max(1, owners)) {}

  void build(const std::vector<Transfer>& spread) {
    if (place_ < owners_)
      reduce_scatter();
    else if (place_ < last_)
      hand_out();
    vector_.keep_order();
    for (const Transfer& transfer : spread) {
      const auto round = static_cast<std::uint32_t>(owners_ - 1 + transfer.round);
      if (transfer.exchange)
        exchange(transfer, round);
      else if (transfer.from == place_)
        vector_.send(order_[transfer.to], part(transfer.part), round);
      else if (transfer.to == place_)
        vector_.receive(order_[transfer.from], part(transfer.part), round);
    }
    vector_.finish();
  }

 private:
  static Parts part(int index) { return {index, index + 1}; }

  /// In a ring of the early ones, then what the late ones before the last one add.
  void reduce_scatter() {
    const int next = order_[(place_ + 1) % owners_];
    const int previous = order_[(place_ - 1 + owners_) % owners_];
    for (int step = 0; step + 1 < owners_; ++step) {
      const auto round = static_cast<std::uint32_t>(step);
      vector_.send(next, part((place_ - 1 - step + 2 * owners_) % owners_), round);
      vector_.combine(previous, part((place_ - 2 - step + 2 * owners_) % owners_), Side::either,
                      round);
    }
    for (int late = owners_; late < last_; ++late)
      vector_.combine(order_[late], part(place_), Side::either,
                      static_cast<std::uint32_t>(owners_ - 1));
  }

  void hand_out() {
    for (int owner = 0; owner < owners_; ++owner)
      vector_.send(order_[owner], part(owner), static_cast<std::uint32_t>(owners_ - 1));
  }

  /// Both sides combine in the same order, so that they get the same bits.
  void exchange(const Transfer& transfer, std::uint32_t round) {
    const bool is_last = place_ == transfer.to;
    if (!is_last && place_ != transfer.from) return;
    const int peer = order_[is_last ? transfer.from : transfer.to];
    vector_.send(peer, part(transfer.part), round);
    vector_.combine(peer, part(transfer.part), is_last ? Side::right : Side::left, round);
  }

  const std::vector<int>& order_;
  const int owners_, last_, place_;
  allreduce::Vector vector_;
};

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int owners = owners_of(problem, pattern);
  const std::vector<Transfer> spread = allreduce::spread_rounds(problem.ranks, owners);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    Builder(problem, order, owners, static_cast<int>(place), program).build(spread);
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, straggler) {
  return {.operation = Operation::allreduce,
          .name = "straggler",
          .idea = "the early ones reduce-scatter; the last exchanges parts, which spread at once",
          .cost = "(2P-4+ceil(log2 P))(alpha + m/(P-1) beta) + 2 m gamma",
          .source = "Devraj et al. 2025, StragglAR (arXiv 2505.23523)",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat
