// Recursive doubling: in each round pairs of ranks, twice as far apart as before, exchange the sums
// of their groups; who is in the upper group puts what comes to the left of its result as well.
// Sums that no later rank will ask for are not sent.
// Cost (equal arrivals): ceil(log2 P) (alpha + m (beta + 2 gamma)) at most; P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: Hillis, Steele 1986, "Data parallel algorithms" (prefix sums in log2 P steps); in groups,
//   as MPICH has it. That the last sums stay at home is our own.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/scan/doubling.hpp"

namespace pat::algorithm_scan_recursive_doubling {
namespace {

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return scan::build_doubling(problem, scan::Prefix::inclusive);
}

}  // namespace

PAT_ALGORITHM(scan, recursive_doubling) {
  return {
      .operation = Operation::scan,
      .name = "recursive-doubling",
      .idea = "pairs, twice as far apart each round, exchange the sums of their groups",
      .cost = "ceil(log2 P) (alpha + m (beta + 2 gamma)) at most",
      .flat_s =
          [](const CostTerms& t) { return t.levels() * (t.alpha + t.n * (t.beta + 2 * t.gamma)); },
      .source = "Hillis, Steele 1986; MPICH",
      .build = build};
}

}  // namespace pat::algorithm_scan_recursive_doubling
