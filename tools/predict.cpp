// pat predict: how well models foretell the arrivals of a trace, and what that is worth.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "measure/command_line.hpp"
#include "predictors/predictor.hpp"
#include "tools/predict/options.hpp"
#include "tools/predict/plots.hpp"
#include "tools/predict/report.hpp"
#include "tools/predict/rows.hpp"
#include "tools/predict/subjects.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

std::vector<std::string> default_models() {
  std::vector<std::string> models;
  for (const PredictorInfo& info : predictors()) models.push_back(info.name);
  std::replace(models.begin(), models.end(), std::string("sma"), std::string("sma:5"));
  return models;
}

void print(const predict::Options& options, const std::vector<predict::Subject>& subjects,
           const std::vector<predict::Row>& rows) {
  if (options.format == "json")
    print_json(options, rows);
  else if (options.format == "csv")
    print_csv(options, rows);
  else
    print_table(options, subjects, rows);
  std::cout.flush();
}

void run(predict::Options options) {
  options.replay.hints = !options.no_hints;
  if (options.models.empty()) options.models = default_models();
  check_options(options);
  const std::vector<predict::Subject> subjects = subjects_of(options);
  const std::vector<predict::Row> rows = rows_of(options, subjects);
  print(options, subjects, rows);  // before the pictures, which may fail
  if (!options.plot.empty()) plot_fit(options, subjects.front());
  if (!options.plot_horizon.empty()) plot_horizon(options, subjects.front());
  if (!options.plot_exchange.empty()) plot_exchange(options, subjects, rows);
}

std::string models_footer() {
  std::string text = "Models:";
  for (const PredictorInfo& info : predictors())
    text += "\n  " + info.usage + "\n      " + info.idea + " (" + info.source + ")";
  return text;
}

}  // namespace

PAT_SUBCOMMAND(predict) {
  CLI::App* predict =
      app.add_subcommand("predict", "How well models foretell the arrivals of a trace");
  auto command = std::make_shared<predict::Options>();
  predict::Options& c = *command;
  predict->add_option("--trace,trace", c.path, "A trace, or a folder of .trace files")->required();
  predict->add_option("--model,--predictor", c.models,
                      "Model with its parameters, may be repeated (default: all)");
  predict->add_option("--forecasts", c.forecasts,
                      "Judge the rows of this trace instead of a model");
  predict->add_option("--edge", c.replay.edge, "Each phase has an edge at this share of its work");
  predict
      ->add_option("--edge-noise", c.replay.edge_noise,
                   "How uneven the pace within a phase is (relative deviation)")
      ->capture_default_str();
  predict
      ->add_option("--exchange", c.exchanges,
                   "Patterns are exchanged every k-th iteration, or when a forecast leaves its "
                   "`interval`; may be repeated")
      ->capture_default_str();
  predict->add_option("--horizon", c.replay.horizon, "Forecast this many iterations ahead")
      ->capture_default_str();
  predict
      ->add_option("--thin", c.replay.thin,
                   "The model sees one of so many phases, as where they are short")
      ->capture_default_str();
  predict->add_option("--skip", c.skip, "Iterations at the beginning that are not judged")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  predict->add_option(
      "--op,--operation", c.operation,
      "Collective whose schedule is built from the forecast: " + study::operations_to_study() +
          "; left out: the one that the trace names, else reduce");
  predict->add_option(
      "--alg,--algorithm", c.gain.algorithm,
      "Its algorithm; left out: " + study::studied_algorithms(&StudiedPair::informed));
  predict->add_option("--against", c.gain.against,
                      "Algorithm without a forecast; left out: what stands for MPI's own where "
                      "operation and size are "
                      "known, else " +
                          study::studied_algorithms(&StudiedPair::plain));
  predict
      ->add_option("--bytes", c.bytes,
                   "Size of a rank's block, bytes or such as 64k; left out: the one that the trace "
                   "names, else 16M")
      ->type_name("SIZE");
  predict->add_option("-N,--segments", c.gain.segments, "Segments of a block")
      ->capture_default_str();
  const auto add_cost = [&](const char* name, double& value, const char* meaning) {
    measure::takes_seconds(predict->add_option(name, value, meaning))->capture_default_str();
  };
  add_cost("--alpha", c.gain.model.alpha_s, "Start-up time of a message, seconds or such as 3us");
  add_cost("--beta", c.gain.model.beta_s_per_byte, "Transfer time of a byte, likewise");
  add_cost("--gamma", c.gain.model.gamma_s_per_byte, "Time to combine a byte, likewise");
  predict->add_flag(
      "--sure", c.gain.only_if_sure,
      "Act on a forecast only where it is expected to gain 2 % over --against: mean of "
      "four patterns drawn within its intervals, as `auto` does");
  predict->add_flag("--no-hints", c.no_hints, "Keep the trace's hints (PAT_Hint) from the models");
  predict->add_flag("--no-gain", c.no_gain, "Leave the simulated schedules out");
  predict->add_flag("--per-rank", c.per_rank, "A line for each rank too");
  predict->add_flag("-q,--quiet", c.quiet, "Show no progress");
  takes_format(predict->add_option("--format", c.format, "table, json or csv"),
               {"table", "json", "csv"})
      ->capture_default_str();
  predict->add_option("--plot", c.plot,
                      "Write arrivals and forecasts of four ranks to a .png or .svg");
  predict->add_option("--plot-horizon", c.plot_horizon,
                      "Write error against horizon to a .png or .svg");
  predict->add_option("--plot-exchange", c.plot_exchange,
                      "Write the gain kept against how often forecasts are sent to a .png or .svg");
  predict->add_option("--horizon-max", c.horizon_max, "Longest horizon of that plot")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  predict->footer(models_footer());
  predict->callback([command, predict] {
    refuse_empty_values(*predict);
    run(*command);
  });
}

}  // namespace pat
