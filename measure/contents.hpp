#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/problem.hpp"
#include "measure/test_data.hpp"

namespace pat::measure {

/// What the buffers of an operation hold, block by block, before and after: each block of a send
/// buffer is a tile of its own, and what a receive buffer must hold follows from the operation's
/// row (OperationRow::promised).
class Contents {
 public:
  /// `op` is null for operations that do not combine, and must outlive the object.
  Contents(Operation operation, int ranks, DataType type, std::uint64_t seed, const ReduceOp* op);

  const DataType& type() const { return data_.type(); }
  /// The blocks in the send and in the receive buffer of a rank; 0 where it has none.
  std::size_t sent_blocks(int rank, int root) const;
  std::size_t received_blocks(int rank, int root) const;

  /// The tile of block `block` of the rank's send buffer.
  std::vector<unsigned char> sent(std::uint64_t iteration, int rank, std::size_t block) const;
  /// The tile that block `block` of the rank's receive buffer must consist of at the end.
  std::vector<unsigned char> promised(std::uint64_t iteration, int rank, int root,
                                      std::size_t block) const;

 private:
  Problem problem(int root) const;

  Operation operation_;
  int ranks_;
  TestData data_;
  const ReduceOp* op_;
};

}  // namespace pat::measure
