#include "analysis/levels.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"

namespace pat {
namespace {

constexpr int most_blocks = 256, shortest = 8;
// A piece stands out by so many standard errors: of all pieces of all ranks, noise must not make
// one.
constexpr double threshold = 7.0;
constexpr double furthest = 8.0;     // standard deviations that one value counts at most
constexpr double least_share = 0.1;  // of the computing time, from which on a change is told

/// Medians of neighbours, so that long series cost no more than short ones.
struct Blocks {
  int width = 1;
  std::vector<double> value;
  explicit Blocks(std::span<const double> series) {
    const int n = static_cast<int>(series.size());
    width = (n + most_blocks - 1) / most_blocks;
    for (int i = 0; width > 0 && i < n; i += width)
      value.push_back(median(series.subspan(static_cast<std::size_t>(i),
                                            static_cast<std::size_t>(std::min(width, n - i)))));
  }
  int shortest_piece() const { return std::max(2, (shortest + width - 1) / width); }
};

/// The standard deviation of the noise: levels that change move few differences of neighbours.
double noise_of(std::span<const double> values) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i)
    steps.push_back(std::abs(values[i] - values[i - 1]));
  const double resolution = 1e-9 + 1e-3 * std::abs(median(values));
  return std::max(resolution, 1.4826 * median(steps) / std::sqrt(2.0));
}

struct Piece {
  int begin = 0, end = 0;
  double score = 0.0;
};

/// The piece whose mean is furthest from that of the rest.
Piece most_different(std::span<const double> values, int least, double noise) {
  const int n = static_cast<int>(values.size());
  const double middle = median(values);
  std::vector<double> sum(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    sum[i + 1] = sum[i] + std::clamp((values[i] - middle) / noise, -furthest, furthest);
  const auto at = [&](int i) { return sum[static_cast<std::size_t>(i)]; };
  Piece best;
  for (int begin = 0; begin <= n - least; ++begin)
    for (int end = begin + least; end <= n; ++end) {
      const int inside = end - begin, outside = n - inside;
      // What is left at a side is a piece, too.
      if (outside < least || (begin > 0 && begin < least) || (end < n && n - end < least)) continue;
      const double in = at(end) - at(begin), out = at(n) - in;
      const double score =
          std::abs(in / inside - out / outside) / std::sqrt(1.0 / inside + 1.0 / outside);
      if (score > best.score) best = {begin, end, score};
    }
  return best;
}

void split(std::span<const double> values, int first, int least, double noise,
           std::vector<int>& starts) {
  const int n = static_cast<int>(values.size());
  if (n < 2 * least) return;
  const Piece found = most_different(values, least, noise);
  if (found.score < threshold) return;
  const int edges[] = {0, found.begin, found.end, n};
  for (int part = 0; part < 3; ++part) {
    if (edges[part] == edges[part + 1]) continue;
    if (edges[part] > 0) starts.push_back(first + edges[part]);
    split(values.subspan(static_cast<std::size_t>(edges[part]),
                         static_cast<std::size_t>(edges[part + 1] - edges[part])),
          first + edges[part], least, noise, starts);
  }
}

std::span<const double> between(std::span<const double> series, int begin, int end) {
  return series.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// Four fifths of the one lie beyond four fifths of the other: single late calls may be in both.
bool apart(std::span<const double> a, std::span<const double> b) {
  return quantile(a, 0.2) > quantile(b, 0.8) || quantile(a, 0.8) < quantile(b, 0.2);
}

/// The call in [low, high] from which on values are nearer to the later level.
int refined(std::span<const double> series, int low, int high, double before, double after) {
  int best = low;
  double cost = 0.0, least = 0.0;  // more than if the change came at `low`
  for (int i = low; i < high; ++i) {
    const double value = series[static_cast<std::size_t>(i)];
    cost += std::abs(value - before) - std::abs(value - after);
    if (cost < least) {
      least = cost;
      best = i + 1;
    }
  }
  return best;
}

/// Each rank's computing less the median of the others': one series a rank, one after the other.
std::vector<double> beside_the_others(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  const auto calls = static_cast<std::size_t>(trace.iterations());
  std::vector<double> beside(ranks * calls), row(ranks), sorted;
  for (std::size_t i = 0; i < calls; ++i) {
    for (std::size_t r = 0; r < ranks; ++r)
      row[r] = trace.computing(static_cast<int>(i), static_cast<int>(r));
    sorted = row;
    std::ranges::sort(sorted);
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto own =
          static_cast<std::size_t>(std::ranges::lower_bound(sorted, row[r]) - sorted.begin());
      const auto other = [&](std::size_t k) { return sorted[k < own ? k : k + 1]; };
      const std::size_t others = ranks - 1;
      beside[r * calls + i] = row[r] - (other((others - 1) / 2) + other(others / 2)) / 2.0;
    }
  }
  return beside;
}

/// A step from one level to another.
struct LevelStep {
  double before = 0.0, size = 0.0;
  /// At least half of it is undone.
  bool undone_by(double level) const {
    return size > 0.0 ? level < before + size / 2.0 : level > before + size / 2.0;
  }
  bool ends_at(double level) const { return std::abs(level - before) < std::abs(size) / 2.0; }
};

/// Takes the steps away that this level undoes; whether it does no more than that.
bool goes_back(std::vector<LevelStep>& open, double level) {
  bool ends = false;
  while (!open.empty() && open.back().undone_by(level)) {
    ends = open.back().ends_at(level);
    open.pop_back();
  }
  return ends;
}

void add_changes(std::span<const double> beside, std::span<const double> own, int rank,
                 std::vector<LevelChange>& changes) {
  std::vector<int> starts = level_starts(beside);
  const int calls = static_cast<int>(beside.size());
  starts.insert(starts.begin(), 0);
  starts.push_back(calls);
  std::vector<double> level, own_level;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    level.push_back(median(between(beside, starts[k], starts[k + 1])));
    own_level.push_back(median(between(own, starts[k], starts[k + 1])));
  }
  const double least = least_share * std::abs(median(own));
  std::vector<LevelStep> open;
  for (std::size_t k = 1; k < level.size(); ++k) {
    const double size = level[k] - level[k - 1];
    if (goes_back(open, level[k])) continue;  // told where it began
    // Too little, or the others changed and this rank did not.
    if (std::abs(size) < least || (own_level[k] - own_level[k - 1]) / size < 0.5) continue;
    const LevelStep step{level[k - 1], size};
    open.push_back(step);
    const bool undone = std::any_of(level.begin() + static_cast<std::ptrdiff_t>(k) + 1, level.end(),
                                    [&](double later) { return step.undone_by(later); });
    changes.push_back({rank, starts[k], starts[k + 1] - starts[k], size, !undone});
  }
}

}  // namespace

