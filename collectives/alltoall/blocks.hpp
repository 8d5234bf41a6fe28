#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace pat::alltoall {

/// Writes one rank's program: the blocks that it exchanges straight with others, each of its own
/// length. Blocks without data have no messages. Not thread-safe.
class Exchanges {
 public:
  /// `program` must be empty and outlive the object. Copies the own block.
  Exchanges(const Problem& problem, int rank, Program& program)
      : Exchanges(problem.exchange_of(rank), program) {
    program.copy(sent_[rank], received_[rank], {joined_});
  }

  /// Sends the block of `to` and receives that of `from` at once.
  void at_once(int to, int from, int round = 0) { post(to, from, {joined_}, round); }
  /// The same when the last such step is over.
  void in_turn(int to, int from, int round) {
    const OpIds step = post(to, from, before_, round);
    if (!step.empty()) before_ = step;
  }

 private:
  Exchanges(const Exchange& mine, Program& program)
      : sent_(side_by_side(Buffer::send, mine.sent)),
        received_(side_by_side(Buffer::recv, mine.received)),
        program_(program),
        joined_(program.join()),
        before_{joined_} {}
  OpIds post(int to, int from, const OpIds& after, int round) {
    const auto number = static_cast<std::uint32_t>(round);
    OpIds posted;
    if (received_[from].length > 0)
      posted.push_back(program_.recv(from, received_[from], after, number));
    if (sent_[to].length > 0) posted.push_back(program_.send(to, sent_[to], after, number));
    return posted;
  }

  const std::vector<Slice> sent_, received_;  // per rank
  Program& program_;
  const OpId joined_;
  OpIds before_;  // the last step that was taken in turn
};

}  // namespace pat::alltoall
