#include "libpat/mpi/datatype.hpp"

#include <vector>

#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

/// The single type that a dup or contiguous type repeats; MPI_DATATYPE_NULL for other kinds.
MPI_Datatype repeated_type(MPI_Datatype type) {
  int n_integers = 0, n_addresses = 0, n_types = 0, combiner = 0;
  check(PMPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner));
  if (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS) return MPI_DATATYPE_NULL;
  int count = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  check(PMPI_Type_get_contents(type, n_integers, 0, 1, &count, nullptr, &inner));
  return inner;
}

bool has_no_holes(MPI_Datatype type, std::size_t size, MPI_Aint extent) {
  MPI_Aint lower = 0, whole = 0, true_lower = 0, true_extent = 0;
  check(PMPI_Type_get_extent(type, &lower, &whole));
  check(PMPI_Type_get_true_extent(type, &true_lower, &true_extent));
  return lower == 0 && true_lower == 0 && extent == static_cast<MPI_Aint>(size) &&
         true_extent == extent;
}

bool is_dense(MPI_Datatype type, std::size_t size, MPI_Aint extent) {
  if (!has_no_holes(type, size, extent)) return false;
  if (is_predefined(type)) return true;
  MPI_Datatype inner = repeated_type(type);
  if (inner == MPI_DATATYPE_NULL) return false;
  const bool dense = inspect(inner).dense;
  if (!is_predefined(inner)) PMPI_Type_free(&inner);
  return dense;
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  return combiner == MPI_COMBINER_NAMED;
}

std::size_t packed_size(MPI_Datatype type) {
  MPI_Count size = 0;
  check(PMPI_Type_size_x(type, &size));
  return static_cast<std::size_t>(size);
}

DatatypeInfo inspect(MPI_Datatype type) {
  DatatypeInfo info;
  MPI_Aint lower = 0;
  info.size = packed_size(type);
  check(PMPI_Type_get_extent(type, &lower, &info.extent));
  info.dense = info.size > 0 && is_dense(type, info.size, info.extent);
  return info;
}

std::string type_name(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  check(PMPI_Type_get_name(type, name, &length));
  return length > 0 ? std::string(name, static_cast<std::size_t>(length)) : "a derived datatype";
}

}  // namespace pat::detail
