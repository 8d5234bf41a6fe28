// Background sorted linear gather with broadcast: one process takes the blocks in as they come, and
// each goes down a chain in the order of arrivals; all of it lands before a process arrives.
// Cost (equal arrivals): about (2 P - 2)(alpha + n beta); P processes, n bytes of one block, alpha
//   start-up time of a message, beta transfer time per byte. After a last arrival its block goes to
//   the head and down the chain: (P - 1)(alpha + n beta). The head is the first to come.
// Source: the idea of Proficz 2021, "All-gather algorithms resilient to imbalanced process arrival
//   patterns" (ACM TACO 18(4), a background sorted linear gather, then a broadcast), of which the
//   abstract was read; that each block is broadcast by itself, and by a chain, is our own.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allgather_bslb {
namespace {

/// The chain of places 0, 1, 2, ... that a block goes down, past its owner, who has it.
int next_place(int place, int owner) {
  return place + 1 == owner ? place + 2 : place + 1;
}
int previous_place(int place, int owner) {
  return place - 1 == owner && owner > 0 ? place - 2 : place - 1;
}

/// A block that goes on waits in scratch, as the receive buffer is the user's until he arrives.
void build_rank(const allgather::Blocks& blocks, const std::vector<int>& order, int place,
                Program& program) {
  const int ranks = static_cast<int>(order.size()), rank = order[place];
  const OpId joined = program.join();
  program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined});
  if (place > 0) allgather::send(program, order[0], blocks.own(rank), {joined}, place);
  for (int owner = 0; owner < ranks; ++owner) {
    const Slice home = blocks.run(order[owner], order[owner] + 1);
    if (home.length == 0 || (owner == place && place > 0)) continue;
    const int next = next_place(place, owner);
    const bool goes_on = next < ranks;
    if (owner == place) {
      if (goes_on) allgather::send(program, order[next], blocks.own(rank), {joined}, owner);
      continue;
    }
    const int from = place == 0 ? owner : previous_place(place, owner);
    const Slice lands = goes_on ? program.scratch(home.length) : home;
    const OpId here = program.recv(order[from], lands, {}, static_cast<std::uint32_t>(owner));
    if (!goes_on) continue;
    allgather::send(program, order[next], lands, {here}, owner);
    program.copy(lands, home, {joined, here});
  }
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const allgather::Blocks blocks(problem);
  const std::vector<int> order = allgather::order_of(problem, pattern);
  return allgather::build_places(problem, order, [&](int place, Program& program) {
    build_rank(blocks, order, place, program);
  });
}

}  // namespace

PAT_ALGORITHM(allgather, bslb) {
  return {.operation = Operation::allgather,
          .name = "bslb",
          .idea = "one takes blocks in as they come and sends each down a chain, in the background",
          .cost = "(2P-2)(alpha + n beta)",
          .flat_s = [](const CostTerms& t) { return (2 * t.P - 2) * (t.alpha + t.n * t.beta); },
          .source = "after Proficz 2021",
          .build = build,
          .uses_pattern = true,
          .background = true};
}

}  // namespace pat::algorithm_allgather_bslb
