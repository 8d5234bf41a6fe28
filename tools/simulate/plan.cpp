#include "tools/simulate/plan.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/simulate/number_list.hpp"

namespace pat::simulation {
namespace {

using nonclairvoyant::Distribution;
using nonclairvoyant::MethodInfo;

constexpr int most_processors = 65536;
constexpr double most_cv = 100.0;
constexpr double most_runs_in_all = 1e15;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::argument, sentence);
}

/// What stands where the user has left something out.
struct Preset {
  std::vector<std::string> methods = {"all"};
  std::string cv = "1", comp_ratio = "0";
  std::uint64_t runs = 10000;
};

Preset preset_of(int figure) {
  const std::string cvs = "0.01..10:25log", ratios = "0.1..10:25log";
  switch (figure) {
    case 0:
      return {};
    case 4:
      return {{"all"}, cvs, "0", 1000000};
    case 5:
      return {{"fibonacci-stat", "tree-dyn"}, cvs, ratios, 1000};
    case 6:
      return {{"binomial-stat", "fibonacci-stat", "non-commut-tree-dyn"}, cvs, ratios, 1000};
    default:
      refuse("there is no figure " + std::to_string(figure) + " of a simulation, give 4, 5 or 6");
  }
}

std::vector<std::string> methods_of(const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : wanted) {
    if (name == "all") {
      for (const MethodInfo& info : nonclairvoyant::methods())
        if (info.of_paper) add(info.name);
    } else {
      add(nonclairvoyant::get_method(name).name);
    }
  }
  return names;
}

void check_together(const Options& options) {
  if (!options.costs.empty()) {
    if (!options.processors.empty())
      refuse("--costs says how many processors there are, leave out --n");
    if (!options.comp_ratio.empty())
      refuse("--costs says what computing costs, leave out --comp-ratio");
    if (options.figure != 0) refuse("--figure has costs of its own, leave out --costs");
  }
  if (options.figure != 0 && !options.distribution.empty() && options.distribution != "gamma")
    refuse("the figures have gamma distributions, leave out --distribution");
  if (!options.cv.empty() && !options.distribution.empty() && options.distribution != "gamma")
    refuse("--cv belongs to the gamma distribution, leave it out with --distribution " +
           options.distribution);
}

Distribution distribution_for(const Options& options) {
  if (!options.distribution.empty()) return nonclairvoyant::distribution_of(options.distribution);
  return options.costs.empty() || !options.cv.empty() ? Distribution::gamma
                                                      : Distribution::constant;
}

std::vector<double> cvs_for(const Options& options, Distribution distribution,
                            const std::string& preset) {
  if (distribution == Distribution::constant) return {0.0};
  if (distribution == Distribution::exponential) return {1.0};
  const std::vector<double> cvs = parse_numbers(options.cv.empty() ? preset : options.cv, "--cv");
  for (const double cv : cvs)
    if (cv > most_cv) refuse("--cv is to be at most 100, and '" + options.cv + "' is not");
  return cvs;
}

nonclairvoyant::Platform read_platform(const std::string& path) {
  const std::optional<std::string> text = read_whole_file(path);
  if (!text) throw Error(ErrorKind::io, "the costs '" + path + "' cannot be read");
  nonclairvoyant::Platform platform = nonclairvoyant::parse_platform(*text);
  if (platform.processors > most_processors)
    refuse("the costs '" + path + "' are of too many processors, give at most 65536");
  return platform;
}

}  // namespace

Plan plan_of(const Options& options) {
  check_together(options);
  const Preset preset = preset_of(options.figure);
  Plan plan;
  plan.methods = methods_of(options.methods.empty() ? preset.methods : options.methods);
  plan.distribution = distribution_for(options);
  plan.cvs = cvs_for(options, plan.distribution, preset.cv);
  plan.comp_ratios = {0.0};
  plan.mean = options.mean;
  plan.seed = options.seed;
  plan.runs = options.runs == 0 ? preset.runs : options.runs;
  if (options.costs.empty()) {
    plan.processors = parse_whole_numbers(options.processors.empty() ? "64" : options.processors,
                                          "--n", 1, most_processors);
    plan.comp_ratios = parse_numbers(
        options.comp_ratio.empty() ? preset.comp_ratio : options.comp_ratio, "--comp-ratio");
  } else {
    plan.platform = read_platform(options.costs);
    plan.processors = {plan.platform->processors};
  }
  if (static_cast<double>(plan.cells()) * static_cast<double>(plan.runs) > most_runs_in_all)
    refuse("this makes more than 10^15 runs, ask for fewer or for shorter lists");
  return plan;
}

}  // namespace pat::simulation
