// Linear gather: the root receives the blocks one after another in rank order.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte.
// Source: seed 001 Section 2.1, Eqs. 3 and 4.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/gather/star.hpp"

namespace pat::algorithm_gather_lin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  Schedule schedule(problem);
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (!schedule.wants(rank)) continue;
    Program& program = schedule.programs[rank];
    OpId previous = program.join();
    if (rank != problem.root) {
      program.send(problem.root, gather::own_block(problem, rank), {previous});
      continue;
    }
    program.copy(gather::own_block(problem, rank), gather::root_block(problem, rank), {previous});
    for (int leaf = 0; leaf < problem.ranks; ++leaf)
      if (leaf != rank)
        previous = program.recv(leaf, gather::root_block(problem, leaf), {previous});
  }
  return schedule;
}

}  // namespace

PAT_ALGORITHM(gather, lin) {
  return {.operation = Operation::gather,
          .name = "lin",
          .idea = "the root receives the blocks in rank order",
          .cost = "(P-1)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "seed 001, Section 2.1, Eqs. 3, 4",
          .build = build};
}

}  // namespace pat::algorithm_gather_lin
