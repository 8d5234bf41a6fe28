#include "collectives/operation.hpp"

#include "collectives/operation_row.hpp"

namespace pat {

std::string_view name(Operation operation) {
  return row(operation).name;
}

std::optional<Operation> find_operation(std::string_view text) {
  for (const Operation operation : all_operations())
    if (name(operation) == text) return operation;
  return std::nullopt;
}

std::string operation_names() {
  return operation_names_where([](const OperationRow&) { return true; }, ", ");
}

}  // namespace pat
