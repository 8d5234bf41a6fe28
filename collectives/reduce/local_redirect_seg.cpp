// Local Redirect for data that can be cut: every segment has its own redirected binomial tree, and
// the trees are turned so that each process is the inner node of some and the leaf of others.
// Cost (equal arrivals): m beta + (P-1)/P m (beta + gamma) + 3 N alpha if no two processes waited
//   for each other; in simulate 1.4 (P = 4) to 2 times (P = 128) as much; P processes, N segments,
//   m bytes of the vector, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte.
// Source: the open question of seed 004 Section 8; the protocol is PAT's own, see
//   docs/local-redirect.md.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/dynamic/play.hpp"
#include "collectives/reduce/redirect.hpp"

namespace pat::algorithm_reduce_local_redirect_seg {
namespace {

/// More than this make many letters and little less time (docs/local-redirect.md).
constexpr int most_segments = 16;
/// Letters grow with the segments times the processes; who asks for more gets this many.
constexpr int most_asked = 256;

/// As many as there are processes to own one, as long as a segment takes several start-up times.
int segments_of(const Problem& problem) {
  const auto units = static_cast<int>(std::clamp<std::size_t>(problem.units, 1, 4096));
  if (problem.segments > 0) return std::min({problem.segments, units, most_asked});
  const LinkCost& cost = problem.cost;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double most =
      bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) / (4 * std::max(cost.alpha_s, 1e-12));
  return std::clamp(static_cast<int>(std::min<double>(most, most_segments)), 1,
                    std::min(units, std::max(1, problem.ranks - 1)));
}

std::unique_ptr<Protocol> protocol(const Problem& problem, int rank) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double patience_s = 4 * problem.cost.alpha_s + problem.cost.round_s(bytes) / 4;
  return redirect::make(redirect::Trees::segmented(problem, segments_of(problem)), rank,
                        patience_s);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return to_schedule(play(protocol, problem, pattern), problem, segments_of(problem));
}

}  // namespace

PAT_ALGORITHM(reduce, local_redirect_seg) {
  return {.operation = Operation::reduce,
          .name = "local-redirect-seg",
          .idea = "a redirected binomial tree for each segment, turned to spread the work",
          .cost = "1.4 to 2 times (m beta + (P-1)/P m (beta + gamma) + 3 N alpha)",
          .source = "seed 004, Section 8; docs/local-redirect.md",
          .build = build,
          .tune = tune,
          .protocol = protocol,
          .uses_pattern = true,
          .on_demand = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_local_redirect_seg
