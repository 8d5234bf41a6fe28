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

}  // namespace

std::optional<int> calls_to_settle(const Cell& cell) {
  const Series* own = cell.way("auto");
  if (!cell.changed || own == nullptr) return std::nullopt;
  std::map<std::uint64_t, std::vector<double>> after_s;  // by the calls since the change
  std::vector<double> settled_s;
  for (const Sample& sample : own->samples) {
    if (sample.iteration < std::max(cell.every, cell.warmup)) continue;  // nothing changed before
    const std::uint64_t calls = sample.iteration % cell.every;
    after_s[calls].push_back(sample.run_s);
    if (2 * calls >= cell.every) settled_s.push_back(sample.run_s);
  }
  if (settled_s.size() < 3) return std::nullopt;
  const double near_s = 1.05 * median(settled_s);
  for (auto here = after_s.begin(); here != after_s.end(); ++here) {
    if (median(here->second) > near_s) continue;
    std::vector<double> from_here;
    for (auto next = here; next != after_s.end() && from_here.size() < 3; ++next)
      from_here.push_back(median(next->second));
    if (median(from_here) <= near_s) return static_cast<int>(here->first);
  }
  return static_cast<int>(after_s.rbegin()->first);
}

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
  row.calls_to_settle = calls_to_settle(cell);
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
  if (!calls_to_settle) return std::nullopt;
  return *calls_to_settle <= aims.calls_to_settle;
}

}  // namespace pat::regret
