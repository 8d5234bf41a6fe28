// Clairvoyant allreduce: what remains when the last one comes is its own vector. Until then the e
// processes that come first have reduced and scattered among themselves to q owners, and other late
// ones have given the owners theirs. From then on its vector is broadcast on a circulant graph,
// combined by the owners on its way, and the process that has nobody to send to in a round gives
// back to the last one a piece that is finished.
// Cost: ceil(log2 e) alpha + (1 + 1/q) m beta + m gamma before and about (N + q)(alpha + m/N beta)
//   + m/q gamma from the last arrival on; P processes, m bytes of the vector, N pieces,
//   q = ceil(log2 P), alpha start-up time of a message, beta transfer and gamma combining time per
//   byte. With equal arrivals the sum of both. N = sqrt(q m beta / alpha) makes that least. No
//   process can have the last one's vector before alpha + m beta.
// Variant: e, from ceil(P/2) to P - 1.
// Window: rounds under way at a process, 2 q where it is known what leaves unasked, else 1.
// Source: own, for the first future work of seed 000. The broadcast and the reduce-scatter are
//   those of Traeff 2024: see patterns/circulant.hpp, allreduce/circle.hpp.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/chain.hpp"
#include "collectives/allreduce/circle.hpp"
#include "collectives/allreduce/late_one.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/early.hpp"
#include "collectives/patterns/pieces.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_allreduce_clairvoyant_allreduce {
namespace {

using allreduce::LateOne;
using allreduce::Transfer;
using reduce::Parts;
using reduce::Side;

/// Those whose vectors are with the owners when the next one comes, at least half of all, as the
/// owners are among them; all but one if there is no such gap.
int early_of(const Problem& problem, const ArrivalPattern& pattern) {
  const int half = (problem.ranks + 1) / 2;
  if (problem.variant >= half && problem.variant < problem.ranks) return problem.variant;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const LinkCost& cost = problem.cost;
  const int early = early_ones(
      pattern, [&](int count) { return ceil_log2(count) * cost.alpha_s + cost.round_s(bytes); });
  return early >= half ? early : problem.ranks - 1;
}

/// Where rounds overlap, two messages to each neighbour are under way.
constexpr int per_neighbour = 2;

int at_once(const Problem& problem) {
  return rounds_at_once(problem, per_neighbour * ceil_log2(problem.ranks));
}

/// As many for each early one, if there are enough, so that their shares are equal. What overlaps
/// is cut into pieces that are shorter than need be to leave unasked.
int pieces_of(const Problem& problem, int early) {
  if (problem.segments > 0) return problem.segments;
  int best = allreduce::chain_segments(problem, ceil_log2(problem.ranks));
  const int unasked = unasked_pieces(problem, problem.block_bytes());
  if (unasked > 1 && at_once(problem) > 1)
    best = std::max(best, std::min(per_neighbour * unasked, most_unasked_pieces));
  if (early < 1 || best < early) return best;
  return best - best % early;
}

Tuning tune(const Problem& problem, const ArrivalPattern& pattern) {
  const int early = early_of(problem, pattern);
  return {.segments = pieces_of(problem, early), .variant = early};
}

Parts overlap(Parts a, Parts b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

class Builder {
 public:
  Builder(const Problem& problem, const std::vector<int>& order, int early, int pieces, int place,
          const LateOne& late, Program& program)
      : order_(order),
        early_(order.begin(), order.begin() + early),
        last_(problem.ranks - 1),
        place_(place),
        at_once_(at_once(problem)),
        late_(late),
        vector_(problem, program, pieces) {
    vector_.ask();
    for (int share = 0; share <= early; ++share)
      bounds_.push_back(static_cast<int>(static_cast<long>(share) * pieces / std::max(1, early)));
  }

  void build() {
    if (place_ < early_count()) {
      allreduce::Circle circle(vector_, early_, place_, bounds_);
      circle.reduce_scatter();
      gather_at_owners(static_cast<std::uint32_t>(circle.levels()));
    } else if (place_ < last_) {
      hand_out();
    }
    vector_.keep_order(at_once_);
    for (const Transfer& transfer : late_.transfers()) {
      if (node(place_) == transfer.from)
        vector_.send(rank(transfer.to), late_.place_of(transfer.part), round(transfer));
      if (node(place_) != transfer.to) continue;
      if (transfer.from == 0)
        vector_.combine(rank(0), late_.place_of(transfer.part), Side::either, round(transfer));
      else
        vector_.receive(rank(transfer.from), late_.place_of(transfer.part), round(transfer));
    }
    vector_.finish();
  }

 private:
  int early_count() const { return static_cast<int>(early_.size()); }
  /// Places on the circulant graph: the last one is 0, who comes first 1.
  int node(int place) const { return place == last_ ? 0 : place + 1; }
  int rank(int node) const { return order_[node == 0 ? last_ : node - 1]; }
  std::uint32_t round(const Transfer& transfer) const {
    return static_cast<std::uint32_t>(ceil_log2(std::max(1, early_count())) + 1 + transfer.round);
  }
  Parts share(int place) const { return {bounds_[place], bounds_[place + 1]}; }
  int owners() const { return static_cast<int>(late_.owners().size()); }
  int owner_place(int owner) const { return late_.owners()[owner] - 1; }

  /// Every owner gets its pieces from who has reduced them, and its part of what comes later.
  void gather_at_owners(std::uint32_t round) {
    for (int owner = 0; owner < owners(); ++owner) {
      const int there = owner_place(owner);
      for (const Parts& wanted : {late_.run_of(owner), late_.last_of(owner)}) {
        if (there != place_) {
          vector_.send(order_[there], overlap(wanted, share(place_)), round);
          continue;
        }
        for (int other = 0; other < early_count(); ++other)
          if (other != place_) vector_.receive(order_[other], overlap(wanted, share(other)), round);
      }
    }
    for (int owner = 0; owner < owners(); ++owner)
      if (owner_place(owner) == place_) take_from_late_ones(owner, round);
  }

  void take_from_late_ones(int owner, std::uint32_t round) {
    for (int late = early_count(); late < last_; ++late)
      for (const Parts& wanted : {late_.run_of(owner), late_.last_of(owner)})
        vector_.combine(order_[late], wanted, Side::either, round);
  }

  void hand_out() {
    for (int owner = 0; owner < owners(); ++owner)
      for (const Parts& wanted : {late_.run_of(owner), late_.last_of(owner)})
        vector_.send(order_[owner_place(owner)], wanted,
                     static_cast<std::uint32_t>(ceil_log2(early_count())));
  }

  const std::vector<int>& order_;
  const std::vector<int> early_;
  const int last_, place_, at_once_;
  const LateOne& late_;
  std::vector<int> bounds_;
  allreduce::Vector vector_;
};

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int early = early_of(problem, pattern);
  const int pieces = pieces_of(problem, early);
  const LateOne late(problem.ranks, pieces);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    Builder(problem, order, early, pieces, static_cast<int>(place), late, program).build();
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, clairvoyant_allreduce) {
  return {.operation = Operation::allreduce,
          .name = "clairvoyant-allreduce",
          .idea = "what remains when the last one comes is its own vector, which is broadcast",
          .cost =
              "(ceil(log2 P) + 1) alpha + (1 + 1/ceil(log2 P)) m beta + m gamma + (N + "
              "ceil(log2 P))(alpha + m/N beta)",
          .flat_s =
              [](const CostTerms& t) {
                const double q = std::max(1.0, t.levels());
                return (q + 1) * t.alpha + (1 + 1 / q) * t.n * t.beta + t.n * t.gamma +
                       (t.N + q) * (t.alpha + t.n / t.N * t.beta);
              },
          .source = "own; Traeff 2024 for the parts",
          .build = build,
          .tune = tune,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_clairvoyant_allreduce