std::vector<int> level_starts(std::span<const double> series) {
  const Blocks blocks(series);
  std::vector<int> starts;
  if (static_cast<int>(blocks.value.size()) < 2 * blocks.shortest_piece()) return starts;
  split(blocks.value, 0, blocks.shortest_piece(), noise_of(blocks.value), starts);
  std::ranges::sort(starts);
  const int calls = static_cast<int>(series.size());
  std::vector<int> kept;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const int begin = kept.empty() ? 0 : kept.back(), start = starts[k] * blocks.width;
    const int end = k + 1 < starts.size() ? starts[k + 1] * blocks.width : calls;
    const auto before = between(series, begin, start), after = between(series, start, end);
    if (!apart(before, after)) continue;
    const int reach = std::max(blocks.width, shortest);
    kept.push_back(refined(series, std::max(begin + 1, start - reach),
                           std::min(end - 1, start + reach), median(before), median(after)));
  }
  return kept;
}

std::vector<LevelChange> level_changes(const Trace& trace) {
  std::vector<LevelChange> changes;
  if (trace.ranks < 2 || trace.iterations() < 2 * shortest) return changes;
  const std::vector<double> beside = beside_the_others(trace);
  const auto calls = static_cast<std::size_t>(trace.iterations());
  std::vector<double> own(calls);
  for (int r = 0; r < trace.ranks; ++r) {
    for (std::size_t i = 0; i < calls; ++i) own[i] = trace.computing(static_cast<int>(i), r);
    add_changes(std::span(beside).subspan(static_cast<std::size_t>(r) * calls, calls), own, r,
                changes);
  }
  return changes;
}

}  // namespace pat
