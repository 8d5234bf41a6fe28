#pragma once

#include <vector>

#include "collectives/patterns/rooted_tree.hpp"
#include "collectives/schedule.hpp"

namespace pat::barrier {

/// Writes one rank's program of messages without data. Each says that its sender has come, and all
/// of whom it has heard before. Not thread-safe.
class Signals {
 public:
  /// `program` must be empty and outlive the object.
  explicit Signals(Program& program) : program_(program), known_{program.join()} {}

  /// Waits for a message; those of several peers may come in any order.
  void hear(int peer, int round) {
    known_.push_back(
        program_.recv_signal(peer, {known_.front()}, static_cast<std::uint32_t>(round)));
  }
  /// Tells a peer, after all that was heard before.
  OpId tell(int peer, int round) {
    return program_.send_signal(peer, known_, static_cast<std::uint32_t>(round));
  }
  /// Tells them one after another.
  void tell_all(const std::vector<int>& peers, int round) {
    OpId last = 0;
    for (std::size_t i = 0; i < peers.size(); ++i)
      last = i == 0 ? tell(peers[i], round)
                    : program_.send_signal(peers[i], {last}, static_cast<std::uint32_t>(round));
  }

 private:
  Program& program_;
  OpIds known_;  // the join, and what was heard
};

/// Word goes up the tree as soon as a subtree has come, and down again from the root.
inline Schedule up_and_down(const Problem& problem, const RootedTree& tree) {
  return build_ranks(problem, [&](int rank, Program& program) {
    const RootedTree::Node& node = tree.nodes[tree.place_of[rank]];
    std::vector<int> children;
    for (const int place : node.children) children.push_back(tree.nodes[place].rank);
    Signals signals(program);
    for (const int child : children) signals.hear(child, 0);
    if (node.parent >= 0) {
      const int parent = tree.nodes[node.parent].rank;
      signals.tell(parent, 0);
      signals.hear(parent, 1);
    }
    signals.tell_all(children, 1);
  });
}

}  // namespace pat::barrier
