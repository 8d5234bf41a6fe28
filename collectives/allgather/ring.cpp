// Ring: in P-1 rounds every block travels once around the ring of ranks; each rank passes on what
// it has just received, from its receive buffer. Cost (equal arrivals): (P - 1)(alpha + n beta); P
// processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. With N segments a block (problem.segments) a
//   rank passes the first on while the second comes: (P - 1)(N alpha + n beta), which pays where
//   blocks differ: one block of n bytes alone takes (P - 2 + N)(alpha + n/N beta).
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.1.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat {
namespace {

int pieces_of(const Problem& problem) {
  return std::max(1, problem.segments);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = pieces_of(problem)};
}

void build_rank(const Problem& problem, const allgather::Blocks& blocks, int rank,
                Program& program) {
  const int ranks = problem.ranks, pieces = pieces_of(problem);
  const int next = (rank + 1) % ranks, previous = (rank - 1 + ranks) % ranks;
  const OpId joined = program.join();
  program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
  Slice going = blocks.own(rank);
  std::vector<OpId> here(static_cast<std::size_t>(pieces),
                         joined);  // what brought each piece of it
  for (int round = 0; round + 1 < ranks; ++round) {
    const int from = (rank - 1 - round + ranks) % ranks;
    const Slice coming = blocks.run(from, from + 1);
    for (int piece = 0; piece < pieces; ++piece) {
      allgather::send(program, next, part_of(going, pieces, piece), {here[piece]}, round);
      here[piece] =
          allgather::receive(program, previous, part_of(coming, pieces, piece), joined, round);
    }
    going = coming;
  }
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const allgather::Blocks blocks(problem);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, blocks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allgather, ring) {
  return {.operation = Operation::allgather,
          .name = "ring",
          .idea = "every block travels once around the ring of ranks",
          .cost = "(P-1)(N alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.N * t.alpha + t.n * t.beta); },
          .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.1",
          .build = build,
          .tune = tune};
}

}  // namespace pat
