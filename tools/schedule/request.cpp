#include "tools/schedule/request.hpp"

#include <sstream>

#include "core/text.hpp"
#include "tools/schedule/time_list.hpp"

namespace pat::schedule {

Error usage(const std::string& sentence) {
  return Error(ErrorKind::argument, sentence);
}

Operation operation_of(const Request& request) {
  const std::string wanted = request.operation.value_or("reduce");
  if (const auto operation = find_operation(wanted)) return *operation;
  throw usage("there is no operation named '" + wanted + "', choose one of " + operation_names());
}

namespace {

/// One a rank; empty: all links are alike.
std::vector<double> link_slowdown_of(const Request& request) {
  std::vector<double> slowdown;
  for (const std::string& text : request.slow_links) {
    const int ranks = request.ranks.value_or(0);
    std::istringstream in(text);
    int rank = -1;
    char colon = ' ';
    double factor = 0.0;
    in >> rank >> colon >> factor;
    if (!in || !in.eof() || colon != ':' || rank < 0 || rank >= ranks ||
        !(factor >= 1.0 && factor <= 1e6))
      throw usage("--slow-link '" + text + "' is no rank and factor such as 7:10, give a rank of " +
                  "the " + std::to_string(ranks) + " processes and a factor from 1 to 1000000");
    slowdown.resize(static_cast<std::size_t>(ranks), 1.0);
    slowdown[static_cast<std::size_t>(rank)] = factor;
  }
  return slowdown;
}

/// What an option says in `wanted` numbers: `meaning`.
std::vector<double> costs_of(const std::string& text, const std::string& option, std::size_t wanted,
                             const std::string& meaning) {
  const std::vector<double> values = parse_times(text, option);
  if (values.size() != wanted)
    throw usage(option + " has " + std::to_string(values.size()) + " numbers, give " + meaning);
  for (const double value : values)
    if (!(value >= 0.0 && value <= 1e3)) throw usage(option + " needs numbers from 0 to 1000");
  return values;
}

}  // namespace

CostModel cost_of(const Request& request) {
  CostModel model;
  model.link_slowdown = link_slowdown_of(request);
  if (!request.shared.empty()) {
    const std::vector<double> values =
        costs_of(request.shared, "--shared", 2, "two: seconds a message and seconds a byte");
    model.shared = {values[0], values[1]};
  }
  if (request.cost.empty()) return model;
  const std::vector<double> values = costs_of(
      request.cost, "--simulate", 3, "three: alpha in seconds, beta and gamma in seconds per byte");
  model.alpha_s = values[0];
  model.beta_s_per_byte = values[1];
  model.gamma_s_per_byte = values[2];
  return model;
}

}  // namespace pat::schedule
