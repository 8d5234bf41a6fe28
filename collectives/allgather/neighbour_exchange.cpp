// Neighbour exchange: each rank exchanges blocks with its two neighbours in turn, first its own,
// then the two that it received last. Cost (equal arrivals, P even): P/2 alpha + (P - 1) n beta; P
// processes, n bytes of one block, alpha
//   start-up time of a message, beta transfer time per byte. With P odd the ranks do not pair up:
//   then it is the ring.
// Source: Chen, Zhang, Zhang, Yuan 2005, "Performance evaluation of allgather algorithms on
//   terascale Linux cluster with fast Ethernet".

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_neighbour_exchange {
namespace {

/// Ranks 2i and 2i + 1 are pair i. What a rank receives in round `round` is the block of its pair's
/// other one, then whole pairs: the next on its outer side, the next on the other, and so on.
int pair_received(int rank, int round, int pairs) {
  const int away = (round + 1) / 2, outwards = rank % 2 == 0 ? -1 : 1;
  const int step = round % 2 == 1 ? outwards * away : -outwards * away;
  return (rank / 2 + step + pairs) % pairs;
}

void build_rank(const Problem& problem, const allgather::Blocks& blocks, int rank,
                Program& program) {
  const int ranks = problem.ranks, pairs = ranks / 2, partner = rank ^ 1;
  const int outer = (rank % 2 == 0 ? rank - 1 + ranks : rank + 1) % ranks;
  const auto run = [&](int pair) { return blocks.run(2 * pair, 2 * pair + 2); };
  const OpId joined = program.join();
  const OpId copied = program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
  allgather::send(program, partner, blocks.own(rank), {joined}, 0);
  OpIds here = {copied,
                allgather::receive(program, partner, blocks.run(partner, partner + 1), joined, 0)};
  int going = rank / 2;
  for (int round = 1; round < pairs; ++round) {
    const int peer = round % 2 == 1 ? outer : partner;
    const int coming = pair_received(rank, round, pairs);
    allgather::send(program, peer, run(going), here, round);
    here = {allgather::receive(program, peer, run(coming), joined, round)};
    going = coming;
  }
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.ranks % 2 == 1)
    return get_algorithm(Operation::allgather, "ring").build(problem, pattern);
  const allgather::Blocks blocks(problem);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, blocks, rank, program); });
}

}  // namespace

PAT_ALGORITHM(allgather, neighbour_exchange) {
  return {.operation = Operation::allgather,
          .name = "neighbour-exchange",
          .idea = "each rank exchanges with its two neighbours in turn; the ring for odd P",
          .cost = "P/2 alpha + (P-1) n beta, P even",
          .flat_s = [](const CostTerms& t) { return t.P / 2 * t.alpha + (t.P - 1) * t.n * t.beta; },
          .source = "Chen, Zhang, Zhang, Yuan 2005",
          .build = build};
}

}  // namespace pat::algorithm_allgather_neighbour_exchange
