// Helpers: all but the last process reduce to one of them, the sink, before it comes; then sink and
// last process scatter their vectors over all P, each combines one part of P, and the root gathers.
// Cost, from the arrival of the last process on, where the others came early enough and P is a
//   power of two: 2 log2(P) alpha + 2 (P-1)/P m beta + m gamma / P; P processes, m bytes of the
//   vector, alpha start-up time of a message, beta transfer and gamma combining time per byte.
//   Equal arrivals: ceil(log2(P-1)) (alpha + m beta + m gamma) more, and the scatter of the sink.
// Source: seed 004 Section 5.3, the strategy that uses the other P - 2 processes. It is ahead of
//   the two in which only sink and last process take part where gamma > 2 beta and m is large
//   (docs/clairvoyant.md); kept for comparison.

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_reduce_helpers {
namespace {

/// Ranks by place: the sink (the root, if it is not the last process) at place 0, the last process
/// at P - 1. So the trees of the two mirror each other, and whatever a message holds is one run.
std::vector<int> ranks_by_place(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<int> ranks;
  for (int rank = 0; rank < problem.ranks; ++rank) ranks.push_back(rank);
  const auto last = std::max_element(ranks.begin(), ranks.end(), [&](int a, int b) {
    return std::pair(pattern.offset_s[a], a) < std::pair(pattern.offset_s[b], b);
  });
  std::rotate(last, last + 1, ranks.end());
  const auto sink = std::find(ranks.begin(), ranks.end() - 1, problem.root);
  if (sink != ranks.end() - 1) std::rotate(ranks.begin(), sink, sink + 1);
  return ranks;
}

/// Memory for a vector, and the operation that touched it last.
struct Place {
  Slice whole;
  OpId last;
};

/// Writes the program of one rank.
class Helper {
 public:
  Helper(const Problem& problem, const std::vector<int>& ranks, int rank, Program& program)
      : problem_(problem), ranks_(ranks), program_(program) {
    while (ranks_[place_] != rank) ++place_;
    const OpId joined = program.join();
    own_ = {{Buffer::send, 0, problem.units}, joined};
    result_ = {rank == problem.root ? Slice{Buffer::recv, 0, problem.units}
                                    : program.scratch(problem.units),
               joined};
    other_ = {program.scratch(problem.units), joined};
  }

  void write() {
    const bool comes_last = place_ == count() - 1 && count() > 1;
    if (!comes_last) reduce_to_sink();
    round_ = levels();
    scatter(result_, false);
    scatter(comes_last ? own_ : other_, true);
    if (count() > 1) combine(comes_last ? own_ : other_, place_, place_ + 1);
    round_ = 2 * levels();
    gather(ranks_.front() != problem_.root);
  }

 private:
  int count() const { return problem_.ranks; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(ceil_log2(count())); }

  /// Parts [first, last) of P.
  Slice parts(const Place& of, int first, int last) const {
    const auto begin = [&](int part) {
      return part < count() ? part_of(of.whole, count(), part).offset
                            : of.whole.offset + of.whole.length;
    };
    return {of.whole.buffer, begin(first), begin(last) - begin(first)};
  }

  void send(int place, Place& from, int first, int last) {
    const Slice what = parts(from, first, last);
    if (what.length > 0) from.last = program_.send(ranks_[place], what, {from.last}, round_);
  }
  void receive(int place, Place& to, int first, int last) {
    const Slice what = parts(to, first, last);
    if (what.length > 0) to.last = program_.recv(ranks_[place], what, {to.last}, round_);
  }
  void combine(Place& with, int first, int last) {
    const Slice what = parts(with, first, last);
    if (what.length == 0) return;
    result_.last = with.last =
        program_.reduce(what, parts(result_, first, last), {with.last, result_.last}, round_);
  }

  /// A binomial tree to place 0 over all but the last process.
  void reduce_to_sink() {
    if (problem_.units > 0)
      result_.last = program_.copy(own_.whole, result_.whole, {result_.last}, 0);
    for (int bit = 1; bit < count() - 1; bit *= 2, ++round_) {
      if (place_ & bit) return send(place_ - bit, result_, 0, count());
      if (place_ + bit >= count() - 1) continue;
      receive(place_ + bit, other_, 0, count());
      combine(other_, 0, count());
    }
  }

  /// Position in a tree whose root is place 0, or place P - 1, and the place of a position.
  int mirror(int place, bool mirrored) const { return mirrored ? count() - 1 - place : place; }

  /// What the subtree of `bit` positions from `position` on is about.
  struct Run {
    int first, last;
  };
  Run subtree(int position, int bit, bool mirrored) const {
    const int end = std::min(position + bit, count());
    return mirrored ? Run{count() - end, count() - position} : Run{position, end};
  }

  void scatter(Place& vector, bool from_last) {
    const int position = mirror(place_, from_last);
    int bit = 1;
    while (bit < count() && !(position & bit)) bit *= 2;
    if (position > 0) {
      const Run run = subtree(position, bit, from_last);
      receive(mirror(position - bit, from_last), vector, run.first, run.last);
    }
    for (bit /= 2; bit > 0; bit /= 2) {
      if (position + bit >= count()) continue;
      const Run run = subtree(position + bit, bit, from_last);
      send(mirror(position + bit, from_last), vector, run.first, run.last);
    }
  }

  void gather(bool at_last) {
    const int position = mirror(place_, at_last);
    for (int bit = 1; bit < count(); bit *= 2, ++round_) {
      const bool leaves = (position & bit) != 0;
      const int child = leaves ? position : position + bit;
      if (child >= count()) continue;
      const Run run = subtree(child, bit, at_last);
      if (leaves) return send(mirror(position - bit, at_last), result_, run.first, run.last);
      receive(mirror(child, at_last), result_, run.first, run.last);
    }
  }

  const Problem& problem_;
  const std::vector<int>& ranks_;
  Program& program_;
  int place_ = 0;
  std::uint32_t round_ = 0;
  Place own_, result_, other_;
};

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  const std::vector<int> ranks = ranks_by_place(problem, pattern);
  return build_ranks(
      problem, [&](int rank, Program& program) { Helper(problem, ranks, rank, program).write(); });
}

}  // namespace

PAT_ALGORITHM(reduce, helpers) {
  return {.operation = Operation::reduce,
          .name = "helpers",
          .idea = "the others reduce first, then help to combine with the last process",
          .cost = "2 log2(P) alpha + 2 (P-1)/P m beta + m gamma / P from the last arrival on",
          .source = "seed 004, Section 5.3",
          .build = build,
          .uses_pattern = true,
          .on_demand = true,
          .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_helpers
