#include "libpat/choice.hpp"

#include <map>

namespace pat {
namespace {

CostModel cost_model(const Config& config) {
  return {.alpha_s = config.alpha_s,
          .beta_s_per_byte = config.beta_s_per_byte,
          .gamma_s_per_byte = config.gamma_s_per_byte};
}

Selection library(const Problem& problem, const char* reason) {
  Selection selection;
  selection.algorithm = &get_algorithm(problem.operation, "mpi");
  selection.reason = reason;
  return selection;
}

}  // namespace

LinkCost link_cost(const Config& config) {
  return {config.alpha_s, config.beta_s_per_byte, config.gamma_s_per_byte};
}

const Algorithm& for_varying_counts(const Algorithm& algorithm) {
  static const std::map<std::string, const char*> gather = {
      {"bnom", "lin"}, {"sbn", "sls"}, {"bsbn", "sls"}, {"bsls", "sls"}};
  static const std::map<std::string, const char*> scatter = {
      {"bnom", "lin"}, {"sbn", "slin"}, {"bsbn", "slin"}, {"bslin", "slin"}};
  const auto& stars = algorithm.operation == Operation::gather ? gather : scatter;
  const auto found = stars.find(algorithm.name);
  return found == stars.end() ? algorithm : get_algorithm(algorithm.operation, found->second);
}

Selection choose(const Problem& problem, const ArrivalPattern& pattern, const Config& config,
                 const Algorithm* fixed, bool background) {
  if (fixed != nullptr) {
    Selection selection;
    selection.algorithm = fixed;
    selection.window = problem.window;
    selection.reason = "chosen by the user";
    return selection;
  }
  if (config.reproducible && problem.operation == Operation::reduce)
    return library(problem, "reproducible: the library's own tree does not follow the arrivals");
  const CostModel model = cost_model(config);
  const SelectionRules rules{.gain = config.gain};
  return select(problem, pattern, model, price_mpi(problem, model),
                candidates_for(problem, background), rules);
}

}  // namespace pat
