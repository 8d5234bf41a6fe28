#include "collectives/patterns/rooted_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

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

std::vector<int> ranks_from(int root, int ranks) {
  std::vector<int> from_root(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) from_root[i] = (root + i) % ranks;
  return from_root;
}

RootedTree ranked_star(int ranks, int root) {
  return lay_out(ranks_from(root, ranks), [ranks](int v) {
    std::vector<int> leaves(static_cast<std::size_t>(v == 0 ? ranks - 1 : 0));
    std::iota(leaves.begin(), leaves.end(), 1);
    return leaves;
  });
}

RootedTree ranked_knomial(int ranks, int root, int k) {
  return lay_out(ranks_from(root, ranks), [ranks, k](int v) {
    std::int64_t limit = 1;
    while (v == 0 ? limit < ranks : v / limit % k == 0) limit *= k;
    std::vector<int> children;
    for (std::int64_t step = limit / k; step > 0; step /= k)
      for (int digit = k - 1; digit > 0; --digit)
        if (v + digit * step < ranks) children.push_back(static_cast<int>(v + digit * step));
    return children;
  });
}

RootedTree ranked_kary(int ranks, int root, int k) {
  return lay_out(ranks_from(root, ranks), [ranks, k](int v) {
    std::vector<int> children;
    const std::int64_t first = std::int64_t{k} * v + 1;
    for (std::int64_t child = first; child < std::min<std::int64_t>(first + k, ranks); ++child)
      children.push_back(static_cast<int>(child));
    return children;
  });
}

int kary_height(int ranks, int k) {
  int height = 0;
  for (std::int64_t below = 1, width = 1; below < ranks; ++height) {
    width *= k;
    below += width;
  }
  return height;
}

RootedTree ranked_chains(int ranks, int root, int k) {
  return lay_out(ranks_from(root, ranks), [ranks, k](int v) {
    std::vector<int> children;
    if (v > 0 && v + k < ranks) children.push_back(v + k);
    for (int head = 1; v == 0 && head <= k && head < ranks; ++head) children.push_back(head);
    return children;
  });
}

RootedTree ranked_binomial(int ranks, int root) {
  return ranked_knomial(ranks, root, 2);
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
