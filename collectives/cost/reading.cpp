#include "collectives/cost/reading.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/statistics.hpp"

namespace pat {
namespace {

/// Up to here an exact reading is the best one for uniform arrivals (reduce_study forecast).
constexpr double known_rounds = 2.0;
/// Of so many one counts as late. A blind schedule does well while half the processes are there.
constexpr std::size_t late_one_of = 8;

double half_width_s(const ArrivalPattern& forecast) {
  return forecast.half_width_s.empty() ? 0.0 : median(forecast.half_width_s);
}

double widest_gap_before_the_late_s(const ArrivalPattern& pattern) {
  std::vector<double> sorted = pattern.offset_s;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t late = std::max<std::size_t>(1, sorted.size() / late_one_of);
  double widest_s = 0.0;
  for (std::size_t i = std::max<std::size_t>(1, sorted.size() - late); i < sorted.size(); ++i)
    widest_s = std::max(widest_s, sorted[i] - sorted[i - 1]);
  return widest_s;
}

}  // namespace

double tick_s(Reading reading, const ArrivalPattern& forecast) {
  if (reading == Reading::exact) return 0.0;
  if (reading == Reading::blind) return std::numeric_limits<double>::infinity();
  const double half_s = half_width_s(forecast);
  return half_s > 0.0 && std::isfinite(half_s) ? std::exp2(std::round(std::log2(half_s))) : half_s;
}

ArrivalPattern in_ticks(const ArrivalPattern& pattern, double tick_s) {
  if (tick_s <= 0.0) return pattern;
  ArrivalPattern cut = pattern;
  if (cut.offset_s.empty()) return cut;
  const double first_s = *std::min_element(cut.offset_s.begin(), cut.offset_s.end());
  for (double& offset_s : cut.offset_s)
    offset_s = std::isinf(tick_s) ? 0.0 : std::floor((offset_s - first_s) / tick_s) * tick_s;
  return cut;
}

Reading reading_for(const ArrivalPattern& forecast, double round_s) {
  const double half_s = half_width_s(forecast);
  if (half_s <= known_rounds * round_s) return Reading::exact;
  return widest_gap_before_the_late_s(forecast) > half_s ? Reading::coarse : Reading::blind;
}

}  // namespace pat
