#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

#include "core/statistics.hpp"
#include "core/text.hpp"
#include "tools/predict/plots.hpp"
#include "tools/study/plot.hpp"
#include "tools/study/replay.hpp"

namespace pat::predict {
namespace {

std::vector<study::Replay> replays_of(const Options& options, const Trace& trace) {
  std::vector<study::Replay> replays;
  for (const std::string& model : options.models) {
    study::ReplayOptions replay = options.replay;
    replay.model = model;
    replay.exchange_every = exchange_of(options.exchanges.front());
    replays.push_back(study::replay(trace, replay));
  }
  return replays;
}

std::size_t place_of(const Trace& trace, int iteration, int rank) {
  return static_cast<std::size_t>(iteration) * static_cast<std::size_t>(trace.ranks) +
         static_cast<std::size_t>(rank);
}

/// The part of the arrivals that the panels show, all the same one.
struct Window {
  double low_s, high_s;
  bool holds(double time_s) const { return time_s >= low_s && time_s <= high_s; }
};

/// Where the bulk of each rank's arrivals lies. A few values far out would leave it no room.
Window window_of(const Trace& trace, int ranks) {
  Window window{std::numeric_limits<double>::infinity(), 0.0};
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<double> times_s = trace.series(rank);
    const double lower_s = quantile(times_s, 0.25), upper_s = quantile(times_s, 0.75);
    const double half_s = upper_s - lower_s + 1e-3 * upper_s + 1e-9;
    const auto [first, last] = std::minmax_element(times_s.begin(), times_s.end());
    window.low_s = std::min(window.low_s, std::max(*first - 0.3 * half_s, lower_s - 4 * half_s));
    window.high_s = std::max(window.high_s, std::min(*last + 0.3 * half_s, upper_s + 4 * half_s));
  }
  window.low_s = std::max(0.0, window.low_s);
  return window;
}

/// "rank 2", and how much of it the window does not show.
std::string panel_title(const Options& options, const Trace& trace,
                        const std::vector<study::Replay>& replays, const Window& window, int rank) {
  int arrivals = 0, forecasts = 0, intervals = 0;
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::size_t at = place_of(trace, i, rank);
    arrivals += !window.holds(trace.arrival_s[at]);
    for (const study::Replay& replay : replays)
      forecasts += replay.known[at] && !window.holds(replay.arrival_s[at]);
    intervals += i >= options.skip &&
                 (replays[0].lower_s[at] < window.low_s || replays[0].upper_s[at] > window.high_s);
  }
  std::vector<std::string> outside;
  const auto add = [&](int count, const std::string& name) {
    if (count > 0) outside.push_back(std::to_string(count) + name + (count > 1 ? "s" : ""));
  };
  add(arrivals, " arrival");
  add(forecasts, " forecast");
  add(intervals, " interval");
  const std::string title = "rank " + std::to_string(rank);
  return outside.empty() ? title : title + "; beyond the frame: " + join(outside, ", ");
}

/// A line an iteration: its number, and of each rank the arrival, the interval and the forecasts.
std::string data_of(const Trace& trace, const std::vector<study::Replay>& replays, int ranks) {
  std::ostringstream data;
  data << std::setprecision(9) << "$d << E\n";
  for (int i = 0; i < trace.iterations(); ++i) {
    data << i;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::size_t at = place_of(trace, i, rank);
      data << " " << 1e3 * trace.arrival_s[at] << " " << 1e3 * replays[0].lower_s[at] << " "
           << 1e3 * replays[0].upper_s[at];
      for (const study::Replay& replay : replays)
        if (replay.known[at])
          data << " " << 1e3 * replay.arrival_s[at];
        else
          data << " NaN";
    }
    data << "\n";
  }
  data << "E\n";
  return data.str();
}

}  // namespace

void plot_fit(const Options& options, const Subject& subject) {
  const Trace& trace = subject.trace;
  const int ranks = std::min(4, trace.ranks);
  const std::vector<study::Replay> replays = replays_of(options, trace);
  const Window window = window_of(trace, ranks);
  std::ostringstream script;
  const int stride = 3 + static_cast<int>(replays.size());
  script << data_of(trace, replays, ranks) << "set multiplot layout " << (ranks + 1) / 2 << ","
         << std::min(2, ranks) << " title " << study::quoted(title_of(subject))
         << "\nset xrange [0:" << trace.iterations() << "]\nset yrange [" << 1e3 * window.low_s
         << ":" << 1e3 * window.high_s
         << "]\nset xlabel 'iteration'\nset ylabel 'arrival (ms)'\nset key below\n";
  for (int rank = 0; rank < ranks; ++rank) {
    const int column = 2 + rank * stride;
    script << "set title " << study::quoted(panel_title(options, trace, replays, window, rank))
           << "\nplot $d every ::" << options.skip << " using 1:" << column + 1 << ":" << column + 2
           << " with filledcurves fc rgb '#dfe8f5' title "
           << study::quoted("90 % interval of " + options.models[0]) << ", $d using 1:" << column
           << " with points pt 7 ps 0.4 lc rgb '#303030' title 'arrival'";
    for (std::size_t m = 0; m < replays.size(); ++m)
      script << ", $d using 1:" << column + 3 + static_cast<int>(m) << " with lines lw 2 lt "
             << m + 1 << " title " << study::quoted(options.models[m]);
    script << "\n";
  }
  script << "unset multiplot\n";
  study::plot(script.str(), options.plot, 1200, 800);
}

}  // namespace pat::predict
