// Non-commut-tree-dyn: whoever is free sends to an idle processor that holds a neighbouring value.
// Cost: no closed form; collectives/nonclairvoyant/markov.hpp solves small numbers of processors.
// Source: seed 002, Section 3.2; its Section 7 asks for a better one, which the rules are about.

#include "collectives/nonclairvoyant/neighbours.hpp"

#include <algorithm>
#include <bit>

#include "collectives/nonclairvoyant/event_heap.hpp"
#include "collectives/nonclairvoyant/moments.hpp"

namespace pat::nonclairvoyant {
namespace {

class Neighbours : public Method {
 public:
  Neighbours(int processors, const NeighbourRules& rules)
      : rules_(rules),
        processors_(processors),
        states_(static_cast<std::size_t>(processors)),
        holder_of_first_(static_cast<std::size_t>(processors)),
        holder_of_last_(static_cast<std::size_t>(processors)) {}

  double run(const Costs& costs) override {
    begin(costs);
    double now = 0.0;
    while (!events_.empty()) {
      const Event event = events_.pop();
      if (event.what == Ends::patience) {
        end_patience(event);
        continue;
      }
      now = now_ = event.time;
      if (event.what == Ends::communication)
        received(event.processor);
      else
        combined(event.processor);
    }
    return now;
  }

 private:
  static constexpr int nobody = -1;
  static constexpr double first_patience = 0.3;  ///< of one operation nothing is learnt

  struct State {
    int first, last;  ///< of the initial values that this one is the reduction of
    bool idle;        ///< may send, or receive
    bool receiving;   ///< a value is on its way here
    bool waiting;     ///< a value has come, but the one before is still being combined
    bool computing;
    double began;           ///< when the last communication to here began
    double patience_until;  ///< of an idle one
    Moments took;           ///< the operations that led to this value
  };

  State& state(int p) { return states_[static_cast<std::size_t>(p)]; }

  void begin(const Costs& costs) {
    costs_ = &costs;
    events_.clear();
    now_ = 0.0;
    communications_ = computations_ = 0;
    for (int p = 0; p < processors_; ++p) {
      state(p) = {.first = p,
                  .last = p,
                  .idle = false,
                  .receiving = false,
                  .waiting = false,
                  .computing = false,
                  .began = 0.0,
                  .patience_until = 0.0,
                  .took = {}};
      holder_of_first_[static_cast<std::size_t>(p)] = p;
      holder_of_last_[static_cast<std::size_t>(p)] = p;
    }
    for (int p = 0; p < processors_; ++p) become_idle(p);
  }

  /// Who holds the value left or right of that of p; nobody at the end.
  int left_of(int p) {
    const int first = state(p).first;
    return first == 0 ? nobody : holder_of_last_[static_cast<std::size_t>(first - 1)];
  }
  int right_of(int p) {
    const int last = state(p).last;
    return last + 1 == processors_ ? nobody : holder_of_first_[static_cast<std::size_t>(last + 1)];
  }

  /// The neighbour with which the binomial tree would combine p first: boundaries between values
  /// vanish in the order of the powers of two in their numbers.
  int preferred_of(int p) {
    const State& s = state(p);
    if (s.first == 0) return right_of(p);
    if (s.last + 1 == processors_) return left_of(p);
    const auto level = [](int boundary) {
      return std::countr_zero(static_cast<unsigned>(boundary));
    };
    return level(s.first) < level(s.last + 1) ? left_of(p) : right_of(p);
  }

  bool port_is_free(int p) {
    const State& s = state(p);
    return s.idle || (rules_.overlap && s.computing && !s.receiving && !s.waiting);
  }
  bool refuses(int p, int neighbour) {
    const State& s = state(p);
    return s.idle && now_ < s.patience_until && preferred_of(p) != neighbour;
  }
  /// Whether one of the two may send to the other now.
  bool fit(int p, int q) {
    if (q == nobody) return false;
    const bool free = (state(p).idle && port_is_free(q)) || (state(q).idle && port_is_free(p));
    return free && !refuses(p, q) && !refuses(q, p);
  }

