#include "collectives/reduce/range_tree.hpp"

#include "collectives/reduce/partials.hpp"

namespace pat::reduce {
namespace {

/// Ranks [begin, begin + size); what they hold together ends at `keeper`.
struct Range {
  int begin, size, keeper;

  bool contains(int rank) const { return rank >= begin && rank < begin + size; }
  /// The part [part_begin, part_begin + part_size), kept where the whole is or by its lowest rank.
  Range part(int part_begin, int part_size) const {
    const Range one{part_begin, part_size, part_begin};
    return one.contains(keeper) ? Range{part_begin, part_size, keeper} : one;
  }
};

/// What `rank` does in this range: first in the part that it is in, then where the parts meet.
void meet(RangeTree tree, const Range& range, int rank, bool commutative, Partials& partials) {
  if (range.size == 1) return;
  const Cut cut = tree(range.size, range.keeper - range.begin);
  const Range low = range.part(range.begin, cut.first);
  const Range high = range.part(range.begin + cut.first, range.size - cut.first);
  const Range& mine = low.contains(rank) ? low : high;
  const Range& other = low.contains(rank) ? high : low;
  meet(tree, mine, rank, commutative, partials);
  const Side side = &mine == &low ? Side::right : Side::left;
  if (rank == range.keeper)
    partials.combine(other.keeper, 0, commutative ? Side::either : side, cut.round);
  else if (rank == mine.keeper)
    partials.send(other.keeper, 0, cut.round);
}

}  // namespace

Schedule build_ranges(RangeTree tree, const Problem& problem) {
  Problem in_turn = problem;  // two open receives would share the port, and the first come late
  in_turn.window = problem.window_or(1);
  return build_ranks(problem, [&](int rank, Program& program) {
    Partials partials(in_turn, rank, program, 1);
    partials.overlap();
    meet(tree, {0, problem.ranks, problem.root}, rank, problem.commutative, partials);
    partials.finish();
  });
}

}  // namespace pat::reduce
