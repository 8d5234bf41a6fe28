// Radix-k: the ranks form groups of k_1 neighbours, in which everyone gets an equal share of the
// vector from everyone; then groups of k_2 at distance k_1, and so on; P = k_1 k_2 ... k_r. The
// finished parts gather at the root along the way back, binomially inside the groups.
// Cost (equal arrivals): (sum (k_i - 1) + sum ceil(log2 k_i)) alpha + (P-1)/P m (2 beta + gamma);
//   the sums over i = 1 ... r, P processes, m bytes of the vector, alpha start-up time of a
//   message, beta transfer and gamma combining time per byte. For powers of two the second sum is
//   log2 P.
// Source: seed 004 Section 5.5.4, Table 3.

#include <bit>
#include <numeric>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/reduce/scattered.hpp"
#include "core/errors.hpp"

namespace pat::algorithm_reduce_radix_k {
namespace {

/// Factors of at most 8 where there are such, the larger ones last as in the paper's {4, 4, 8};
/// prime factors above 8 stay as they are.
std::vector<int> choose_factors(int ranks) {
  std::vector<int> factors;
  for (const int k : {4, 8, 6, 5, 7, 3, 2})
    while (ranks % k == 0 && (k != 4 || ranks / k != 2)) {
      factors.push_back(k);
      ranks /= k;
    }
  for (int k = 11; ranks > 1; k += 2)
    while (ranks % k == 0) {
      factors.push_back(k);
      ranks /= k;
    }
  return factors;
}

std::vector<int> factors_of(const Problem& problem) {
  if (problem.factors.empty()) return choose_factors(problem.ranks);
  long long product = 1;
  for (const int factor : problem.factors) {
    if (factor < 2 || product > problem.ranks)
      throw Error(ErrorKind::argument, "radix-k needs factors of at least 2 whose product is " +
                                           std::to_string(problem.ranks));
    product *= factor;
  }
  if (product != problem.ranks)
    throw Error(ErrorKind::argument, "the product of the factors for radix-k is " +
                                         std::to_string(product) + " instead of " +
                                         std::to_string(problem.ranks));
  return problem.factors;
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  Schedule schedule(problem);
  const std::vector<int> factors = factors_of(problem);
  std::vector<int> ranks(problem.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (!schedule.wants(rank)) continue;
    reduce::Scattered parts(schedule.problem, rank, schedule.programs[rank], problem.ranks);
    exchange_and_gather(parts, factors, ranks, rank, problem.root, !problem.commutative, 0);
    parts.finish();
  }
  return schedule;
}

double flat_s(const CostTerms& t) {
  double start_ups = 0.0;
  for (const int k : factors_of(t.problem))
    start_ups += k - 1 + std::bit_width(static_cast<unsigned>(k - 1));
  return start_ups * t.alpha + t.scattered();
}

}  // namespace

PAT_ALGORITHM(reduce, radix_k) {
  return {.operation = Operation::reduce,
          .name = "radix-k",
          .idea = "groups of k exchange shares of the vector, then gather",
          .cost = "(sum(k_i-1) + sum ceil(log2 k_i)) alpha + (P-1)/P m (2 beta + gamma)",
          .flat_s = flat_s,
          .source = "seed 004, Section 5.5.4, Table 3",
          .build = build};
}

}  // namespace pat::algorithm_reduce_radix_k
