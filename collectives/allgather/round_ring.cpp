#include "collectives/allgather/round_ring.hpp"

#include "collectives/allgather/blocks.hpp"

namespace pat::allgather {
namespace {

void build_rank(const Blocks& blocks, const std::vector<int>& order, int place, int pieces,
                Program& program) {
  const int ranks = static_cast<int>(order.size());
  const int rank = order[place];
  const int next = order[(place + 1) % ranks], previous = order[(place - 1 + ranks) % ranks];
  const OpId joined = program.join();
  program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
  Slice going = blocks.own(rank);
  OpIds here(static_cast<std::size_t>(pieces),
             joined);  // what brought each piece of it
  for (int round = 0; round + 1 < ranks; ++round) {
    const int from = order[(place - 1 - round + ranks) % ranks];
    const Slice coming = blocks.run(from, from + 1);
    for (int piece = 0; piece < pieces; ++piece) {
      send(program, next, part_of(going, pieces, piece), {here[piece]}, round);
      here[piece] = receive(program, previous, part_of(coming, pieces, piece), joined, round);
    }
    going = coming;
  }
}

}  // namespace

Schedule build_ring(const Problem& problem, const std::vector<int>& order, int pieces) {
  const Blocks blocks(problem);
  return build_places(problem, order, [&](int place, Program& program) {
    build_rank(blocks, order, place, pieces, program);
  });
}

}  // namespace pat::allgather
