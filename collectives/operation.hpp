#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace pat {

/// The collective operations that schedules are built for.
enum class Operation { gather, scatter, reduce, bcast, allreduce, barrier };

inline constexpr std::array<std::string_view, 6> operation_names = {
    "gather", "scatter", "reduce", "bcast", "allreduce", "barrier"};

inline std::string_view name(Operation operation) {
  return operation_names[static_cast<std::size_t>(operation)];
}

inline std::optional<Operation> find_operation(std::string_view text) {
  for (std::size_t i = 0; i < operation_names.size(); ++i)
    if (operation_names[i] == text) return static_cast<Operation>(i);
  return std::nullopt;
}

/// Whether values are combined.
inline bool reduces(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce;
}

/// Whether one rank is the source or the destination of all data.
inline bool is_rooted(Operation operation) {
  return operation != Operation::allreduce && operation != Operation::barrier;
}

}  // namespace pat
