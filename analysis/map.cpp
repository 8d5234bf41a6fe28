#include "analysis/map.hpp"

#include <algorithm>

namespace pat {

LatenessMap map_of(const Trace& trace, int most_rows, int most_columns) {
  LatenessMap map;
  map.rows = std::min(trace.ranks, most_rows);
  map.columns = std::min(trace.iterations(), most_columns);
  map.latest_s.resize(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns));
  for (int c = 0; c < map.columns; ++c)
    for (int i = map.first_iteration(c, trace.iterations());
         i < map.first_iteration(c + 1, trace.iterations()); ++i) {
      const auto arrivals = trace.row(i);
      const double first = *std::ranges::min_element(arrivals);
      for (int row = 0; row < map.rows; ++row) {
        double& tile =
            map.latest_s[static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) +
                         static_cast<std::size_t>(c)];
        for (int r = map.first_rank(row, trace.ranks); r < map.first_rank(row + 1, trace.ranks);
             ++r)
          tile = std::max(tile, arrivals[static_cast<std::size_t>(r)] - first);
      }
    }
  return map;
}

Histogram histogram_of(const Trace& trace, int bins) {
  Histogram histogram;
  const auto each = [&](auto&& use) {
    for (int i = 0; i < trace.iterations(); ++i) {
      const auto arrivals = trace.row(i);
      const double first = *std::ranges::min_element(arrivals);
      for (const double arrival : arrivals) use(arrival - first);
    }
  };
  double latest = 0.0;
  each([&](double after) { latest = std::max(latest, after); });
  histogram.width_s = latest / bins;
  histogram.counts.resize(latest > 0.0 ? static_cast<std::size_t>(bins) : 1);
  each([&](double after) {
    const auto bin = latest > 0.0 ? static_cast<std::size_t>(after / histogram.width_s) : 0;
    ++histogram.counts[std::min(bin, histogram.counts.size() - 1)];
  });
  return histogram;
}

}  // namespace pat
