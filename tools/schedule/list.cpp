#include "tools/schedule/list.hpp"

#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"

namespace pat::schedule {
namespace {

using Json = nlohmann::ordered_json;

/// All algorithms, or those of the operation and of the name that were given.
std::vector<const Algorithm*> listed(const Request& request) {
  const auto operation = request.operation ? std::optional(operation_of(request)) : std::nullopt;
  std::vector<const Algorithm*> list;
  for (const Algorithm& a : algorithms())
    if ((!operation || a.operation == *operation) &&
        (request.algorithm.empty() || a.name == request.algorithm))
      list.push_back(&a);
  if (list.empty())
    throw usage("there is no " + request.operation.value_or("") + (request.operation ? " " : "") +
                "algorithm named '" + request.algorithm + "', --list without --alg shows all");
  return list;
}

void print_list(const std::vector<const Algorithm*>& list, bool json) {
  Json rows = Json::array();
  for (const Algorithm* one : list) {
    const Algorithm& a = *one;
    if (json)
      rows.push_back({{"operation", name(a.operation)},
                      {"algorithm", a.name},
                      {"idea", a.idea},
                      {"cost", a.cost},
                      {"source", a.source},
                      {"in_blocks", row(a.operation).in_blocks()},
                      {"schedule", a.build != nullptr},
                      {"uses_pattern", a.uses_pattern},
                      {"background", a.background},
                      {"needs_commutative", a.needs_commutative}});
    else
      std::cout << std::left << std::setw(operation_width() + 2) << name(a.operation)
                << std::setw(23) << a.name << a.idea << "\n";
  }
  if (json) std::cout << rows.dump(1) << "\n";
}

}  // namespace

void list_algorithms(const Request& request, bool json) {
  print_list(listed(request), json);
}

}  // namespace pat::schedule
