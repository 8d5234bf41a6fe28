#include "collectives/clairvoyant/segments.hpp"

#include <algorithm>
#include <bit>

#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/patterns/pieces.hpp"

namespace pat::clairvoyant {
namespace {

double run_s(Problem problem, int segments, const ArrivalPattern& pattern,
             const CostModel& network) {
  problem.segments = segments;
  problem.only_rank = -1;
  Schedule schedule = to_schedule(problem, plan(problem, pattern).list, segments);
  seal(schedule);
  if (problem.rounds.empty()) return simulate(schedule, pattern, network).run_time_s();
  // Messages of this size cost what a round of them was measured to take.
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes) / segments;
  const double modelled_s =
      network.alpha_s + bytes * (network.beta_s_per_byte + network.gamma_s_per_byte);
  const double correction = modelled_s > 0.0 ? round_length_s(problem, segments) / modelled_s : 1.0;
  return simulate(schedule, pattern, corrected(network, correction)).run_time_s();
}

}  // namespace

int choose_segments(const Problem& problem, const ArrivalPattern& pattern,
                    const CostModel& network) {
  if (problem.segments > 0) return problem.segments;
  const int most =
      static_cast<int>(std::bit_floor(std::clamp<std::size_t>(problem.units, 1, 4096)));
  int best = segments_for(problem, pattern);
  double best_s = run_s(problem, best, pattern, network);
  const auto try_out = [&](int segments) {
    const double time_s = run_s(problem, segments, pattern, network);
    if (time_s >= best_s) return false;
    best = segments;
    best_s = time_s;
    return true;
  };
  bool fewer = false;
  while (best > 1 && try_out(best / 2)) fewer = true;
  while (!fewer && 2 * best <= most && try_out(2 * best)) continue;
  const int power = best;
  for (const int between : {3 * power / 4, 3 * power / 2})
    if (between >= 1 && between != power && between <= most) try_out(between);
  return std::max(best, unasked_pieces(problem, problem.block_bytes()));
}

}  // namespace pat::clairvoyant
