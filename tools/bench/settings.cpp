#include "tools/bench/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"
#include "measure/delays.hpp"
#include "tools/bench/collective.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {

using namespace measure;

namespace {

template <typename Value>
Value one_of(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  for (const auto& [name, value] : choices)
    if (name == text) return value;
  throw Error(ErrorKind::argument, option + " '" + text + "' is none of " +
                                       join(choices, ", ", &std::pair<std::string, Value>::first) +
                                       ".");
}

int parse_root(const std::string& text, int ranks) {
  if (text == "rotate") return -1;
  char* end = nullptr;
  const long root = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || root < 0 || root >= ranks)
    throw Error(ErrorKind::root, "--root '" + text + "' is neither 'rotate' nor a rank from 0 to " +
                                     std::to_string(ranks - 1) + ".");
  return static_cast<int>(root);
}

/// Every registered algorithm of the operation and auto.
std::vector<std::string> all_algorithms(const std::string& operation) {
  std::vector<std::string> all;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == find_collective(operation).operation) all.push_back(algorithm.name);
  all.push_back("auto");
  return all;
}

std::vector<std::string> algorithms_of(const Options& options) {
  if (options.algorithms != "all") return split(options.algorithms, ',');
  if (options.operations.find(',') != std::string::npos)
    throw Error(ErrorKind::argument,
                "--alg all goes with one operation, --op is '" + options.operations + "'.");
  return all_algorithms(options.operations);
}

void require_algorithm(const std::string& operation, const std::string& algorithm) {
  algorithm_or_auto(find_collective(operation).operation, algorithm);
}

std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  for (const char* format : {"csv", "json"})
    if (options.output.ends_with(std::string(".") + format)) return format;
  return "table";
}

}  // namespace

Settings check_settings(const Options& options, int all_ranks) {
  if (all_ranks % options.groups != 0 || (options.groups > 1 && options.groups == all_ranks))
    throw Error(ErrorKind::argument, "--groups is " + std::to_string(options.groups) +
                                         ", give a number that divides the " +
                                         std::to_string(all_ranks) +
                                         " processes into groups of two or more.");
  const int ranks = all_ranks / options.groups;
  Settings settings{
      split(options.operations, ','),
      algorithms_of(options),
      parse_sizes(options.sizes),
      find_data_type(options.data_type),
      seconds_of(options.base),
      seconds_of(options.window),
      seconds_of(options.lateness_limit),
      seconds_of(options.error),
      parse_root(options.root, ranks),
      one_of<Format>("--format", format_of(options),
                     {{"table", Format::table},
                      {"osu", Format::osu},
                      {"csv", Format::csv},
                      {"json", Format::json}}),
      options.beside.empty() ? std::vector<std::size_t>() : parse_sizes(options.beside),
      {},
      {}};
  const auto measures = [&](const std::string& algorithm) {
    return std::find(settings.algorithms.begin(), settings.algorithms.end(), algorithm) !=
           settings.algorithms.end();
  };
  if (!options.baseline.empty() && options.baseline != "mpi" && !measures(options.baseline))
    throw Error(ErrorKind::argument,
                "The baseline '" + options.baseline + "' is not measured, name it in --alg too.");
  for (const auto& operation : settings.operations) {
    for (const auto& algorithm : settings.algorithms) require_algorithm(operation, algorithm);
    if ((options.persistent || options.parts != 0) && settings.root < 0)
      throw Error(ErrorKind::argument,
                  "--persistent and --parts go with a --root that does not rotate.");
    if (options.parts < 0 || options.parts > 65536)
      throw Error(ErrorKind::argument,
                  "--parts is " + std::to_string(options.parts) + ", give from 1 to 65536 pieces.");
  }
  if (options.plain && (!measures("mpi") || settings.algorithms.size() < 2))
    throw Error(ErrorKind::argument,
                "--plain goes with mpi and another algorithm, name both in --alg.");
  if (options.plain)
    settings.algorithms.insert(
        std::find(settings.algorithms.begin(), settings.algorithms.end(), "mpi"), "plain");
  const bool forms_wanted = options.persistent || options.parts > 0;
  if (forms_wanted &&
      std::all_of(settings.algorithms.begin(), settings.algorithms.end(), calls_mpi))
    throw Error(ErrorKind::argument,
                "--persistent and --parts measure PAT's algorithms, name one in --alg.");
  if (forms_wanted && !settings.beside.empty())
    throw Error(ErrorKind::argument,
                "--beside goes with plain calls, leave it or --persistent and "
                "--parts out.");
  if (!options.output.empty()) whole_file_place(options.output);
  if (!options.plot.empty()) {
    check_figure_name(options.plot);
    whole_file_place(options.plot);
  }
  one_of<int>("--compute", options.compute, {{"sleep", 0}, {"busy", 1}});
  one_of<int>("--knowledge", options.knowledge, {{"predicted", 0}, {"oracle", 1}, {"wrong", 2}});
  if (settings.error_s > 0.0 && options.knowledge != "oracle")
    throw Error(ErrorKind::argument, "--error goes with --knowledge oracle.");
  one_of<int>("--sync", options.sync, {{"barrier", 0}, {"window", 1}});
  for (const double edge : options.edges)
    if (!(edge > 0.0 && edge < 1.0))
      throw Error(ErrorKind::argument,
                  "--edges are fractions of the computing phase between 0 and 1.");
  if (!std::isfinite(options.dilate))  // a range holds this, too
    throw Error(ErrorKind::argument, "--dilate is a factor, such as 0.5 or 10.");
  for (const auto& pattern : options.patterns) {
    make_delays(pattern, {ranks, std::max(0, settings.root), options.seed});
    if (settings.root < 0 && pattern.find("late-root:") != std::string::npos)
      throw Error(ErrorKind::argument,
                  "The pattern late-root needs a --root that does not rotate.");
  }
  return settings;
}

nlohmann::json settings_json(const Options& options) {
  return {{"operations", options.operations},
          {"algorithms", options.algorithms},
          {"sizes", options.sizes},
          {"per_rank", options.per_rank},
          {"data_type", options.data_type},
          {"reduce_op", options.reduce_op},
          {"root", options.root},
          {"patterns", options.patterns},
          {"base", options.base},
          {"compute", options.compute},
          {"edges", options.edges},
          {"knowledge", options.knowledge},
          {"error", options.error},
          {"config", options.config},
          {"sync", options.sync},
          {"plain", options.plain},
          {"persistent", options.persistent},
          {"parts", options.parts},
          {"beside", options.beside},
          {"groups", options.groups},
          {"iterations", options.iterations},
          {"warmup", options.warmup},
          {"block", options.block},
          {"lateness_limit", options.lateness_limit},
          {"dilate", options.dilate}};
}

}  // namespace pat::bench
