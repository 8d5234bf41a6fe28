#include "bench/regret/row.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "core/statistics.hpp"
#include "core/text.hpp"

namespace pat::regret {

using measure::Sample;
using measure::Series;

namespace {

double median_s(const Series& way) {
  return median(way.column(&Sample::run_s));
}

/// The way of the least median; null where nothing was kept. What is compared with it is not one.
const Series* best_way(const Cell& cell) {
  const Series* best = nullptr;
  for (const Series& way : cell.ways) {
    if (way.algorithm == "auto" || way.algorithm == "plain" || way.samples.size() < 3) continue;
    if (best == nullptr || median_s(way) < median_s(*best)) best = &way;
  }
  return best;
}

std::optional<Ratio> ratio(const Series* way, const Series* to, std::uint64_t seed) {
  if (way == nullptr || to == nullptr) return std::nullopt;
  const auto compared = measure::compare(*way, *to, seed, {.resamples = 2000, .permutations = 1});
  if (!compared) return std::nullopt;
  return Ratio{compared->test.ratio, compared->interval};
}

/// Delays that are drawn anew each call cannot be known from calls before it.
bool can_be_known(const Cell& cell) {
  if (cell.knowledge != "history") return true;
  const auto parts = split(cell.pattern, ':');
  const std::string& kind = parts[0] == "change" && parts.size() > 2 ? parts[2] : parts[0];
  for (const char* drawn : {"uniform", "normal", "gamma", "bernoulli", "trace"})
    if (kind == drawn) return cell.changed == false;
  return true;
}

/// Run times of the calls of a state, by how many calls came before them since the change.
std::map<std::uint64_t, std::vector<double>> after_the_change(const Cell& cell, const Series& way) {
  std::map<std::uint64_t, std::vector<double>> after_s;
  for (const Sample& sample : way.samples)
    if (sample.iteration >= std::max(cell.every, cell.warmup))  // before that nothing has changed
      after_s[sample.iteration % cell.every].push_back(sample.run_s);
  return after_s;
}

/// The median of what a way takes in the second half of the state; nothing for too few calls.
std::optional<double> settled_s(const Cell& cell, const Series& way) {
  std::vector<double> late_s;
  for (const auto& [calls, run_s] : after_the_change(cell, way))
    if (2 * calls >= cell.every) late_s.insert(late_s.end(), run_s.begin(), run_s.end());
  if (late_s.size() < 3) return std::nullopt;
  return median(late_s);
}

/// After how many calls `auto` first takes no longer than `near_s`, by medians over all changes:
/// that of this call, and that of it and the next two.
int calls_until(double near_s, const std::map<std::uint64_t, std::vector<double>>& after_s) {
  for (auto here = after_s.begin(); here != after_s.end(); ++here) {
    if (median(here->second) > near_s) continue;
    std::vector<double> from_here;
    for (auto next = here; next != after_s.end() && from_here.size() < 3; ++next)
      from_here.push_back(median(next->second));
    if (median(from_here) <= near_s) return static_cast<int>(here->first);
  }
  return static_cast<int>(after_s.rbegin()->first);
}

std::optional<Settling> settling(const Cell& cell, const Series* own, const Series* best) {
  if (!cell.changed || own == nullptr || best == nullptr) return std::nullopt;
  const auto own_s = settled_s(cell, *own), best_s = settled_s(cell, *best);
  if (!own_s || !best_s) return std::nullopt;
  return Settling{calls_until(1.05 * *own_s, after_the_change(cell, *own)), *own_s / *best_s};
}

}  // namespace

Row evaluate(const Cell& cell, std::uint64_t seed, const Aims& aims) {
  Row row;
  row.cell = cell;
  row.known = can_be_known(cell);
  const Series *mpi = cell.way("mpi"), *own = cell.way("auto"), *best = best_way(cell);
  if (own != nullptr) row.calls = static_cast<int>(own->samples.size());
  if (best != nullptr) row.best = best->algorithm;
  row.best_over_mpi = ratio(best, mpi, seed);
  row.auto_over_best = ratio(own, best, seed);
  row.auto_over_mpi = ratio(own, mpi, seed);
  row.mpi_over_plain = ratio(mpi, cell.way("plain"), seed);
  if (row.auto_over_mpi && row.best_over_mpi && row.best_over_mpi->value <= aims.clear_gain)
    row.gain_share = (1.0 - row.auto_over_mpi->value) / (1.0 - row.best_over_mpi->value);
  row.settling = settling(cell, own, best);
  return row;
}

std::optional<bool> Row::near_best(const Aims& aims) const {
  if (!auto_over_best) return std::nullopt;
  return auto_over_best->value <= aims.over_best &&
         auto_over_best->interval.upper <= aims.over_best_end;
}

std::optional<bool> Row::never_slower(const Aims& aims) const {
  if (!auto_over_mpi) return std::nullopt;
  return auto_over_mpi->value <= aims.over_mpi;
}

std::optional<bool> Row::shares_gain(const Aims& aims) const {
  if (!gain_share || !known) return std::nullopt;
  return *gain_share >= aims.gain_share;
}

std::optional<bool> Row::settles(const Aims& aims) const {
  if (!settling) return std::nullopt;
  return settling->calls <= aims.calls_to_settle && settling->over_best <= aims.over_best;
}

}  // namespace pat::regret
