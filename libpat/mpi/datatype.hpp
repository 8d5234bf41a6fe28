#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>

namespace pat::detail {

/// What the library needs to know about a datatype.
struct DatatypeInfo {
  std::size_t size = 0;  ///< packed bytes of one element
  MPI_Aint extent = 0;   ///< bytes from one element to the next
  /// The packed bytes are the bytes in memory, in order and without gaps: predefined types without
  /// holes, and contiguous repetitions of such.
  bool dense = false;
};

/// All throw MpiFailure for an invalid handle. Thread-safe.
bool is_predefined(MPI_Datatype type);
/// Packed bytes of one element; inspect() asks MPI five times as much.
std::size_t packed_size(MPI_Datatype type);
DatatypeInfo inspect(MPI_Datatype type);
/// "MPI_DOUBLE", or "a derived datatype" where the user has named none.
std::string type_name(MPI_Datatype type);

}  // namespace pat::detail
