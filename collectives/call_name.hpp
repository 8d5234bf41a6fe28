#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/operation.hpp"

namespace pat {

/// What a trace says of the calls that it was recorded at.
struct CallName {
  Operation operation = no_operation;
  int root = 0;
  std::optional<std::size_t>
      block_bytes;  ///< as Problem's block; nothing: it varies, or is not said
};

/// "gather, root 0, 65536 bytes", "allreduce, 8 bytes", "barrier".
std::string text_of(const CallName& call);

/// The reverse; more may follow after a comma. Nothing if the text does not begin so.
std::optional<CallName> parse_call_name(std::string_view text);

/// "MPI_Iallgatherv", "PAT_Gather_init_c" and "MPI_Reduce_scatter_block" to their operations.
/// Nothing of other functions.
std::optional<Operation> operation_of_function(std::string_view function);

/// The operation of a place, also where its name tells no more: "before MPI_Iallreduce", "allreduce
/// of any kind". Nothing if it tells none.
std::optional<Operation> operation_of_place(std::string_view text);

}  // namespace pat
