#include "collectives/scan/doubling.hpp"

#include <optional>
#include <utility>

namespace pat::scan {
namespace {

/// One rank's program. It keeps two values: the result, of the ranks up to its own, and the sum of
/// its group, which is what it sends.
class Doubling {
 public:
  Doubling(const Problem& problem, Prefix prefix, int rank, Program& program)
      : ranks_(problem.ranks),
        rank_(rank),
        program_(program),
        joined_(program.join()),
        own_{Buffer::send, 0, problem.units},
        result_{Buffer::recv, 0, problem.units},
        sum_{own_, joined_, {}} {
    if (prefix == Prefix::inclusive) result_written_ = program.copy(own_, result_, {joined_});
  }

  void write() {
    for (int step = 1, round = 0; step < ranks_; step *= 2, ++round) {
      const int peer = rank_ ^ step;
      if (peer >= ranks_) continue;
      const int first = rank_ & ~(2 * step - 1);
      meet(peer, first + 2 * step < ranks_, static_cast<std::uint32_t>(round));
    }
  }

 private:
  struct Value {
    Slice slice;
    OpId written;
    OpIds readers;  // what must have ended before it is overwritten
  };

  /// `is_wanted`: there are ranks after both groups, which will ask for the sum of both.
  void meet(int peer, bool is_wanted, std::uint32_t round) {
    const bool lower = rank_ < peer;
    if (lower || is_wanted)
      sum_.readers.push_back(program_.send(peer, sum_.slice, {sum_.written}, round));
    if (!lower) take_from_below(peer, is_wanted, round);
    if (lower && is_wanted) take_from_above(peer, round);
  }

  void take_from_below(int peer, bool is_wanted, std::uint32_t round) {
    Value in = receive(peer, round);
    if (result_written_)
      result_written_ = program_.reduce(in.slice, result_, {in.written, *result_written_}, round);
    else
      result_written_ = program_.copy(in.slice, result_, {in.written}, round);
    in.readers.push_back(*result_written_);
    if (is_wanted) {
      move_sum_to_scratch(round);
      sum_.readers.push_back(in.written);
      sum_.readers.push_back(sum_.written);
      sum_.written = program_.reduce(in.slice, sum_.slice, std::move(sum_.readers), round);
      sum_.readers.clear();
      in.readers.push_back(sum_.written);
    }
    spare_ = std::move(in);
  }

  /// The sum of both comes to lie where what was received does.
  void take_from_above(int peer, std::uint32_t round) {
    Value in = receive(peer, round);
    in.written = program_.reduce(sum_.slice, in.slice, {sum_.written, in.written}, round);
    std::swap(sum_, in);
    if (in.slice.buffer != Buffer::scratch) return;
    in.readers.push_back(sum_.written);
    spare_ = std::move(in);
  }

  Value receive(int peer, std::uint32_t round) {
    Value in{{}, joined_, {joined_}};
    if (spare_) {
      in = *std::exchange(spare_, std::nullopt);
    } else {
      in.slice = program_.scratch(own_.length);
    }
    in.written = program_.recv(peer, in.slice, std::move(in.readers), round);
    in.readers.clear();
    return in;
  }

  void move_sum_to_scratch(std::uint32_t round) {
    if (sum_.slice.buffer == Buffer::scratch) return;
    const Slice place = program_.scratch(own_.length);
    sum_ = {place, program_.copy(own_, place, {joined_}, round), {}};
  }

  const int ranks_, rank_;
  Program& program_;
  const OpId joined_;
  const Slice own_, result_;
  std::optional<OpId> result_written_;
  Value sum_;
  std::optional<Value> spare_;
};

}  // namespace

Schedule build_doubling(const Problem& problem, Prefix prefix) {
  return build_ranks(problem, [&](int rank, Program& program) {
    if (problem.units == 0)
      program.join();
    else
      Doubling(problem, prefix, rank, program).write();
  });
}

}  // namespace pat::scan
