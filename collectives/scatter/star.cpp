#include "collectives/scatter/star.hpp"

namespace pat::scatter {
namespace {

void build_leaf(const Problem& problem, const Star& star, int rank, Program& program) {
  const OpId joined = program.join();
  OpIds after;
  if (!star.background) after.push_back(joined);
  program.recv(problem.root, own_block(problem, rank), std::move(after));
}

std::vector<std::size_t> block_offsets(const Problem& problem) {
  std::vector<std::size_t> offsets{0};
  for (int rank = 0; rank < problem.ranks; ++rank)
    offsets.push_back(offsets.back() + problem.block(rank));
  return offsets;
}

void build_root(const Problem& problem, const Star& star, Program& program) {
  const OpId joined = program.join();
  const std::vector<std::size_t> offsets = block_offsets(problem);
  const auto block = [&](int rank) {
    return Slice{Buffer::send, offsets[rank], problem.block(rank)};
  };
  const auto window = static_cast<std::size_t>(star.window);
  OpIds sent;
  for (const int leaf : star.order)
    if (leaf != problem.root && problem.has_slow_link(leaf))
      program.send(leaf, block(leaf), {joined});
  for (const int leaf : star.order) {
    if (leaf == problem.root || problem.has_slow_link(leaf)) continue;
    const OpId before = sent.size() < window ? joined : sent[sent.size() - window];
    sent.push_back(program.send(leaf, block(leaf), {before}));
  }
  program.copy(block(problem.root), own_block(problem, problem.root), {joined});
}

}  // namespace

Schedule build_star(const Problem& problem, const Star& star) {
  return build_ranks(problem, [&](int rank, Program& program) {
    if (rank == problem.root)
      build_root(problem, star, program);
    else
      build_leaf(problem, star, rank, program);
  });
}

}  // namespace pat::scatter
