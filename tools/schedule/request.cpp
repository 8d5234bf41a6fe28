#include "tools/schedule/request.hpp"

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

CostModel cost_of(const Request& request) {
  CostModel model;
  if (request.cost.empty()) return model;
  const std::vector<double> values = parse_times(request.cost, "--simulate");
  if (values.size() != 3)
    throw usage("--simulate has " + std::to_string(values.size()) +
                " numbers, give three: alpha in seconds, beta and gamma in seconds per byte");
  for (const double value : values)
    if (!(value >= 0.0 && value <= 1e3)) throw usage("--simulate needs numbers from 0 to 1000");
  model.alpha_s = values[0];
  model.beta_s_per_byte = values[1];
  model.gamma_s_per_byte = values[2];
  return model;
}

}  // namespace pat::schedule
