// Circulant: a reduce-scatter and an allgather in which each round has one skip, by which every
// rank sends forwards, then backwards. Any P takes as few rounds as the next power of two.
// Cost (equal arrivals): 2 ceil(log2 P) alpha + (P-1)/P m (2 beta + gamma); P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
//   What wraps around the end of the vector is a second message: up to 4 ceil(log2 P) alpha.
// Source: Traeff 2024, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms"
//   (doi 10.34726/10760), Algorithms 1 and 2.

#include <numeric>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/circle.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_allreduce_circulant {
namespace {

std::vector<int> numbers_below(int end) {
  std::vector<int> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const std::vector<int> ranks = numbers_below(problem.ranks);
  const std::vector<int> bounds = numbers_below(problem.ranks + 1);
  return build_ranks(problem, [&](int rank, Program& program) {
    allreduce::Vector vector(problem, program, problem.ranks);
    vector.keep_order();
    allreduce::Circle circle(vector, ranks, rank, bounds);
    circle.reduce_scatter();
    circle.allgather();
    vector.finish();
  });
}

}  // namespace

PAT_ALGORITHM(allreduce, circulant) {
  return {.operation = Operation::allreduce,
          .name = "circulant",
          .idea = "reduce-scatter and allgather by halving skips, for any number of ranks",
          .cost = "2 ceil(log2 P) alpha + (P-1)/P m (2 beta + gamma)",
          .flat_s = [](const CostTerms& t) { return 2 * t.levels() * t.alpha + t.scattered(); },
          .source = "Traeff 2024 (doi 10.34726/10760)",
          .build = build,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_allreduce_circulant
