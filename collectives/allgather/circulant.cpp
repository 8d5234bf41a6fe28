// Circulant: a rank collects its own block and those of the ranks after it; in each round the run
// grows by one skip of a circulant graph, and goes to where it belongs at once.
// Cost (equal arrivals): ceil(log2 P) alpha + (P - 1) n beta; P processes, n bytes of one block,
//   alpha start-up time of a message, beta transfer time per byte. What wraps around the end of the
//   buffer is a second message: up to 2 ceil(log2 P) alpha. Bruck's algorithm with rounds of equal
//   growth and without its copies.
// Source: Traeff 2024, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms"
//   (doi 10.34726/10760), Algorithm 2.

#include <algorithm>

#include "collectives/patterns/circulant.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_circulant {
namespace {

/// The blocks of `count` ranks from `first` on as they lie in the receive buffer, around its end.
std::vector<Slice> runs(const allgather::Blocks& blocks, int first, int count, int ranks) {
  const int before_end = std::min(count, ranks - first);
  return {blocks.run(first, first + before_end), blocks.run(0, count - before_end)};
}

void build_rank(const Problem& problem, const allgather::Blocks& blocks, int rank,
                Program& program) {
  const int ranks = problem.ranks;
  std::vector<int> skips = circulant_skips(ranks);
  std::sort(skips.begin(), skips.end());
  const OpId joined = program.join();
  OpIds here{program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined})};
  for (std::size_t round = 0; round + 1 < skips.size(); ++round) {
    const int have = skips[round], more = skips[round + 1] - have;
    const int to = (rank - have + ranks) % ranks, from = (rank + have) % ranks;
    for (const Slice& run : runs(blocks, rank, more, ranks))
      allgather::send(program, to, run, here, static_cast<int>(round));
    for (const Slice& run : runs(blocks, from, more, ranks))
      if (run.length > 0)
        here.push_back(allgather::receive(program, from, run, joined, static_cast<int>(round)));
  }
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const allgather::Blocks blocks(problem);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, blocks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allgather, circulant) {
  return {
      .operation = Operation::allgather,
      .name = "circulant",
      .idea = "each round adds a skip of a circulant graph to the run of blocks that a rank has",
      .cost = "ceil(log2 P) alpha + (P-1) n beta",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "Traeff 2024 (doi 10.34726/10760)",
      .build = build};
}

}  // namespace pat::algorithm_allgather_circulant
