#include "tools/study/reduce_tree.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

namespace pat::study {
namespace {

/// Builds programs from the combinations in their order: each rank receives into scratch, combines,
/// and goes on to its next message only then.
class Tree {
 public:
  explicit Tree(const Problem& problem) : schedule_(problem), last_(schedule_.programs.size()) {
    for (int rank = 0; rank < problem.ranks; ++rank) {
      Program& program = schedule_.programs[static_cast<std::size_t>(rank)];
      const OpId joined = program.join();
      const Slice own{Buffer::send, 0, problem.units};
      last_[static_cast<std::size_t>(rank)] = program.copy(own, result(rank), {joined});
    }
  }

  void combine(int from, int to) {
    Program& sender = program(from);
    last(from) = sender.send(to, result(from), {last(from)});
    Program& receiver = program(to);
    const Slice landing = receiver.scratch(schedule_.problem.units);
    const OpId received = receiver.recv(from, landing, {last(to)});
    last(to) = receiver.reduce(landing, result(to), {received});
  }

  Schedule take() {
    seal(schedule_);
    return std::move(schedule_);
  }

 private:
  Program& program(int rank) { return schedule_.programs[static_cast<std::size_t>(rank)]; }
  OpId& last(int rank) { return last_[static_cast<std::size_t>(rank)]; }
  /// Where a rank's partial result lies: the root's in its receive buffer.
  Slice result(int rank) {
    const std::size_t units = schedule_.problem.units;
    if (rank == schedule_.problem.root) return {Buffer::recv, 0, units};
    Program& p = program(rank);
    if (p.scratch_units == 0) p.scratch(units);
    return {Buffer::scratch, 0, units};
  }

  Schedule schedule_;
  std::vector<OpId> last_;
};

}  // namespace

Schedule build_binomial(const Problem& problem) {
  Tree tree(problem);
  const int p = problem.ranks;
  const auto real = [&](int relative) { return (relative + problem.root) % p; };
  for (int bit = 1; bit < p; bit *= 2)
    for (int to = 0; to + bit < p; to += 2 * bit) tree.combine(real(to + bit), real(to));
  return tree.take();
}

Schedule build_earliest_first(const Problem& problem, const ArrivalPattern& pattern,
                              double step_s) {
  Tree tree(problem);
  using Ready = std::pair<double, int>;  // time, rank
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (int rank = 0; rank < problem.ranks; ++rank)
    ready.emplace(pattern.offset_s[static_cast<std::size_t>(rank)], rank);
  while (ready.size() > 1) {
    const auto [first_s, first] = ready.top();
    ready.pop();
    const auto [second_s, second] = ready.top();
    ready.pop();
    const int to = second == problem.root ? second : first;
    tree.combine(to == first ? second : first, to);
    ready.emplace(second_s + step_s, to);
  }
  return tree.take();
}

}  // namespace pat::study
