#pragma once

#include <mpi.h>
#include <pat/pat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/operation.hpp"
#include "libpat/execution/arguments.hpp"
#include "measure/contents.hpp"

namespace pat::bench {

/// The arguments of one collective call.
using Call = detail::Arguments;
using detail::Blocks;
/// `count` elements in each block, or in the vector.
Call make_call(Operation operation, const void* send, void* recv, int count, MPI_Datatype type,
               MPI_Op op, int root, MPI_Comm comm);

/// The ways to run an operation: MPI's function and PAT's three forms of it.
struct CollectiveFunctions {
  Operation operation;
  int (*mpi)(const Call&);
  int (*pat)(const Call&);
  int (*start)(const Call&, PAT_Request*);
  int (*init)(const Call&, PAT_Request*);
};
/// Every operation. Throws Error(argument) that lists them for another name.
const CollectiveFunctions& find_collective(const std::string& operation);
/// The forms with int or with MPI_Count; null where there is no such function, or MPI lacks it.
const CollectiveFunctions* find_collective(Operation operation, Blocks blocks, bool large);

/// The argument that a call receives in. Where all but the root receive, MPI has one argument for
/// both sides, and the root's is what it sends.
void* receiving_argument(Operation operation, bool is_root, void* send, void* recv);

/// One operation on one vector length: the buffers of this rank, their fresh contents and the check
/// of the result. Main thread.
class Workload {
 public:
  /// `bytes` is the whole vector: what the root of a gather receives in all, or the length of the
  /// vector that is broadcast or reduced; among neighbours, of each block. `op` is null for
  /// operations that do not combine, and must outlive the object. Among neighbours all processes of
  /// `comm` make and destroy it together: it makes a ring of them.
  Workload(Operation operation, std::size_t bytes, measure::DataType type,
           const measure::ReduceOp* op, std::uint64_t seed, MPI_Comm comm);

  /// The processes that take part, with the topology that the operation needs.
  MPI_Comm comm() const { return comm_; }
  /// Fills the send buffer for this iteration and poisons the receive buffer.
  void prepare(std::uint64_t iteration, int root);
  Call call();
  /// Nothing if this rank's result is right; else a sentence that names rank, block and index.
  std::optional<std::string> check() const;
  std::size_t block_elements() const { return block_elements_; }
  /// Bytes that really take part: whole elements, equal blocks.
  std::size_t bytes() const;

 private:
  std::size_t pieces() const;
  std::size_t block_bytes() const;
  std::optional<std::string> check_block(const std::vector<unsigned char>& buffer,
                                         std::size_t block,
                                         const std::vector<unsigned char>& expected) const;

  Operation operation_;
  const measure::ReduceOp* op_;
  std::shared_ptr<const MPI_Comm> ring_;  ///< among neighbours: where the calls are; else null
  MPI_Comm comm_;
  int rank_, ranks_;
  measure::Contents contents_;
  int root_ = 0;
  std::uint64_t iteration_ = 0;
  std::size_t block_elements_ = 0;
  std::vector<unsigned char> send_;
  std::vector<unsigned char> recv_;
};

}  // namespace pat::bench
