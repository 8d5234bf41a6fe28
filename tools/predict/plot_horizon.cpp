#include <sstream>
#include <string>

#include "core/text.hpp"
#include "tools/gnuplot.hpp"
#include "tools/predict/plots.hpp"
#include "tools/study/plot.hpp"
#include "tools/study/replay.hpp"

namespace pat::predict {

void plot_horizon(const Options& options, const Subject& subject) {
  const Trace& trace = subject.trace;
  std::ostringstream script;
  script << "$d << E\n";
  for (int horizon = 1; horizon <= options.horizon_max; ++horizon) {
    script << horizon;
    for (const std::string& model : options.models) {
      study::ReplayOptions replay = options.replay;
      replay.model = model;
      replay.horizon = horizon;
      script << " "
             << 1e3 * accuracy(trace, study::replay(trace, replay), options.skip + horizon).mae_s;
    }
    script << "\n";
  }
  script << "E\n"
         << range_if_empty('x', 1, options.horizon_max) << "set title "
         << study::quoted(title_of(subject))
         << "\nset xlabel 'horizon (iterations)'\nset ylabel 'mean absolute error (ms)'\n"
         << "set key outside right\nset yrange [0:*]\nplot ";
  int model = 0;
  script << join(options.models, ", ", [&](const std::string& name) {
    ++model;
    return "$d using 1:" + std::to_string(model + 1) + " with linespoints lw 2 pt " +
           std::to_string(model) + " title " + study::quoted(name);
  });
  study::plot(script.str() + "\n", options.plot_horizon, 1000, 550);
}

}  // namespace pat::predict
