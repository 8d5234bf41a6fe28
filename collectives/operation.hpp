#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/operation_list.hpp"  // enum class Operation and operation_count

namespace pat {

/// Every operation, in the order of the registration lines.
constexpr std::array<Operation, operation_count> all_operations() {
  std::array<Operation, operation_count> all{};
  for (std::size_t i = 0; i < operation_count; ++i) all[i] = static_cast<Operation>(i);
  return all;
}

/// What is none: where it was forgotten to say which. row() throws std::out_of_range for it.
inline constexpr Operation no_operation = static_cast<Operation>(operation_count);

/// "gather": as its row says (collectives/operation_row.hpp). Thread-safe, as all that follow.
std::string_view name(Operation operation);

/// The operation of that name; nothing if there is none.
std::optional<Operation> find_operation(std::string_view text);

/// "gather, scatter, reduce": all names, in the order of the registration lines.
std::string operation_names();

}  // namespace pat
