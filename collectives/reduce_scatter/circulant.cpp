// Circulant: each round has one skip, by which every rank sends forwards all that is to go that
// far. Any P takes as few rounds as the next power of two. Cost (equal arrivals): ceil(log2 P)
// alpha + (P-1) n (beta + gamma); P processes, n bytes of one
//   block, alpha start-up time of a message, beta transfer and gamma combining time per byte. What
//   wraps around the end of the vector is a second message: up to 2 ceil(log2 P) alpha.
// Source: Traeff 2024, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms"
//   (arXiv 2410.14234), Algorithm 1.

#include <numeric>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/circle.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce_scatter/bounds.hpp"

namespace pat::algorithm_reduce_scatter_circulant {
namespace {

std::vector<int> numbers_below(int end) {
  std::vector<int> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const std::vector<int> ranks = numbers_below(problem.ranks);
  const std::vector<int> shares = numbers_below(problem.ranks + 1);
  return build_ranks(problem, [&](int rank, Program& program) {
    allreduce::Vector vector(problem, program, reduce_scatter::block_bounds(problem));
    allreduce::Circle(vector, ranks, rank, shares).reduce_scatter();
    vector.hand_over({rank, rank + 1});
  });
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, circulant) {
  return {.operation = Operation::reduce_scatter,
          .name = "circulant",
          .idea = "all send by one skip a round, so that any P takes ceil(log2 P) rounds",
          .cost = "ceil(log2 P) alpha + (P-1) n (beta + gamma)",
          .flat_s =
              [](const CostTerms& t) {
                return t.levels() * t.alpha + (t.P - 1) * t.n * (t.beta + t.gamma);
              },
          .source = "Traeff 2024 (arXiv 2410.14234), Algorithm 1",
          .build = build,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_scatter_circulant
