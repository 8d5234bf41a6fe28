#include "collectives/gather/star.hpp"

namespace pat::gather {
namespace {

int pieces_of(const Problem& problem) {
  return problem.segments > 0 ? problem.segments : 1;
}

void build_leaf(const Problem& problem, int rank, Program& program) {
  const OpId joined = program.join();
  program.announces_to = problem.root;
  OpId previous = program.recv_signal(problem.root, {});
  const int pieces = pieces_of(problem);
  for (int piece = 0; piece < pieces; ++piece)
    previous = program.send(problem.root, part_of(own_block(problem, rank), pieces, piece),
                            {joined, previous});
}

void build_root(const Problem& problem, const PacedStar& star, Program& program) {
  const OpId joined = program.join();
  const std::vector<OpId> start = star.background ? std::vector<OpId>{} : std::vector<OpId>{joined};
  program.copy(own_block(problem, problem.root), root_block(problem, problem.root), {joined});
  const int pieces = pieces_of(problem);
  const auto window = static_cast<std::size_t>(problem.window);
  std::vector<OpId> first_pieces;
  for (const int leaf : star.order) {
    if (leaf == problem.root) continue;
    std::vector<OpId> turn = start;
    if (first_pieces.size() >= window) turn.push_back(first_pieces[first_pieces.size() - window]);
    const OpId granted = program.send_signal(leaf, turn);
    for (int piece = 0; piece < pieces; ++piece) {
      const OpId received =
          program.recv(leaf, part_of(root_block(problem, leaf), pieces, piece), {granted});
      if (piece == 0) first_pieces.push_back(received);
    }
    program.turns.push_back({leaf, granted, first_pieces.back()});
  }
}

}  // namespace

Schedule build_paced_star(const Problem& problem, const PacedStar& star) {
  Schedule schedule(problem);
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (!schedule.wants(rank)) continue;
    if (rank == problem.root)
      build_root(problem, star, schedule.programs[rank]);
    else
      build_leaf(problem, rank, schedule.programs[rank]);
  }
  return schedule;
}

}  // namespace pat::gather
