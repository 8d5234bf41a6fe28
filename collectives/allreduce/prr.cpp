// Pre-reduced ring: the processes stand in the order of arrivals; those that come long before the
// last combine their vectors along a chain while they wait, and only the others work in a ring,
// each part of the vector beginning its way with what the early ones have. The finished parts then
// travel once around the ring of all.
// Cost (equal arrivals): as ring, 2 (P-1) N alpha + (P-1)/P m (2 beta + gamma); P processes, m
//   bytes of the vector, N segments of each of the P parts (problem.segments; 1 unless set), alpha
//   start-up time of a message, beta transfer and gamma combining time per byte. With g processes
//   in the ring, after these have come: about (g - 1)/g m (beta + gamma) + (2 P - 2)/P m beta less
//   what the parts that are finished first travel meanwhile.
// Variant: g, from 1 to P.
// Source: Proficz 2018, "Improving all-reduce collective operations for imbalanced process arrival
//   patterns" (arXiv 1804.05349): the idea; own schedule, which pre-reduces in one
//   chain.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/early.hpp"
#include "collectives/patterns/pieces.hpp"

namespace pat::algorithm_allreduce_prr {
namespace {

using reduce::Parts;
using reduce::Side;

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return unasked_pieces(problem, problem.block_bytes() / problem.ranks);
}

/// The early ones are those whose chain is over when the first of the others comes.
int ring_size(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.variant >= 1 && problem.variant <= problem.ranks) return problem.variant;
  const double chain_s =
      problem.cost.round_s(static_cast<double>(problem.units * problem.unit_bytes) / problem.ranks);
  return problem.ranks -
         early_ones(pattern, [&](int early) { return chain_s * (early + problem.ranks); });
}

Tuning tune(const Problem& problem, const ArrivalPattern& pattern) {
  return {.segments = segments_of(problem), .variant = ring_size(problem, pattern)};
}

class Builder {
 public:
  Builder(const Problem& problem, const std::vector<int>& order, int ring, int place,
          Program& program)
      : order_(order),
        ranks_(problem.ranks),
        ring_(ring),
        early_(ranks_ - ring),
        segments_(segments_of(problem)),
        place_(place),
        vector_(problem, program, ranks_ * segments_) {}

  void build() {
    if (place_ < early_)
      chain();
    else
      reduce_in_ring();
    spread();
    vector_.finish();
  }

 private:
  /// The place in the ring where part `part` begins; it is finished at the one before it.
  int first_of(int part) const { return (part + 1) % ring_; }

  template <class Do>
  void each_segment(int part, Do what) {
    for (int s = part * segments_; s < (part + 1) * segments_; ++s) what(Parts{s, s + 1});
  }

  void chain() {
    for (int part = 0; part < ranks_; ++part)
      each_segment(part, [&](Parts piece) {
        if (place_ > 0) vector_.combine(order_[place_ - 1], piece, Side::either);
        const int next = place_ + 1 < early_ ? place_ + 1 : early_ + first_of(part);
        vector_.send(order_[next], piece);
      });
  }

  void reduce_in_ring() {
    const int own = place_ - early_;
    const int previous = order_[early_ + (own - 1 + ring_) % ring_];
    const int next = order_[early_ + (own + 1) % ring_];
    for (int step = 0; step < ring_; ++step)
      for (int part = 0; part < ranks_; ++part) {
        // Here in this step is what began as many places before.
        if ((first_of(part) + step) % ring_ != own) continue;
        each_segment(part, [&](Parts piece) {
          if (step > 0)
            vector_.combine(previous, piece, Side::either);
          else if (early_ > 0)
            vector_.combine(order_[early_ - 1], piece, Side::either);
          if (step + 1 < ring_) vector_.send(next, piece);
        });
      }
  }

  /// In the ring of all: the late ones, then the early ones, the latest of these first. Part p
  /// begins where it was finished.
  void spread() {
    const auto position = [&](int p) { return p >= early_ ? p - early_ : ranks_ - 1 - p; };
    const auto at = [&](int where) {
      const int p = (where + ranks_) % ranks_;
      return order_[p < ring_ ? early_ + p : ranks_ - 1 - p];
    };
    const int here = position(place_);
    for (int step = 0; step < ranks_; ++step)
      for (int part = 0; part < ranks_; ++part) {
        if ((part % ring_ + step) % ranks_ != here) continue;
        each_segment(part, [&](Parts piece) {
          if (step > 0) vector_.receive(at(here - 1), piece);
          if (step + 1 < ranks_) vector_.send(at(here + 1), piece);
        });
      }
  }

  const std::vector<int>& order_;
  const int ranks_, ring_, early_, segments_, place_;
  allreduce::Vector vector_;
};

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int ring = ring_size(problem, pattern);
  return build_ranks(problem, [&](int rank, Program& program) {
    const auto place = std::find(order.begin(), order.end(), rank) - order.begin();
    Builder(problem, order, ring, static_cast<int>(place), program).build();
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, prr) {
  return {
      .operation = Operation::allreduce,
      .name = "prr",
      .idea = "a ring of the late ones, to which the early ones give what they have combined",
      .cost = "2 (P-1) N alpha + (P-1)/P m (2 beta + gamma)",
      .flat_s = [](const CostTerms& t) { return 2 * (t.P - 1) * t.N * t.alpha + t.scattered(); },
      .source = "Proficz 2018",
      .build = build,
      .tune = tune,
      .uses_pattern = true,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_prr
