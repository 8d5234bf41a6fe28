#pragma once

// The rules of Local Redirect and Tree-dyn for one process; docs/local-redirect.md and
// docs/non-clairvoyant.md explain them and why they are right and end.

#include <memory>
#include <vector>

#include "collectives/dynamic/protocol.hpp"
#include "collectives/problem.hpp"

namespace pat::redirect {

/// The tree of each piece. Atomic data has one binomial tree whose root is the root of the
/// reduction. Segments have one each over all ranks but the root, turned so that their roots, the
/// owners, and with them the work, are spread; the owner hands a finished segment to the root.
/// With slots the tree is flat: the first place of each group keeps the slot of the group, the root
/// that of the first places; who says there that it has come is sent to whom has said so before.
class Trees {
 public:
  static Trees atomic(const Problem& problem) { return {problem, 1, false, 0}; }
  static Trees segmented(const Problem& problem, int pieces) { return {problem, pieces, true, 0}; }
  /// `group`: places that share a slot, a power of two.
  static Trees slots(const Problem& problem, int group) { return {problem, 1, false, group}; }

  static constexpr int deputies = 4;  ///< of who keeps a slot
  static constexpr int above = -1;    ///< the place of the root over segment trees

  int ranks() const { return ranks_; }
  int pieces() const { return pieces_; }
  bool turned() const { return turned_; }
  bool has_slots() const { return group_ > 0; }
  /// Place of a rank in the tree of a piece, and back. Place 0 is the root of the tree.
  int place(int rank, int piece) const;
  int rank(int place, int piece) const;
  /// The place to which the binomial tree sends; -1 for place 0.
  static int parent(int place) { return place == 0 ? -1 : place & (place - 1); }
  /// The place that hears first of a value; -1 for place 0. With slots the one that keeps the
  /// slot, else the parent.
  int host(int place) const;
  /// The places whose host this is.
  std::vector<int> children(int place) const;
  /// All other places that take what the host does not: its ancestors and the siblings below; with
  /// slots the deputies of the host, which are the first behind it.
  std::vector<int> relatives(int place) const;

 private:
  Trees(const Problem& problem, int pieces, bool turned, int group)
      : ranks_(problem.ranks),
        root_(problem.root),
        pieces_(pieces),
        turned_(turned),
        group_(group) {}
  int members() const { return turned_ ? ranks_ - 1 : ranks_; }
  int shift(int piece) const;

  int ranks_, root_, pieces_;
  bool turned_;
  int group_;  // places that share a slot; 0: there are no slots
};

/// The protocol of one rank. A process that was not asked for its value for `patience_s` looks
/// further than its parent.
std::unique_ptr<Protocol> make(const Trees& trees, int rank, double patience_s);

}  // namespace pat::redirect
