#include "collectives/gather/tree.hpp"

#include "collectives/gather/star.hpp"
#include "collectives/patterns/subtree_blocks.hpp"

namespace pat::gather {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, const TreeGather& plan, const SubtreeBlocks& blocks, int place,
          Program& program)
      : problem_(problem),
        plan_(plan),
        blocks_(blocks),
        place_(place),
        node_(plan.tree.nodes[place]),
        program_(program),
        joined_(program.join()) {}

  void build_leaf() { program_.send(parent(), own_block(problem_, node_.rank), {joined_}); }

  void build_inner() {
    const Slice staged = program_.scratch(blocks_.length(place_));
    const Slice own{Buffer::scratch, staged.offset, problem_.block(node_.rank)};
    OpIds ready{program_.copy(own_block(problem_, node_.rank), own, {joined_})};
    for (std::size_t i = node_.children.size(); i-- > 0;) {
      const int child = node_.children[i];
      ready.push_back(receive(
          child,
          {Buffer::scratch, staged.offset + blocks_.offset(child, place_), blocks_.length(child)}));
    }
    program_.send(parent(), staged, ready);
  }

  void build_root() {
    program_.copy(own_block(problem_, node_.rank), blocks_.at_root(Buffer::recv, node_.rank),
                  {joined_});
    for (std::size_t i = node_.children.size(); i-- > 0;) receive_at_root(node_.children[i]);
  }

 private:
  int parent() const { return plan_.tree.nodes[node_.parent].rank; }

  OpId receive(int child, Slice target) {
    OpIds after;
    if (!plan_.background) after.push_back(joined_);
    if (plan_.one_by_one && received_any_) after.push_back(last_received_);
    last_received_ = program_.recv(plan_.tree.nodes[child].rank, target, std::move(after));
    received_any_ = true;
    return last_received_;
  }

  void receive_at_root(int child) {
    const std::vector<Slice> runs = blocks_.runs_at_root(Buffer::recv, child);
    if (runs.size() == 1) {
      receive(child, runs.front());
      return;
    }
    Slice staged = program_.scratch(blocks_.length(child));
    const OpId received = receive(child, staged);
    for (const Slice& run : runs) {
      program_.copy({Buffer::scratch, staged.offset, run.length}, run, {joined_, received});
      staged.offset += run.length;
    }
  }

  const Problem& problem_;
  const TreeGather& plan_;
  const SubtreeBlocks& blocks_;
  const int place_;
  const RootedTree::Node& node_;
  Program& program_;
  const OpId joined_;
  OpId last_received_ = 0;
  bool received_any_ = false;
};

}  // namespace

Schedule build_tree_gather(const Problem& problem, const TreeGather& plan) {
  Schedule schedule(problem);
  const SubtreeBlocks blocks(problem, plan.tree);
  for (int place = 0; place < problem.ranks; ++place) {
    const RootedTree::Node& node = plan.tree.nodes[place];
    if (!schedule.wants(node.rank)) continue;
    Builder builder(problem, plan, blocks, place, schedule.programs[node.rank]);
    if (place == 0)
      builder.build_root();
    else if (node.children.empty())
      builder.build_leaf();
    else
      builder.build_inner();
  }
  return schedule;
}

}  // namespace pat::gather
