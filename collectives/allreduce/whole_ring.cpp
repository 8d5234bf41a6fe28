// Whole ring: every vector travels once around the ring of ranks, and every rank combines all of
// them in rank order.
// Cost (equal arrivals): (P-1)(alpha + m beta) + (2P-3) m gamma; P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte. All
//   ranks combine in the same order and have the same bits: one does as vectors come, and the ring
//   waits for it, the next after the last has come. Scratch: P - 1 vectors.
// Source: seed 003 (allreduce, "Ring"); what is called a ring elsewhere stands there as
//   "ReduceScatter ring + Allgather ring", and here as `ring`.

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allreduce_whole_ring {
namespace {

/// The vector of a rank, where it lies, and the operation after which it does.
struct Held {
  Slice slice;
  OpId by;
};

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  const std::size_t units = problem.units;
  const OpId joined = program.join();
  if (units == 0) return;
  std::vector<Held> held(static_cast<std::size_t>(ranks));
  const auto of = [&](int distance) -> Held& {
    return held[static_cast<std::size_t>((rank - distance + ranks) % ranks)];
  };
  of(0) = {{Buffer::send, 0, units}, joined};
  for (int step = 1; step < ranks; ++step) {
    const auto round = static_cast<std::uint32_t>(step - 1);
    const Slice room = program.scratch(units);
    const OpId got =
        program.recv((rank + ranks - 1) % ranks, room, {of(step - 1).by, joined}, round);
    program.send((rank + 1) % ranks, of(step - 1).slice, {of(step - 1).by}, round);
    of(step) = {room, got};
  }
  const Slice result{Buffer::recv, 0, units};
  OpId done = program.copy(held.back().slice, result, {held.back().by, joined});
  for (std::size_t left = held.size() - 1; left-- > 0;)
    done = program.reduce(held[left].slice, result, {done, held[left].by});
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allreduce, whole_ring) {
  return {.operation = Operation::allreduce,
          .name = "whole-ring",
          .idea = "every vector travels once around a ring, all ranks combine all of them",
          .cost = "(P-1)(alpha + m beta) + (2P-3) m gamma",
          .flat_s =
              [](const CostTerms& t) {
                return (t.P - 1) * (t.alpha + t.n * t.beta) +
                       std::max(0.0, 2 * t.P - 3) * t.n * t.gamma;
              },
          .source = "seed 003",
          .build = build,
          .on_demand = true};
}

}  // namespace pat::algorithm_allreduce_whole_ring
