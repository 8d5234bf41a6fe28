#include "collectives/scatter/tree.hpp"

#include "collectives/patterns/subtree_blocks.hpp"
#include "collectives/scatter/star.hpp"

namespace pat::scatter {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, const TreeScatter& plan, const SubtreeBlocks& blocks, int place,
          Program& program)
      : problem_(problem),
        plan_(plan),
        blocks_(blocks),
        place_(place),
        node_(plan.tree.nodes[place]),
        program_(program),
        joined_(program.join()) {}

  void build_leaf() { receive(own_block(problem_, node_.rank)); }

  void build_inner() {
    const Slice staged = program_.scratch(blocks_.length(place_));
    const OpId received = receive(staged);
    OpId previous = received;
    for (const int child : node_.children)
      previous = send(
          child,
          {Buffer::scratch, staged.offset + blocks_.offset(child, place_), blocks_.length(child)},
          {previous});
    program_.copy({Buffer::scratch, staged.offset, problem_.block(node_.rank)},
                  own_block(problem_, node_.rank), {joined_, received});
  }

  void build_root() {
    OpId previous = joined_;
    for (const int child : node_.children) previous = send_from_root(child, previous);
    program_.copy(blocks_.at_root(Buffer::send, node_.rank), own_block(problem_, node_.rank),
                  {joined_});
  }

 private:
  OpId receive(Slice target) {
    OpIds after;
    if (!plan_.background) after.push_back(joined_);
    return program_.recv(plan_.tree.nodes[node_.parent].rank, target, std::move(after));
  }

  OpId send(int child, Slice source, OpIds after) {
    return program_.send(plan_.tree.nodes[child].rank, source, std::move(after));
  }

  OpId send_from_root(int child, OpId previous) {
    const std::vector<Slice> runs = blocks_.runs_at_root(Buffer::send, child);
    if (runs.size() == 1) return send(child, runs.front(), {previous});
    const Slice packed = program_.scratch(blocks_.length(child));
    OpIds ready{previous};
    std::size_t offset = packed.offset;
    for (const Slice& run : runs) {
      ready.push_back(program_.copy(run, {Buffer::scratch, offset, run.length}, {joined_}));
      offset += run.length;
    }
    return send(child, packed, std::move(ready));
  }

  const Problem& problem_;
  const TreeScatter& plan_;
  const SubtreeBlocks& blocks_;
  const int place_;
  const RootedTree::Node& node_;
  Program& program_;
  const OpId joined_;
};

}  // namespace

Schedule build_tree_scatter(const Problem& problem, const TreeScatter& plan) {
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

}  // namespace pat::scatter
