// Background early first: every block goes straight to its rank and lands before its receiver has
// come. A rank sends one block after another: first to the e processes that come first, of which
// each serves the next ones by place, then to the others.
// Cost (equal arrivals): (P - 1)(alpha + n beta); P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer time per byte. After a last arrival the same, for its own
//   blocks: those for it are there.
// Variant: e, as in early_first.cpp.
// Source: the idea of Qian and Afsahi 2009, "Process arrival pattern aware alltoall and allgather
//   on InfiniBand clusters", which was not read; receives in the background as in the linear
//   scatter of seed 001 Section 4.1.

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/early.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_alltoall_b_early_first {
namespace {

Slice block(const Problem& problem, Buffer buffer, int rank) {
  return {buffer, problem.block_offset(rank), problem.units};
}

/// Whom the process at `place` serves, in turn: places up to `early` come first.
std::vector<int> served_by(int place, int early, int ranks) {
  std::vector<int> places;
  const int late = ranks - early;
  for (int step = 0; step < early; ++step)
    places.push_back(place < early ? (place + step) % early : (place - early + step) % early);
  for (int step = 0; step < late; ++step) places.push_back(early + (place + step) % late);
  std::erase(places, place);
  return places;
}

void build_rank(const Problem& problem, const std::vector<int>& order, int early, int rank,
                Program& program) {
  const OpId joined = program.join();
  program.copy(block(problem, Buffer::send, rank), block(problem, Buffer::recv, rank), {joined});
  if (problem.units == 0) return;
  const auto place = static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin());
  OpId last = joined;
  for (const int to : served_by(place, early, problem.ranks))
    last = program.send(order[to], block(problem, Buffer::send, order[to]), {last});
  for (const int from : order)
    if (from != rank) program.recv(from, block(problem, Buffer::recv, from), {});
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> order = arrival_order(pattern);
  const int early = alltoall::early_of(problem, pattern);
  return build_ranks(problem, [&](int rank, Program& program) {
    build_rank(problem, order, early, rank, program);
  });
}

}  // namespace

PAT_ALGORITHM(alltoall, b_early_first) {
  return {.operation = Operation::alltoall,
          .name = "b-early-first",
          .idea = "blocks go straight to their ranks, early ones first, and land before these come",
          .cost = "(P-1)(alpha + n beta), also after a last arrival",
          .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta); },
          .source = "after Qian, Afsahi 2009",
          .build = build,
          .tune = alltoall::tune_early,
          .uses_pattern = true,
          .background = true,
          .needs_all_counts = true};
}

}  // namespace pat::algorithm_alltoall_b_early_first
