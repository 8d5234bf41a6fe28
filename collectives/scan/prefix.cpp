#include "collectives/scan/prefix.hpp"

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::scan {

double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach) {
  if (problem.units == 0) return 0.0;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  double end_s = 0.0;
  for (int rank = 0; rank + 1 < problem.ranks; ++rank) {
    const double leaves_s = std::max(model.alpha_s + bytes * model.beta_s_per_byte,
                                     ceil_log2(problem.ranks - rank) * model.alpha_s);
    end_s = std::max(end_s, pattern.offset_s[rank] + leaves_s);
  }
  return end_s;
}

}  // namespace pat::scan
