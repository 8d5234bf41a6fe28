#include "collectives/gather/star.hpp"

#include <algorithm>
#include <cmath>

namespace pat::gather {
namespace {

/// What a port of a small switch holds before it drops packets.
constexpr double most_waiting_bytes = 256 << 10;
/// Blocks of a few bytes: the root's processor is the limit, not its link.
constexpr double most_waiting = 63.0;

int pieces_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments : 1;
}

/// The window that a user has set, or else the smallest with which the root's link does not idle:
/// between the end of a block and the first byte that its go-ahead calls for, 2 alpha pass, and in
/// the background a pause until somebody looks. Blocks that wait at the port must fill that time:
///   window = 1 + ceil((2 alpha + pause) / (n beta)),
/// n the mean block in bytes; no more than most_waiting_bytes wait, rounded up to a block.
int window_of(const Problem& problem, const PacedStar& star) {
  const std::size_t units = problem.total() - problem.block(problem.root);
  const double bytes = static_cast<double>(units * problem.unit_bytes);
  double waiting_bytes = most_waiting_bytes;
  const LinkCost& cost = problem.cost;
  if (cost.beta_s_per_byte > 0.0)
    waiting_bytes =
        std::min(waiting_bytes, (2.0 * cost.alpha_s + (star.background ? problem.pause_s : 0.0)) /
                                    cost.beta_s_per_byte);
  const double blocks = bytes > 0.0 ? waiting_bytes * (problem.ranks - 1) / bytes : 1.0;
  return problem.window_or(1 + static_cast<int>(std::ceil(std::clamp(blocks, 1.0, most_waiting))));
}

void build_leaf(const Problem& problem, int rank, Program& program) {
  const OpId joined = program.join();
  program.announces_to = problem.root;
  OpId previous = program.recv_signal(problem.root, {});
  const int pieces = pieces_of(problem);
  for (int piece = 0; piece < pieces; ++piece) {
    previous = program.send(problem.root, part_of(own_block(problem, rank), pieces, piece),
                            {joined, previous});
    program.ops[previous].segment = static_cast<std::uint32_t>(piece);
  }
}

void build_root(const Problem& problem, const PacedStar& star, Program& program) {
  const OpId joined = program.join();
  OpIds start = star.background ? OpIds{} : OpIds{joined};
  program.copy(own_block(problem, problem.root), root_block(problem, problem.root), {joined});
  const int pieces = pieces_of(problem);
  const auto window = static_cast<std::size_t>(window_of(problem, star));
  program.senders_at_once = std::max(1, static_cast<int>(window) - 1);
  OpIds first_pieces;
  /// The go-ahead, and the block; the operation that takes its first piece in.
  const auto serve = [&](int leaf, OpIds after) {
    const OpId granted = program.send_signal(leaf, std::move(after));
    for (int piece = 0; piece < pieces; ++piece)
      program.recv(leaf, part_of(root_block(problem, leaf), pieces, piece), {granted});
    program.turns.push_back({leaf, granted, granted + 1, problem.has_slow_link(leaf)});
    return granted + 1;
  };
  for (const int leaf : star.order)
    if (leaf != problem.root && problem.has_slow_link(leaf)) {
      serve(leaf, start);
      start = {program.turns.back().go_ahead};
    }
  for (const int leaf : star.order) {
    if (leaf == problem.root || problem.has_slow_link(leaf)) continue;
    OpIds turn = start;
    if (first_pieces.size() >= window) turn.push_back(first_pieces[first_pieces.size() - window]);
    first_pieces.push_back(serve(leaf, std::move(turn)));
  }
}

}  // namespace

Schedule build_paced_star(const Problem& problem, const PacedStar& star) {
  return build_ranks(problem, [&](int rank, Program& program) {
    if (rank == problem.root)
      build_root(problem, star, program);
    else
      build_leaf(problem, rank, program);
  });
}

}  // namespace pat::gather
