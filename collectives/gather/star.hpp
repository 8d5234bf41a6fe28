#pragma once

// The paced star: leaves send straight to the root, each when the root gives the go-ahead, so that
// many senders do not collide at one port. Shared by ls, sls and bsls, which differ only in the
// order of the go-aheads and in whether the root gives them before it has arrived itself. Leaves
// say when they arrive; one that has come while the port would idle is granted out of turn, so that
// a leaf which is later than predicted holds nobody up (Program::turns).

#include <vector>

#include "collectives/schedule.hpp"

namespace pat::gather {

/// A rank's contribution, in its send buffer.
inline Slice own_block(const Problem& problem, int rank) {
  return {Buffer::send, 0, problem.block(rank)};
}

/// Where the block of `rank` belongs in the root's receive buffer.
inline Slice root_block(const Problem& problem, int rank) {
  return {Buffer::recv, problem.block_offset(rank), problem.block(rank)};
}

struct PacedStar {
  std::vector<int>
      order;  ///< ranks in the order of their go-aheads; the root's own place is ignored
  bool background = false;  ///< the root receives before it has arrived
};

/// Proficz 2020 Figs. 9 and 10. Each block travels in problem.segments pieces (default 1; the
/// paper's A and B are 2); the go-ahead for the k-th leaf is given once the first piece of leaf k -
/// window is here. With window 1 (the paper's) and one piece a leaf costs 2 alpha + n beta. A
/// second piece hides the go-ahead, but costs the alpha that it saves; window 2 hides it for
/// nothing, and a leaf costs alpha + n beta. Blocks that pass in less time than a go-ahead takes
/// need more: without problem.window the builder chooses by problem.cost and, in the background,
/// problem.pause_s. Who has a slow link (problem.link_slowdown) has the go-ahead first and sends
/// beside the others, whose turns it does not delay: it needs the port least and its own link
/// longest. Only the root's program depends on window and slow links. docs/scatter-gather.md has
/// the figures.
Schedule build_paced_star(const Problem& problem, const PacedStar& star);

}  // namespace pat::gather
