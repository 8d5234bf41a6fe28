// Two trees: the even segments go up one binary tree, the odd ones up another; nearly every rank is
// a leaf in one and an inner node in the other, so that all of them receive and send all the time.
// Cost (equal arrivals): at most 4 h alpha + 4 sqrt(h alpha beta m/2) + m beta + 2 m gamma with the
//   best number of segments; h = ceil(log2 P) - 1, P processes, m bytes of the vector, alpha
//   start-up time of a message, beta transfer and gamma combining time per byte. The formula lets
//   an inner node combine while it sends, which simulate does not: there up to 1.35 times as much.
//   An operation that does not commute, with a root other than 0: the segments are passed on by
//   rank 0, up to one message more each.
// Source: seed 004 Table 3 (Sanders, Speck, Traeff); trees in in-order numbering keep the operands'
//   order.

#include <algorithm>
#include <cmath>

#include "collectives/algorithm.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce/partials.hpp"

namespace pat {
namespace {

using reduce::Side;

/// Where a position lies in its tree; 0: none (a parent of 0 is the top).
struct Node {
  int parent = 0, left = 0, right = 0;
  int height = 0;  // above the lowest leaf
};

void measure(std::vector<Node>& nodes, int here) {
  for (const int child : {nodes[here].left, nodes[here].right}) {
    if (child == 0) continue;
    measure(nodes, child);
    nodes[here].height = std::max(nodes[here].height, nodes[child].height + 1);
  }
}

int most_even(int low, int high) {  // the position in [low, high] that 2 divides most often
  int step = 1;
  while ((low + step - 1) / step * step + step <= high) step *= 2;
  return (low + step - 1) / step * step;
}

/// In-order binary tree over [low, high]: odd positions are leaves.
int build_tree(std::vector<Node>& nodes, int low, int high, int parent) {
  if (low > high) return 0;
  const int here = most_even(low, high);
  nodes[here].parent = parent;
  nodes[here].left = build_tree(nodes, low, here - 1, here);
  nodes[here].right = build_tree(nodes, here + 1, high, here);
  return here;
}

/// The same tree moved up by one position, so that the leaves become inner nodes; position 1 is a
/// leaf in front of all.
std::vector<Node> moved_tree(int positions) {
  std::vector<Node> inner(positions + 1), nodes(positions + 1);
  if (positions > 1) build_tree(inner, 1, positions - 1, 0);
  const auto up = [](int position) { return position == 0 ? 0 : position + 1; };
  for (int p = 1; p < positions; ++p)
    nodes[p + 1] = {up(inner[p].parent), up(inner[p].left), up(inner[p].right)};
  if (positions > 1) {
    nodes[2].left = 1;  // position 2 is the first leaf of the moved tree
    nodes[1].parent = 2;
  }
  return nodes;
}

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  const double n = std::max(1, ceil_log2(problem.ranks) - 1);
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const LinkCost& cost = problem.cost;
  const double best = std::sqrt(2 * n * bytes * (cost.beta_s_per_byte + cost.gamma_s_per_byte) /
                                std::max(cost.alpha_s, 1e-12));
  const double most = static_cast<double>(std::clamp<std::size_t>(problem.units, 1, 4096));
  return static_cast<int>(std::clamp(std::round(best), 1.0, most));
}

struct Trees {
  std::vector<Node> nodes[2];
  explicit Trees(int positions) {
    nodes[0].resize(positions + 1);
    build_tree(nodes[0], 1, positions, 0);
    nodes[1] = moved_tree(positions);
    for (std::vector<Node>& tree : nodes)
      for (int p = 1; p <= positions; ++p)
        if (tree[p].parent == 0) measure(tree, p);
  }
};

/// One send or receive. Segment s leaves a node of height h in step s + 2 h, as an inner node takes
/// two of them in for every one that it sends: without such an order a rank's message as a leaf
/// would wait for its work as an inner node.
struct Step {
  int number, segment, peer;
  bool sends;
  Side side;
};

/// Place 0 receives from the tops of both trees, which span the places 1 to P - 1.
std::vector<Step> steps_of(const Trees& trees, int places, int place, int segments) {
  std::vector<Step> steps;
  for (int segment = 0; segment < segments; ++segment) {
    const std::vector<Node>& nodes = trees.nodes[segment % 2];
    const auto receive = [&](int child, Side side) {
      if (child > 0)
        steps.push_back({segment + 2 * nodes[child].height + 1, segment, child, false, side});
    };
    if (place == 0) {
      for (int other = 1; other < places; ++other)
        if (nodes[other].parent == 0) receive(other, Side::right);
      continue;
    }
    receive(nodes[place].left, Side::left);
    receive(nodes[place].right, Side::right);
    steps.push_back({segment + 2 * nodes[place].height, segment, nodes[place].parent, true, {}});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  return steps;
}

void build_rank(const Problem& problem, const Trees& trees, int rank, Program& program) {
  const int top = problem.commutative ? problem.root : 0;
  const int place = (rank - top + problem.ranks) % problem.ranks;
  const int segments = segments_of(problem);
  reduce::Partials partials(problem, rank, program, segments);
  for (const Step& step : steps_of(trees, problem.ranks, place, segments)) {
    const int peer = (step.peer + top) % problem.ranks;
    const auto round = static_cast<std::uint32_t>(step.number);
    const Side side = problem.commutative ? Side::either : step.side;
    if (step.sends)
      partials.send(peer, step.segment, round);
    else
      partials.combine(peer, step.segment, side, round);
  }
  if (top != problem.root && (rank == top || rank == problem.root))
    for (int segment = 0; segment < segments; ++segment) {
      if (rank == top)
        partials.send(problem.root, segment);
      else
        partials.replace(top, segment);
    }
  partials.finish();
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const Trees trees(problem.ranks - 1);
  return build_ranks(
      problem, [&](int rank, Program& program) { build_rank(problem, trees, rank, program); });
}

}  // namespace

PAT_ALGORITHM(reduce, two_tree) {
  return {.operation = Operation::reduce,
          .name = "two-tree",
          .idea = "even and odd segments go up two binary trees",
          .cost =
              "up to 1.35 times (4 h alpha + 4 sqrt(h alpha beta m/2) + m beta + 2 m gamma), h = "
              "ceil(log2 P)-1",
          .source = "seed 004, Table 3",
          .build = build};
}

}  // namespace pat
