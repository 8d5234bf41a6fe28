// Static trees: who sends to whom is known before anything is.
// Cost (all d and c alike): Binomial-stat ceil(log2 n) (c + d); Fibonacci-stat of order k
//   d + (k - 1) max(d, c) + c, F(k+1) < n <= F(k+2), F the Fibonacci numbers.
// Source: seed 002, Section 3.2, Fig. 2; Canon and Antoniu, RR-7898, 2012.

#include "collectives/nonclairvoyant/static_tree.hpp"

#include <algorithm>
#include <cstdint>

#include "collectives/nonclairvoyant/event_heap.hpp"

namespace pat::nonclairvoyant {
namespace {

class StaticTree : public Method {
 public:
  StaticTree(const Children& children, Overlap overlap)
      : overlap_(overlap == Overlap::yes), nodes_(children.size()) {
    for (std::size_t p = 0; p < children.size(); ++p) {
      nodes_[p].first_child = static_cast<int>(children_.size());
      children_.insert(children_.end(), children[p].begin(), children[p].end());
      nodes_[p].last_child = static_cast<int>(children_.size());
      for (const int child : children[p])
        nodes_[static_cast<std::size_t>(child)].parent = static_cast<int>(p);
    }
    states_.resize(nodes_.size());
  }

  double run(const Costs& costs) override {
    begin();
    for (int p = 0; p < static_cast<int>(nodes_.size()); ++p) receive_next(p, 0.0, costs);
    double now = 0.0;
    while (!events_.empty()) {
      const Event event = events_.pop();
      now = event.time;
      if (event.what == Ends::communication)
        received(event.processor, now, costs);
      else
        combined(event.processor, now, costs);
    }
    return now;
  }

 private:
  struct Node {
    int parent = -1;
    int first_child = 0, last_child = 0;  ///< of children_
  };
  struct State {
    int next_child;  ///< whose value comes next, of children_
    int to_combine;  ///< children whose values are not yet combined
    bool receiving;  ///< a value is on its way here
    bool waiting;    ///< a value has come, but the one before is still being combined
    bool computing;
  };

  Node& node(int p) { return nodes_[static_cast<std::size_t>(p)]; }
  State& state(int p) { return states_[static_cast<std::size_t>(p)]; }

  void begin() {
    events_.clear();
    communications_ = computations_ = 0;
    for (std::size_t p = 0; p < nodes_.size(); ++p)
      states_[p] = {.next_child = nodes_[p].first_child,
                    .to_combine = nodes_[p].last_child - nodes_[p].first_child,
                    .receiving = false,
                    .waiting = false,
                    .computing = false};
  }

  /// The next child sends, if both are free for it.
  void receive_next(int p, double now, const Costs& costs) {
    State& s = state(p);
    if (s.receiving || s.waiting || (s.computing && !overlap_)) return;
    if (s.next_child == node(p).last_child) return;
    const int child = children_[static_cast<std::size_t>(s.next_child)];
    if (state(child).to_combine > 0) return;
    ++s.next_child;
    s.receiving = true;
    events_.push(
        {now + costs.of_communication(communications_++, child, p), p, Ends::communication});
  }

  void received(int p, double now, const Costs& costs) {
    State& s = state(p);
    s.receiving = false;
    if (s.computing)
      s.waiting = true;
    else
      combine(p, now, costs);
  }

  void combine(int p, double now, const Costs& costs) {
    State& s = state(p);
    s.waiting = false;
    s.computing = true;
    const double cost = costs.of_computation(computations_++, p);
    if (!(cost > 0.0)) return combined(p, now, costs);
    events_.push({now + cost, p, Ends::computation});
    receive_next(p, now, costs);
  }

  void combined(int p, double now, const Costs& costs) {
    State& s = state(p);
    s.computing = false;
    --s.to_combine;
    if (s.waiting) return combine(p, now, costs);
    receive_next(p, now, costs);
    if (s.to_combine == 0 && node(p).parent >= 0) receive_next(node(p).parent, now, costs);
  }

  bool overlap_;
  std::vector<Node> nodes_;
  std::vector<int> children_;
  std::vector<State> states_;
  EventHeap events_;
  int communications_ = 0, computations_ = 0;
};

/// The processors from `first` on that a Fibonacci schedule of this order holds. size[k]: F(k+2),
/// what one of order k holds.
void add_fibonacci(int first, int order, const std::vector<int>& size, Children& children) {
  for (int step = 1; step <= order; ++step) {
    const int root = first + size[static_cast<std::size_t>(step - 1)];
    if (root >= static_cast<int>(children.size())) return;
    children[static_cast<std::size_t>(first)].push_back(root);
    add_fibonacci(root, step - 2, size, children);
  }
}

/// F(k+2) for k = 0 up to the first that is at least `processors`.
std::vector<int> fibonacci_sizes(int processors) {
  std::vector<int> size = {1};
  for (int next = 2; size.back() < processors; next = size.back() + size[size.size() - 2])
    size.push_back(next);
  return size;
}

}  // namespace

Children binomial_children(int processors) {
  Children children(static_cast<std::size_t>(processors));
  for (int p = 0; p < processors; ++p)
    for (int apart = 1; p % (2 * apart) == 0 && p + apart < processors; apart *= 2)
      children[static_cast<std::size_t>(p)].push_back(p + apart);
  return children;
}

int fibonacci_order(int processors) {
  return static_cast<int>(fibonacci_sizes(processors).size()) - 1;
}

Children fibonacci_children(int processors) {
  Children children(static_cast<std::size_t>(processors));
  const std::vector<int> size = fibonacci_sizes(processors);
  add_fibonacci(0, static_cast<int>(size.size()) - 1, size, children);
  return children;
}

std::unique_ptr<Method> static_method(const Children& children, Overlap overlap) {
  return std::make_unique<StaticTree>(children, overlap);
}

std::unique_ptr<Method> make_binomial_stat(int processors) {
  return static_method(binomial_children(processors), Overlap::no);
}

std::unique_ptr<Method> make_fibonacci_stat(int processors) {
  return static_method(fibonacci_children(processors), Overlap::yes);
}

}  // namespace pat::nonclairvoyant
