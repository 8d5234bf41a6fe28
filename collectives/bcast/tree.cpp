#include "collectives/bcast/tree.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/patterns/pieces.hpp"

namespace pat::bcast {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, const TreeBcast& plan, int place, Program& program)
      : problem_(problem),
        plan_(plan),
        node_(plan.tree.nodes[place]),
        program_(program),
        joined_(program.join()) {}

  void build() {
    const bool is_root = node_.parent < 0;
    const bool stages = !is_root && plan_.background && !node_.children.empty();
    const Slice home{is_root ? Buffer::send : Buffer::recv, 0, problem_.units};
    const Slice whole = stages ? program_.scratch(problem_.units) : home;
    for (int segment = 0; segment < plan_.segments; ++segment) {
      const Slice piece = part_of(whole, plan_.segments, segment);
      if (piece.length == 0) continue;
      const OpId here = is_root ? joined_ : receive(piece, segment);
      for (const int child : node_.children) pass_on(child, piece, here, segment);
      if (stages) program_.copy(piece, part_of(home, plan_.segments, segment), {joined_, here});
    }
  }

 private:
  /// At most two receives are open.
  OpId receive(const Slice& piece, int segment) {
    OpIds after;
    if (!plan_.background) after.push_back(joined_);
    if (received_.size() >= 2) after.push_back(received_[received_.size() - 2]);
    received_.push_back(program_.recv(plan_.tree.nodes[node_.parent].rank, piece, std::move(after),
                                      static_cast<std::uint32_t>(segment)));
    return received_.back();
  }

  void pass_on(int child, const Slice& piece, OpId here, int segment) {
    OpIds after = {here};
    if (sent_) after.push_back(last_send_);
    last_send_ = program_.send(plan_.tree.nodes[child].rank, piece, std::move(after),
                               static_cast<std::uint32_t>(segment));
    program_.ops[last_send_].segment = static_cast<std::uint32_t>(segment);
    sent_ = true;
  }

  const Problem& problem_;
  const TreeBcast& plan_;
  const RootedTree::Node& node_;
  Program& program_;
  const OpId joined_;
  OpIds received_;
  OpId last_send_ = 0;
  bool sent_ = false;
};

}  // namespace

Schedule build_tree_bcast(const Problem& problem, const TreeBcast& plan) {
  return build_ranks(problem, [&](int rank, Program& program) {
    Builder(problem, plan, plan.tree.place_of[rank], program).build();
  });
}

RootedTree chain_of(const std::vector<int>& order, int root) {
  std::vector<int> ranks{root};
  for (const int rank : order)
    if (rank != root) ranks.push_back(rank);
  const int count = static_cast<int>(ranks.size());
  return lay_out(ranks, [count](int number) {
    return number + 1 < count ? std::vector<int>{number + 1} : std::vector<int>{};
  });
}

int segments_through(const Problem& problem, double hops) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double best = std::sqrt(std::max(0.0, hops) * bytes * problem.cost.beta_s_per_byte /
                                std::max(problem.cost.alpha_s, 1e-12));
  const double most = static_cast<double>(std::clamp<std::size_t>(problem.units, 1, 128));
  return std::max(static_cast<int>(std::clamp(std::round(best), 1.0, most)),
                  unasked_pieces(problem, bytes));
}

int chain_segments(const Problem& problem) {
  return segments_through(problem, problem.ranks - 2);
}

}  // namespace pat::bcast
