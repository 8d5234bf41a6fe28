#include "libpat/mpi/told_limits.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace pat::detail {
namespace {

/// Of Open MPI's ways. (MPICH tells the limit of its third device where the fourth one sends, too.)
constexpr const char* names[] = {"btl_tcp_eager_limit", "btl_vader_eager_limit",
                                 "btl_sm_eager_limit", "btl_openib_eager_limit",
                                 "btl_usnic_eager_limit"};

/// Whole numbers have two sizes.
std::optional<int> bytes_of_variable(int index) {
  char name[256];
  int name_length = sizeof name, text_length = 0, verbosity = 0, bind = 0, scope = 0, bytes = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  if (MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &values, nullptr,
                          &text_length, &bind, &scope) != MPI_SUCCESS)
    return std::nullopt;
  const bool whole = type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
                     type == MPI_UNSIGNED_LONG_LONG;
  if (!whole || PMPI_Type_size(type, &bytes) != MPI_SUCCESS) return std::nullopt;
  return bytes;
}

std::optional<std::int64_t> value_of(const char* name) {
  int index = 0, count = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return std::nullopt;
  const std::optional<int> bytes = bytes_of_variable(index);
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (!bytes || MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
    return std::nullopt;
  std::int32_t narrow = 0;
  std::int64_t wide = 0;
  const bool is_narrow = *bytes == sizeof narrow;
  const int code = count != 1 ? MPI_ERR_OTHER
                              : MPI_T_cvar_read(handle, is_narrow ? static_cast<void*>(&narrow)
                                                                  : static_cast<void*>(&wide));
  MPI_T_cvar_handle_free(&handle);
  if (code != MPI_SUCCESS) return std::nullopt;
  return is_narrow ? narrow : wide;
}

}  // namespace

std::vector<std::size_t> told_eager_limits() {
  // Open MPI takes the level that is asked for here for the program's from then on.
  int level = 0, given = 0;
  if (PMPI_Query_thread(&level) != MPI_SUCCESS || MPI_T_init_thread(level, &given) != MPI_SUCCESS)
    return {};
  std::vector<std::size_t> limits;
  for (const char* name : names)
    if (const auto value = value_of(name); value && *value > 0)
      limits.push_back(static_cast<std::size_t>(*value));
  MPI_T_finalize();
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

}  // namespace pat::detail
