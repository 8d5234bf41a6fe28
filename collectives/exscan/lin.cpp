// Linear: what the ranks before have combined comes to a rank in one message, and goes on with its
// own vector to the next.
// Cost (equal arrivals): (P - 1)(alpha + m (beta + gamma)); P processes, m bytes of the vector,
//   alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: MPI 4.0, Section 6.11.2; Open MPI's basic linear exscan.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scan/chain.hpp"

namespace pat::algorithm_exscan_lin {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return scan::build_chain(problem, 1, scan::Prefix::exclusive);
}

}  // namespace

PAT_ALGORITHM(exscan, lin) {
  return {
      .operation = Operation::exscan,
      .name = "lin",
      .idea = "a chain of all ranks, whole vectors",
      .cost = "(P-1)(alpha + m (beta + gamma))",
      .flat_s = [](const CostTerms& t) { return (t.P - 1) * (t.alpha + t.n * (t.beta + t.gamma)); },
      .source = "Open MPI, basic linear",
      .build = build};
}

}  // namespace pat::algorithm_exscan_lin