  /// p or its port has become free.
  void look_for_partner(int p) {
    const int left = left_of(p), right = right_of(p);
    const bool left_fits = fit(p, left), right_fits = fit(p, right);
    if (!left_fits && !right_fits) return;
    int partner = left_fits ? left : right;
    if (left_fits && right_fits && right == preferred_if_choosing(p)) partner = right;
    // Whoever waited before receives, as in tree-dyn; one that is computing cannot send.
    if (state(p).idle)
      send(p, partner);
    else
      send(partner, p);
  }

  /// Without rules the paper's algorithm, which does not say whom it takes of two: the left one.
  int preferred_if_choosing(int p) {
    return rules_.patience > 0.0 || rules_.overlap ? preferred_of(p) : nobody;
  }

  void send(int from, int to) {
    State &giver = state(from), &taker = state(to);
    giver.idle = taker.idle = false;
    taker.receiving = true;
    taker.began = now_;
    taker.took.merge(giver.took);  // read when the value has come
    taker.first = std::min(taker.first, giver.first);
    taker.last = std::max(taker.last, giver.last);
    holder_of_first_[static_cast<std::size_t>(taker.first)] = to;
    holder_of_last_[static_cast<std::size_t>(taker.last)] = to;
    events_.push(
        {now_ + costs_->of_communication(communications_++, from, to), to, Ends::communication});
  }

  void received(int p) {
    State& s = state(p);
    s.receiving = false;
    if (s.computing)
      s.waiting = true;
    else
      combine(p);
  }

  void combine(int p) {
    State& s = state(p);
    s.waiting = false;
    s.computing = true;
    const double cost = costs_->of_computation(computations_++, p);
    if (!(cost > 0.0)) return combined(p);
    events_.push({now_ + cost, p, Ends::computation});
    if (rules_.overlap) look_for_partner(p);
  }

  void combined(int p) {
    State& s = state(p);
    s.computing = false;
    if (s.waiting)
      combine(p);
    else if (!s.receiving)
      become_idle(p);
  }

  void become_idle(int p) {
    State& s = state(p);
    s.idle = true;
    const double last_took = now_ - s.began;
    if (last_took > 0.0) s.took.add(last_took);
    s.patience_until = now_ + patience(s) * last_took;
    look_for_partner(p);
    if (s.idle && s.patience_until > now_) events_.push({s.patience_until, p, Ends::patience});
  }

  /// The share of the last operation's time for which a processor waits.
  double patience(const State& s) const {
    if (rules_.patient_up_to_cv <= 0.0) return rules_.patience;
    if (s.took.count() < 2) return std::min(first_patience, rules_.patience);
    const bool alike = s.took.standard_deviation() <= rules_.patient_up_to_cv * s.took.mean();
    return alike ? rules_.patience : 0.0;
  }

  void end_patience(const Event& event) {
    const State& s = state(event.processor);
    if (!s.idle || s.patience_until != event.time) return;  // it has found a partner meanwhile
    now_ = event.time;
    look_for_partner(event.processor);
  }

  NeighbourRules rules_;
  int processors_;
  std::vector<State> states_;
  std::vector<int> holder_of_first_;  ///< who holds the value that begins with an initial one
  std::vector<int> holder_of_last_;   ///< who holds the value that ends with an initial one
  EventHeap events_;
  const Costs* costs_ = nullptr;
  double now_ = 0.0;
  int communications_ = 0, computations_ = 0;
};

}  // namespace

std::unique_ptr<Method> neighbour_method(int processors, const NeighbourRules& rules) {
  return std::make_unique<Neighbours>(processors, rules);
}

std::unique_ptr<Method> make_non_commut_tree_dyn(int processors) {
  return neighbour_method(processors, {});
}

std::unique_ptr<Method> make_non_commut_patient(int processors) {
  return neighbour_method(processors, {.patience = 0.5});
}

std::unique_ptr<Method> make_non_commut_overlap(int processors) {
  return neighbour_method(processors, {.overlap = true});
}

std::unique_ptr<Method> make_non_commut_tree_dyn_plus(int processors) {
  return neighbour_method(processors, {.patience = 0.5, .patient_up_to_cv = 0.25, .overlap = true});
}

}  // namespace pat::nonclairvoyant
