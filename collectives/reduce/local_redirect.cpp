// Local Redirect: a binomial tree in which the children of a late parent are redirected to one that
// has come: whoever holds a value and is free asks for one of those who are there.
// Cost (equal arrivals): alpha + ceil(log2 P) (2 alpha + m beta + m gamma); P processes, m bytes of
//   the vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
// Source: named in seed 004 Sections 2.3 and 5.7 and in Table 5; the protocol is PAT's own, see
//   docs/local-redirect.md.

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/dynamic/play.hpp"
#include "collectives/reduce/redirect.hpp"

namespace pat::algorithm_reduce_local_redirect {
namespace {

std::unique_ptr<Protocol> protocol(const Problem& problem, int rank) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double patience_s = 4 * problem.cost.alpha_s + problem.cost.round_s(bytes) / 16;
  return redirect::make(redirect::Trees::atomic(problem), rank, patience_s);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return to_schedule(play(protocol, problem, pattern), problem, 1);
}

}  // namespace

PAT_ALGORITHM(reduce, local_redirect) {
  return {.operation = Operation::reduce,
          .name = "local-redirect",
          .idea = "binomial tree, the children of a late parent go to one that has come",
          .cost = "alpha + ceil(log2 P) (2 alpha + m beta + m gamma)",
          .flat_s =
              [](const CostTerms& t) {
                return t.alpha + t.levels() * (2 * t.alpha + t.n * (t.beta + t.gamma));
              },
          .source = "seed 004, Sections 2.3, 5.7; docs/local-redirect.md",
          .build = build,
          .protocol = protocol,
          .uses_pattern = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_local_redirect
