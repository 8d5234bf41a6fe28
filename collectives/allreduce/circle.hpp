#pragma once

#include <utility>
#include <vector>

#include "collectives/allreduce/vector.hpp"
#include "collectives/patterns/circulant.hpp"

namespace pat::allreduce {

/// Reduce-scatter and allgather of some ranks on a circulant graph, each in q = ceil(log2 P) rounds
/// in which all that must travel does so once: q alpha + (P-1)/P m (beta + gamma), and the same
/// without gamma, for any P. Operands are combined in no certain order.
/// Source: Traeff 2024, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", Alg.
/// 1, 2.
class Circle {
 public:
  /// `ranks`: who takes part; `place`: where in it the caller stands; share i, which its place i
  /// reduces, is the pieces [bounds[i], bounds[i + 1]) of `vector`. All outlive the object.
  Circle(Vector& vector, const std::vector<int>& ranks, int place, const std::vector<int>& bounds)
      : vector_(vector),
        ranks_(ranks),
        bounds_(bounds),
        place_(place),
        count_(static_cast<int>(ranks.size())),
        skips_(circulant_skips(count_)),
        levels_(static_cast<int>(skips_.size()) - 1) {}

  int levels() const { return levels_; }
  /// Leaves the own share combined. Its rounds are numbered from 0.
  void reduce_scatter();
  /// The shares come from where they were reduced.
  void allgather();

 private:
  int rank_at(int distance) const { return ranks_[(place_ + distance + count_) % count_]; }
  std::vector<Parts> shares(int first, int last) const;

  Vector& vector_;
  const std::vector<int>&ranks_, &bounds_;
  const int place_, count_;
  const std::vector<int> skips_;
  const int levels_;
};

}  // namespace pat::allreduce
