// Bruck: a rank collects its own block and those of the ranks after it, and in each round receives
// as many as it has from the rank that many places on.
// Cost (equal arrivals): ceil(log2 P) alpha + (P - 1) n beta; P processes, n bytes of one block,
//   alpha start-up time of a message, beta transfer time per byte.
// Layout: scratch holds the blocks from the own one on, around the end of the ranks, so every
//   message is one run of it; at last all is copied home, in two runs.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, "Efficient algorithms for all-to-all
//   communications in multiport message-passing systems"; Thakur, Rabenseifner, Gropp 2005,
//   Section 4.1.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_bruck {
namespace {

void build_rank(const Problem& problem, const allgather::Blocks& blocks, int rank,
                Program& program) {
  const int ranks = problem.ranks;
  const Slice all = program.scratch(blocks.units(0, ranks));
  const auto units_before = [&](int place) {  // of the blocks from the own one on
    const int before_end = std::min(place, ranks - rank);
    return blocks.units(rank, rank + before_end) + blocks.units(0, place - before_end);
  };
  const auto run = [&](int first, int last) {
    return Slice{Buffer::scratch, all.offset + units_before(first),
                 units_before(last) - units_before(first)};
  };
  const OpId joined = program.join();
  OpIds here{program.copy(blocks.own(rank), run(0, 1), {joined})};
  for (int have = 1, round = 0; have < ranks; have *= 2, ++round) {
    const int more = std::min(have, ranks - have);
    allgather::send(program, (rank - have + ranks) % ranks, run(0, more), here, round);
    here.push_back(
        allgather::receive(program, (rank + have) % ranks, run(have, have + more), joined, round));
  }
  program.copy(run(0, ranks - rank), blocks.run(rank, ranks), here);
  program.copy(run(ranks - rank, ranks), blocks.run(0, rank), here);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const allgather::Blocks blocks(problem);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, blocks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allgather, bruck) {
  return {
      .operation = Operation::allgather,
      .name = "bruck",
      .idea = "each round doubles the blocks that a rank has, from its own one on",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005, Section 4.1",
      .build = build};
}

}  // namespace pat::algorithm_allgather_bruck
