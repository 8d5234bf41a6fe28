#include "collectives/patterns/rooted_tree.hpp"

#include "collectives/patterns/binomial.hpp"

namespace pat {
namespace {

class Layout {
 public:
  Layout(const std::vector<int>& ranks, const std::function<std::vector<int>(int)>& children)
      : ranks_(ranks), children_(children) {
    tree_.place_of.resize(ranks.size());
    tree_.nodes.reserve(ranks.size());
    place(0, -1);
  }

  RootedTree take() { return std::move(tree_); }

 private:
  int place(int number, int parent) {
    const int here = tree_.ranks();
    tree_.place_of[ranks_[number]] = here;
    tree_.nodes.push_back({ranks_[number], parent, 1, {}});
    const std::vector<int> numbers = children_(number);
    std::vector<int> places(numbers.size());
    for (std::size_t i = numbers.size(); i-- > 0;) places[i] = place(numbers[i], here);
    tree_.nodes[here].children = std::move(places);
    tree_.nodes[here].size = tree_.ranks() - here;
    return here;
  }

  const std::vector<int>& ranks_;
  const std::function<std::vector<int>(int)>& children_;
  RootedTree tree_;
};

}  // namespace

RootedTree lay_out(const std::vector<int>& ranks,
                   const std::function<std::vector<int>(int number)>& children) {
  return Layout(ranks, children).take();
}

RootedTree ranked_binomial(int ranks, int root) {
  std::vector<int> from_root(ranks);
  for (int i = 0; i < ranks; ++i) from_root[i] = (root + i) % ranks;
  return lay_out(from_root, [ranks](int v) { return binomial::low_bit_children(v, ranks); });
}

RootedTree ordered_binomial(const std::vector<int>& order, int root) {
  std::vector<int> ranks{root};
  ranks.reserve(order.size());
  for (const int rank : order)
    if (rank != root) ranks.push_back(rank);
  const int count = static_cast<int>(ranks.size());
  return lay_out(ranks, [count](int v) { return binomial::high_bit_children(v, count); });
}

}  // namespace pat
