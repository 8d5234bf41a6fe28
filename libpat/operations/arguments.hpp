#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"
#include "libpat/mpi/local.hpp"

namespace pat {

/// Checks of arguments that the collectives share. Each throws Error with a sentence that begins
/// with the function's name.
class Arguments {
 public:
  explicit Arguments(const char* function) : function_(function) {}

  [[noreturn]] void refuse(ErrorKind kind, const std::string& what) const {
    throw Error(kind, std::string(function_) + ": " + what);
  }
  void communicator(MPI_Comm comm) const {
    if (comm == MPI_COMM_NULL)
      refuse(ErrorKind::communicator, "comm is MPI_COMM_NULL, give a communicator");
  }
  void root(int root, int size) const {
    if (root < 0 || root >= size)
      refuse(ErrorKind::root, "root is " + std::to_string(root) + ", give a rank from 0 to " +
                                  std::to_string(size - 1));
  }
  void count(int count, const char* name) const {
    if (count < 0)
      refuse(ErrorKind::count,
             std::string(name) + " is " + std::to_string(count) + ", give at least 0");
  }
  void counts(const int* counts, const int* displacements, int size, const char* name) const {
    if (counts == nullptr || displacements == nullptr)
      refuse(ErrorKind::argument, std::string(name) + " or its displacements are a null pointer");
    for (int r = 0; r < size; ++r)
      count(counts[r], (std::string(name) + "[" + std::to_string(r) + "]").c_str());
  }
  void datatype(MPI_Datatype type, const char* name) const {
    if (type == MPI_DATATYPE_NULL)
      refuse(ErrorKind::type,
             std::string(name) + " is MPI_DATATYPE_NULL, give a committed datatype");
    if (!is_committed(type))
      refuse(ErrorKind::type, std::string(name) + " is not committed, call MPI_Type_commit first");
  }
  /// `type` must have been checked.
  void operation(MPI_Op op, MPI_Datatype type) const {
    if (op == MPI_OP_NULL) refuse(ErrorKind::operation, "op is MPI_OP_NULL, give an operation");
    if (!is_defined_on(op, type))
      refuse(ErrorKind::operation,
             "op is not defined on " + type_name(type) + ", give one that is, or one of your own");
  }

  void handle(const void* place) const {
    if (place == nullptr)
      refuse(ErrorKind::argument, "request is a null pointer, give a place for the handle");
  }

 private:
  const char* function_;
};

/// Who calls.
struct Caller {
  int rank = 0, size = 0;
};

/// Asks the communicator's twin where there is one, which costs less than asking MPI.
Caller caller_in(MPI_Comm comm);
bool is_inter_communicator(MPI_Comm comm);

/// Bytes per rank of a v-form: all of them at the root, whose counts are given; elsewhere
/// (`counts` null) the caller's own.
inline std::vector<std::size_t> bytes_per_rank(const Caller& me, const int* counts,
                                               std::size_t type_size, std::size_t own_bytes) {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(me.size), 0);
  if (counts == nullptr) bytes[static_cast<std::size_t>(me.rank)] = own_bytes;
  for (int r = 0; counts != nullptr && r < me.size; ++r)
    bytes[static_cast<std::size_t>(r)] = static_cast<std::size_t>(counts[r]) * type_size;
  return bytes;
}

/// What a process of a rooted collective does with its buffers.
struct RootedSides {
  bool root = false;  ///< all blocks are here
  bool leaf = false;  ///< one block is, also the root's own
  int blocks = 0;     ///< how many the root has
};

/// In an inter-communicator the root says MPI_ROOT and its group's other processes MPI_PROC_NULL.
inline RootedSides rooted_sides(MPI_Comm comm, int root) {
  const Caller me = caller_in(comm);
  if (!is_inter_communicator(comm)) return {me.rank == root, true, me.size};
  int remote = 0;
  check(PMPI_Comm_remote_size(comm, &remote));
  return {root == MPI_ROOT, root >= 0, remote};
}

}  // namespace pat
