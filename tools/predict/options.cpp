#include "tools/predict/options.hpp"

#include <sstream>

#include "core/errors.hpp"
#include "predictors/predictor.hpp"
#include "tools/study/plot.hpp"

namespace pat::predict {

int exchange_of(const std::string& text) {
  if (text == "interval") return 0;
  int every = 0;
  std::istringstream stream(text);
  if (!(stream >> every) || !stream.eof() || every < 1 || every > 64)
    throw Error(ErrorKind::argument,
                "--exchange is '" + text + "', give 1 to 64 iterations, or interval");
  return every;
}

void check_options(const Options& options) {
  for (const std::string& model : options.models) make_predictor(model);
  for (const std::string& exchange : options.exchanges) exchange_of(exchange);
  if (options.replay.horizon > 1 && options.exchanges != std::vector<std::string>{"1"})
    throw Error(ErrorKind::argument,
                "--horizon and --exchange exclude each other, give one of them");
  if (options.no_gain && !options.plot_exchange.empty())
    throw Error(ErrorKind::argument, "--plot-exchange shows the gain, leave out --no-gain");
  for (const std::string& path : {options.plot, options.plot_horizon, options.plot_exchange})
    if (!path.empty()) study::check_plot(path);
}

}  // namespace pat::predict
