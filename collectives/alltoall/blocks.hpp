#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace pat::alltoall {

/// Writes one rank's program: the blocks that it exchanges straight with others. Calls without data
/// have no messages. Not thread-safe.
class Exchanges {
 public:
  /// `program` must be empty and outlive the object. Copies the own block.
  Exchanges(const Problem& problem, int rank, Program& program)
      : units_(problem.units), program_(program), joined_(program.join()), before_{joined_} {
    program.copy(block(Buffer::send, rank), block(Buffer::recv, rank), {joined_});
  }

  /// Sends the block of `to` and receives that of `from` at once.
  void at_once(int to, int from, int round = 0) { post(to, from, {joined_}, round); }
  /// The same when the last such step is over.
  void in_turn(int to, int from, int round) {
    const std::vector<OpId> step = post(to, from, before_, round);
    if (!step.empty()) before_ = step;
  }

 private:
  Slice block(Buffer buffer, int rank) const {
    return {buffer, units_ * static_cast<std::size_t>(rank), units_};
  }
  std::vector<OpId> post(int to, int from, const std::vector<OpId>& after, int round) {
    if (units_ == 0) return {};
    const auto number = static_cast<std::uint32_t>(round);
    const OpId got = program_.recv(from, block(Buffer::recv, from), after, number);
    return {got, program_.send(to, block(Buffer::send, to), after, number)};
  }

  const std::size_t units_;
  Program& program_;
  const OpId joined_;
  std::vector<OpId> before_;  // the last step that was taken in turn
};

}  // namespace pat::alltoall
