#include "collectives/scan/chain.hpp"

#include <array>

namespace pat::scan {
namespace {

/// One rank's program. Segments without units cost no operation.
class Link {
 public:
  Link(const Problem& problem, int segments, int rank, Program& program)
      : ranks_(problem.ranks),
        units_(problem.units),
        segments_(segments),
        rank_(rank),
        program_(program),
        joined_(program.join()),
        received_(joined_),
        sent_(joined_) {}

  void write(Prefix prefix) {
    for (segment_ = 0; segment_ < segments_; ++segment_) {
      if (run(Buffer::send).length == 0) continue;
      prefix == Prefix::inclusive ? include() : exclude();
    }
  }

 private:
  struct Spare {
    Slice slice;
    OpId free = 0;  // when it may be overwritten
  };

  bool is_first() const { return rank_ == 0; }
  bool is_last() const { return rank_ + 1 == ranks_; }
  Slice run(Buffer buffer) const { return part_of({buffer, 0, units_}, segments_, segment_); }
  std::size_t longest() const {
    const auto segments = static_cast<std::size_t>(segments_);
    return (units_ + segments - 1) / segments;
  }
  std::uint32_t round() const { return static_cast<std::uint32_t>(segment_); }

  /// Scratch for this segment, in turn with the one before.
  Spare& spare() {
    Spare& next = spares_[segment_ % spares_.size()];
    if (next.slice.length == 0) next = {program_.scratch(longest()), joined_};
    return next;
  }
  OpId receive(const Slice& target, OpId free) {
    return received_ = program_.recv(rank_ - 1, target, {received_, free}, round());
  }
  OpId send(const Slice& source, OpId written) {
    return sent_ = program_.send(rank_ + 1, source, {sent_, written}, round());
  }

  /// The result is what is passed on.
  void include() {
    const Slice own = run(Buffer::send), result = run(Buffer::recv);
    const OpId copied = program_.copy(own, result, {joined_}, round());
    if (is_first()) {
      if (!is_last()) send(own, joined_);
      return;
    }
    Spare& before = spare();
    const Slice coming{before.slice.buffer, before.slice.offset, own.length};
    const OpId here = receive(coming, before.free);
    before.free = program_.reduce(coming, result, {here, copied}, round());
    if (!is_last()) send(result, before.free);
  }

  /// The result is what comes; what is passed on is combined aside.
  void exclude() {
    const Slice own = run(Buffer::send), result = run(Buffer::recv);
    if (is_first()) {
      if (!is_last()) send(own, joined_);
      return;
    }
    const OpId here = receive(result, joined_);
    if (is_last()) return;
    Spare& onward = spare();
    const Slice sum{onward.slice.buffer, onward.slice.offset, own.length};
    const OpId copied = program_.copy(own, sum, {onward.free}, round());
    onward.free = send(sum, program_.reduce(result, sum, {here, copied}, round()));
  }

  const int ranks_;
  const std::size_t units_;
  const int segments_, rank_;
  Program& program_;
  const OpId joined_;
  OpId received_, sent_;
  std::array<Spare, 2> spares_;
  int segment_ = 0;
};

}  // namespace

Schedule build_chain(const Problem& problem, int segments, Prefix prefix) {
  return build_ranks(problem, [&](int rank, Program& program) {
    Link(problem, segments, rank, program).write(prefix);
  });
}

}  // namespace pat::scan
