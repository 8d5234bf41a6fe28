// Reduce, then broadcast: whole vectors go up a binomial tree to rank 0, operands in rank order,
// and the result comes back down the same tree.
// Cost (equal arrivals): ceil(log2 P) (2 alpha + m (2 beta + gamma)); P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: seed 003 (allreduce as reduce and broadcast).

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/binomial.hpp"

namespace pat::algorithm_allreduce_reduce_bcast {
namespace {

using reduce::Side;

void build_rank(const Problem& problem, int rank, Program& program) {
  allreduce::Vector vector(problem, program, 1);
  const std::vector<int> children = binomial::low_bit_children(rank, problem.ranks);
  const int parent = rank & (rank - 1);
  for (auto child = children.rbegin(); child != children.rend(); ++child)
    vector.combine(*child, vector.all(), Side::right);
  if (rank > 0) {
    vector.send(parent, vector.all());
    vector.receive(parent, vector.all(), 1);
  }
  for (const int child : children) vector.send(child, vector.all(), 1);
  vector.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

/// As simulated, where who has the vector serves its smallest subtree first: 1 + 2 + ... + levels
/// messages on the way down.
double flat_s(const CostTerms& t) {
  const double up = t.levels(), down = up * (up + 1) / 2;
  return up * (t.alpha + t.n * (t.beta + t.gamma)) + down * (t.alpha + t.n * t.beta);
}

}  // namespace

PAT_ALGORITHM(allreduce, reduce_bcast) {
  return {.operation = Operation::allreduce,
          .name = "reduce-bcast",
          .idea = "binomial tree up to rank 0 and down again, whole vectors",
          .cost = "ceil(log2 P) (2 alpha + m (2 beta + gamma))",
          .flat_s = flat_s,
          .source = "seed 003",
          .build = build};
}

}  // namespace pat::algorithm_allreduce_reduce_bcast
