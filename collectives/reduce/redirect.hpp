#pragma once

// The rules of Local Redirect for one process; docs/local-redirect.md explains them and why they
// are right and end.

#include <memory>
#include <vector>

#include "collectives/dynamic/protocol.hpp"
#include "collectives/problem.hpp"

namespace pat::redirect {

/// The tree of each piece. Atomic data has one binomial tree whose root is the root of the
/// reduction. Segments have one each over all ranks but the root, turned so that their roots, the
/// owners, and with them the work, are spread; the owner hands a finished segment to the root.
class Trees {
 public:
  static Trees atomic(const Problem& problem) { return {problem, 1, false}; }
  static Trees segmented(const Problem& problem, int pieces) { return {problem, pieces, true}; }

  static constexpr int above = -1;  ///< the place of the root over segment trees

  int ranks() const { return ranks_; }
  int pieces() const { return pieces_; }
  bool turned() const { return turned_; }
  /// Place of a rank in the tree of a piece, and back. Place 0 is the root of the tree.
  int place(int rank, int piece) const;
  int rank(int place, int piece) const;
  /// The place to which the binomial tree sends; -1 for place 0.
  static int parent(int place) { return place == 0 ? -1 : place & (place - 1); }
  std::vector<int> children(int place) const;
  /// All other places that take what the parent does not: its ancestors and the siblings below.
  static std::vector<int> relatives(int place);

 private:
  Trees(const Problem& problem, int pieces, bool turned)
      : ranks_(problem.ranks), root_(problem.root), pieces_(pieces), turned_(turned) {}
  int members() const { return turned_ ? ranks_ - 1 : ranks_; }
  int shift(int piece) const;

  int ranks_, root_, pieces_;
  bool turned_;
};

/// The protocol of one rank. A process that was not asked for its value for `patience_s` looks
/// further than its parent.
std::unique_ptr<Protocol> make(const Trees& trees, int rank, double patience_s);

}  // namespace pat::redirect
