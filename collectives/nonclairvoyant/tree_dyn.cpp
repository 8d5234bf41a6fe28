// Tree-dyn: whoever is free sends to whoever became free before; one slot holds who waits.
// Cost: at most ceil(log2 n) (max c + max d); alike and exponential with rate lambda, c = 0, n
// even:
//   the mean is (2 H(n/2 - 1) + 2/n) / lambda, H the harmonic numbers.
// Source: seed 002, Sections 3.2 and 5.

#include "collectives/nonclairvoyant/tree_dyn.hpp"

#include "collectives/nonclairvoyant/event_heap.hpp"

namespace pat::nonclairvoyant {
namespace {

class TreeDyn : public Method {
 public:
  explicit TreeDyn(int processors) : processors_(processors) {}

  double run(const Costs& costs) override {
    events_.clear();
    slot_ = nobody;
    communications_ = computations_ = 0;
    for (int p = 0; p < processors_; ++p) become_idle(p, 0.0, costs);
    double now = 0.0;
    while (!events_.empty()) {
      const Event event = events_.pop();
      now = event.time;
      if (event.what == Ends::communication)
        combine(event.processor, now, costs);
      else
        become_idle(event.processor, now, costs);
    }
    return now;
  }

 private:
  static constexpr int nobody = -1;

  void become_idle(int p, double now, const Costs& costs) {
    if (slot_ == nobody) {
      slot_ = p;
      return;
    }
    events_.push(
        {now + costs.of_communication(communications_++, p, slot_), slot_, Ends::communication});
    slot_ = nobody;
  }

  void combine(int p, double now, const Costs& costs) {
    const double cost = costs.of_computation(computations_++, p);
    if (cost > 0.0)
      events_.push({now + cost, p, Ends::computation});
    else
      become_idle(p, now, costs);
  }

  int processors_;
  int slot_ = nobody;
  EventHeap events_;
  int communications_ = 0, computations_ = 0;
};

}  // namespace

std::unique_ptr<Method> make_tree_dyn(int processors) {
  return std::make_unique<TreeDyn>(processors);
}

}  // namespace pat::nonclairvoyant
