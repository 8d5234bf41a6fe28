#include "measure/contents.hpp"

#include <utility>

#include "collectives/operation_row.hpp"

namespace pat::measure {

Contents::Contents(Operation operation, int ranks, DataType type, std::uint64_t seed,
                   const ReduceOp* op)
    : operation_(operation), ranks_(ranks), data_(std::move(type), seed), op_(op) {}

/// Its units are blocks.
Problem Contents::problem(int root) const {
  Problem problem;
  problem.operation = operation_;
  problem.ranks = ranks_;
  problem.root = root;
  problem.units = 1;
  return problem;
}

std::size_t Contents::sent_blocks(int rank, int root) const {
  return send_units(problem(root), rank);
}

std::size_t Contents::received_blocks(int rank, int root) const {
  return recv_units(problem(root), rank);
}

std::vector<unsigned char> Contents::sent(std::uint64_t iteration, int rank,
                                          std::size_t block) const {
  const std::uint64_t part =
      block * static_cast<std::uint64_t>(ranks_) + static_cast<std::uint64_t>(rank);
  return data_.tile(iteration, part, op_ ? op_->name() : "");
}

std::vector<unsigned char> Contents::promised(std::uint64_t iteration, int rank, int root,
                                              std::size_t block) const {
  const Promised want = row(operation_).promised(problem(root), rank, block);
  std::vector<unsigned char> result = sent(iteration, want.last - 1, want.unit);
  for (int from = want.last - 2; from >= want.first; --from)
    data_.combine(sent(iteration, from, want.unit), result, *op_);
  return result;
}

}  // namespace pat::measure
