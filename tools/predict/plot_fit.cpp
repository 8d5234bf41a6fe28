#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>

#include "tools/predict/plots.hpp"
#include "tools/study/plot.hpp"
#include "tools/study/replay.hpp"

namespace pat::predict {

void plot_fit(const Options& options, const Trace& trace) {
  const int ranks = std::min(4, trace.ranks);
  std::vector<study::Replay> replays;
  for (const std::string& model : options.models) {
    study::ReplayOptions replay = options.replay;
    replay.model = model;
    replay.exchange_every = exchange_of(options.exchanges.front());
    replays.push_back(study::replay(trace, replay));
  }
  std::ostringstream data, script;
  data << std::setprecision(9) << "$d << E\n";
  for (int i = 0; i < trace.iterations(); ++i) {
    data << i;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(trace.ranks) +
                      static_cast<std::size_t>(rank);
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
  const int stride = 3 + static_cast<int>(replays.size());
  script << data.str() << "set multiplot layout " << (ranks + 1) / 2 << "," << std::min(2, ranks)
         << "\nset xrange [0:" << trace.iterations()
         << "]\nset xlabel 'iteration'\nset ylabel 'arrival (ms)'\nset key below\n";
  for (int rank = 0; rank < ranks; ++rank) {
    const int column = 2 + rank * stride;
    // The bulk of the arrivals fills the plot; values far out are cut off.
    script << "set yrange [*:*]\nstats $d using " << column << " nooutput\n"
           << "half = STATS_up_quartile - STATS_lo_quartile + 1e-6\n"
           << "low = STATS_lo_quartile - 4 * half\nhigh = STATS_up_quartile + 4 * half\n"
           << "low = low < STATS_min ? STATS_min - 0.3 * half : low\n"
           << "high = high > STATS_max ? STATS_max + 0.3 * half : high\n"
           << "set yrange [low < 0 ? 0 : low : high]\n"
           << "set title " << study::quoted("rank " + std::to_string(rank))
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
