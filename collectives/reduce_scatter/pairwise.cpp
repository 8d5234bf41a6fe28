// Pairwise: in step k each rank sends the block of the one k places on and receives for its own
// from the one k places before. What comes from lower ranks is combined to the left of its own,
// what comes from higher ones apart, and both at last: operands keep the order of ranks. Cost
// (equal arrivals): (P-1)(alpha + n beta) + n gamma, and (P-2) n gamma besides as far as
//   combining takes longer than the next message; P processes, n bytes of one block, alpha start-up
//   time of a message, beta transfer and gamma combining time per byte.
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.4; the two sums are our own.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce_scatter/direct.hpp"

namespace pat::algorithm_reduce_scatter_pairwise {
namespace {

void build_rank(const Problem& problem, int rank, Program& program) {
  const int ranks = problem.ranks;
  reduce_scatter::Direct direct(problem, rank, program);
  for (int step = 1; step < ranks; ++step) direct.send((rank + step) % ranks, step - 1);
  if (direct.is_empty()) return;
  // The sum of the own and the lower ones: lies where the result will, if there are no higher ones.
  const bool highest = rank + 1 == ranks;
  Slice low = direct.own();
  OpId low_written = direct.joined();
  if (rank > 0 || highest) {
    low = highest ? direct.result() : program.scratch(low.length);
    low_written = program.copy(direct.own(), low, {direct.joined()});
  }
  for (int from = rank - 1; from >= 0; --from)
    low_written = direct.combine(from, low, low_written, rank - from - 1);
  if (highest) return;
  OpId high_written = direct.receive(ranks - 1, direct.result(), rank);
  for (int from = ranks - 2; from > rank; --from)
    high_written = direct.combine(from, direct.result(), high_written, rank + ranks - from - 1);
  program.reduce(low, direct.result(), {low_written, high_written},
                 static_cast<std::uint32_t>(ranks - 1));
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, pairwise) {
  return {
      .operation = Operation::reduce_scatter,
      .name = "pairwise",
      .idea = "one step after the other, each rank sends one block and combines one, in rank order",
      .cost = "(P-1)(alpha + n beta) + n gamma",
      .flat_s =
          [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * t.beta) + t.n * t.gamma; },
      .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.4",
      .build = build};
}

}  // namespace pat::algorithm_reduce_scatter_pairwise
