#pragma once

// A reduce-scatter without relays: every rank sends each block straight to the rank that it is for
// and combines what comes for its own.

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/reduce_scatter/bounds.hpp"
#include "collectives/schedule.hpp"

namespace pat::reduce_scatter {

/// Writes one rank's program: sends in the order of the calls, and receives in that order, one
/// after the other, the next of which may come while the last is combined. Blocks without units
/// cost no operation. Not thread-safe.
class Direct {
 public:
  /// `program` must be empty and outlive the object.
  Direct(const Problem& problem, int rank, Program& program)
      : bounds_(block_bounds(problem)),
        rank_(rank),
        program_(program),
        joined_(program.join()),
        last_send_(joined_),
        last_receive_(joined_) {}

  /// The own contribution, in the send buffer.
  Slice own() const { return block(rank_); }
  /// The receive buffer.
  Slice result() const { return {Buffer::recv, 0, own().length}; }
  OpId joined() const { return joined_; }
  bool is_empty() const { return own().length == 0; }

  /// Sends the block of `to`.
  void send(int to, int round) {
    if (block(to).length == 0) return;
    last_send_ = program_.send(to, block(to), {last_send_}, static_cast<std::uint32_t>(round));
  }

  /// Receives the contribution of `from` where nothing was before.
  OpId receive(int from, const Slice& target, int round) {
    last_receive_ = program_.recv(from, target, {last_receive_}, static_cast<std::uint32_t>(round));
    return last_receive_;
  }

  /// Receives the contribution of `from` and puts it to the left of `sum`, which is there after
  /// `written`; returns when the new sum is.
  OpId combine(int from, const Slice& sum, OpId written, int round) {
    Spare& spare = spares_[next_spare_];
    next_spare_ = (next_spare_ + 1) % spares_.size();
    if (spare.slice.length == 0) spare = {program_.scratch(sum.length), joined_};
    const auto number = static_cast<std::uint32_t>(round);
    last_receive_ = program_.recv(from, spare.slice, {last_receive_, spare.free}, number);
    spare.free = program_.reduce(spare.slice, sum, {last_receive_, written}, number);
    return spare.free;
  }

 private:
  struct Spare {
    Slice slice;
    OpId free = 0;  // when it may be overwritten
  };
  Slice block(int rank) const {
    return {Buffer::send, bounds_[rank], bounds_[rank + 1] - bounds_[rank]};
  }

  const std::vector<std::size_t> bounds_;
  const int rank_;
  Program& program_;
  const OpId joined_;
  OpId last_send_, last_receive_;
  std::array<Spare, 2> spares_;
  std::size_t next_spare_ = 0;
};

}  // namespace pat::reduce_scatter
