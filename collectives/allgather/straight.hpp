#pragma once

#include <vector>

#include "collectives/allgather/blocks.hpp"

namespace pat::allgather {

/// Every block goes straight from its rank to all others, one after another. `order` says in which
/// order a rank serves the others, from the one after it on; in the background blocks land before
/// their receiver has come.
struct Straight {
  std::vector<int> order;
  bool background = false;
};

inline Schedule build_straight(const Problem& problem, const Straight& plan) {
  const Blocks blocks(problem);
  const int ranks = problem.ranks;
  return build_places(problem, plan.order, [&](int place, Program& program) {
    const int rank = plan.order[place];
    const OpId joined = program.join();
    program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
    for (int step = 1; step < ranks; ++step) {
      const int to = plan.order[(place + step) % ranks];
      const int from = plan.order[(place - step + ranks) % ranks];
      send(program, to, blocks.own(rank), {joined}, 0);
      const Slice target = blocks.run(from, from + 1);
      if (target.length == 0) continue;
      program.recv(from, target, plan.background ? OpIds{} : OpIds{joined}, 0);
    }
  });
}

}  // namespace pat::allgather
