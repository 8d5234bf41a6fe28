// Non-commut-tree-dyn: neighbouring ranges of ranks meet as soon as both are ready, and the one
// nearer to the root receives; so all move towards the root, and operands keep their order.
// Cost (equal arrivals, root 0): alpha + ceil(log2 P) (2 alpha + m beta + m gamma); P processes, m
//   bytes of the vector, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte. A root in the middle takes in both sides itself.
// Source: seed 002 Section 3.2 (Non-Commut-Tree-dyn). Its array of idle processors needs a memory
//   that all can look into; here each process asks its neighbour, so nobody coordinates. What a
//   letter costs, and who waits for whom when all are ready at once, are PAT's:
//   docs/non-clairvoyant.md.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>

#include "collectives/algorithm.hpp"
#include "collectives/dynamic/play.hpp"

namespace pat::algorithm_reduce_non_commut_tree_dyn {
namespace {

enum Kind : std::int32_t {
  offer,   // towards the root: I am here, and you are my neighbour
  claim,   // away from it: send me your value
  accept,  // towards it: it comes; value: the far end of its range
  moved    // away from it: your neighbour is now rank `value`
};

/// What a process holds is that of a range of ranks whose end next to the root is its own.
class Process : public Protocol {
 public:
  Process(const Problem& problem, int rank, double patience_s)
      : ranks_(problem.ranks), root_(problem.root), rank_(rank), patience_s_(patience_s) {
    if (rank <= root_) flanks_.push_back({-1, rank, {}});
    if (rank >= root_) flanks_.push_back({+1, rank, {}});
    if (rank != root_) inner_ = rank - flanks_[0].step;
  }

  int pieces() const override { return 1; }

  void take(int from, const Note& note) override {
    if (!makes_sense(from, note)) refuse_letter(from, note);
    switch (static_cast<Kind>(note.kind)) {
      case offer:
        flank_of(from)->offers.insert(from);
        return;
      case claim:
        claimed_by_ = from;
        return;
      case accept:
        state_ = receiving;
        coming_ = note.value;
        todo_.receives.push_back({from, 0, side_of(from)});
        return;
      case moved:  // of several such letters the one that names the nearest to the root is the last
        if (distance(note.value) < distance(inner_)) inner_ = note.value;
        return;
    }
  }

  void received(int) override {
    flank_of(coming_)->far = coming_;
    state_ = held;
    fresh_ = true;
  }

  void sent(int) override { state_ = away; }

  void act(double now_s, Actions& actions) override {
    if (state_ == held && claimed_by_ >= 0) leave();
    if (state_ < leaving && rank_ != root_ && offered_to_ != inner_) {
      offered_to_ = inner_;
      write(inner_, offer);
    }
    if (state_ == held) claim_next(now_s);
    actions.letters.insert(actions.letters.end(), todo_.letters.begin(), todo_.letters.end());
    actions.sends.insert(actions.sends.end(), todo_.sends.begin(), todo_.sends.end());
    actions.receives.insert(actions.receives.end(), todo_.receives.begin(), todo_.receives.end());
    todo_ = {};
  }

  double next_s() const override {
    const bool waits = state_ == held && !fresh_ &&
                       std::any_of(flanks_.begin(), flanks_.end(),
                                   [&](const Flank& flank) { return is_offered(flank); });
    return waits ? tired_s_ : never;
  }

  bool done() const override {
    return state_ == away || (rank_ == root_ && state_ == held &&
                              std::none_of(flanks_.begin(), flanks_.end(), [&](const Flank& flank) {
                                return is_rank(flank.far + flank.step);
                              }));
  }

 private:
  enum State { held, claiming, receiving, leaving, away };

  /// One side of the range, on which others lie farther from the root.
  struct Flank {
    int step;              // -1 or 1: the next rank outwards
    int far;               // the last rank of the range
    std::set<int> offers;  // who said to be here
  };

  bool is_rank(int rank) const { return rank >= 0 && rank < ranks_; }
  int distance(int rank) const { return std::abs(rank - root_); }
  bool is_offered(const Flank& flank) const {
    return flank.offers.contains(flank.far + flank.step);
  }

  /// The flank on which a rank lies; null where it is none.
  Flank* flank_of(int rank) {
    for (Flank& flank : flanks_)
      if ((rank - rank_) * flank.step > 0) return &flank;
    return nullptr;
  }
  const Flank* flank_of(int rank) const { return const_cast<Process*>(this)->flank_of(rank); }

  static OperandSide side_of_step(int step) {
    return step > 0 ? OperandSide::right : OperandSide::left;
  }
  OperandSide side_of(int rank) const { return side_of_step(flank_of(rank)->step); }

  /// Whether the rank lies on the way from this process to the root, the root included.
  bool is_inward(int rank) const {
    return is_rank(rank) && rank_ != root_ && (rank - rank_) * flanks_[0].step < 0 &&
           (rank - root_) * flanks_[0].step >= 0;
  }

  /// False for what no process that keeps the rules writes.
  bool makes_sense(int from, const Note& note) const {
    if (note.piece != 0 || !is_rank(from) || from == rank_) return false;
    switch (static_cast<Kind>(note.kind)) {
      case offer:
        return flank_of(from) != nullptr;
      case claim:
        return is_inward(from) && state_ < leaving;
      case accept:
        return state_ == claiming && partner_ == from && is_rank(note.value) &&
               (note.value - from) * flank_of(from)->step >= 0;
      case moved:
        return is_inward(note.value) && is_inward(from);
    }
    return false;
  }

  void write(int to, Kind kind, int value = 0) { todo_.letters.push_back({to, {kind, 0, value}}); }

  /// The value goes inwards; who lies behind it has another neighbour then.
  void leave() {
    const Flank& flank = flanks_[0];
    state_ = leaving;
    write(claimed_by_, accept, flank.far);
    todo_.sends.push_back({claimed_by_, 0, side_of_step(flank.step)});
    if (const int behind = flank.far + flank.step; is_rank(behind))
      write(behind, moved, claimed_by_);
  }

  /// When all are ready at once, who claims whom is that of the binomial tree: the neighbour's
  /// number, counted from the root, ends in fewer zeros than the own.
  bool is_child(int rank) const {
    return rank_ == root_ || std::countr_zero(static_cast<unsigned>(distance(rank))) <
                                 std::countr_zero(static_cast<unsigned>(distance(rank_)));
  }

  /// Claims the neighbour that is ready; one that is no child only when nobody has come for the own
  /// value for a while.
  void claim_next(double now_s) {
    if (fresh_) tired_s_ = now_s + patience_s_;
    fresh_ = false;
    const Flank* nearest = nullptr;
    for (const Flank& flank : flanks_)
      if (is_offered(flank) && (is_child(flank.far + flank.step) || now_s >= tired_s_) &&
          (nearest == nullptr || distance(flank.far) < distance(nearest->far)))
        nearest = &flank;
    if (nearest == nullptr) return;
    state_ = claiming;
    partner_ = nearest->far + nearest->step;
    write(partner_, claim);
  }

  const int ranks_, root_, rank_;
  const double patience_s_;
  std::vector<Flank> flanks_;  // of the root two, of others the one that looks away from it
  State state_ = held;
  int inner_ = -1;       // who holds the range on the way to the root, as far as is known
  int offered_to_ = -1;  // who was told that this process is here
  int claimed_by_ = -1;
  int partner_ = -1;  // whose value was claimed
  int coming_ = -1;   // the far end of what is being received
  bool fresh_ = true;
  double tired_s_ = 0.0;
  Actions todo_;
};

std::unique_ptr<Protocol> protocol(const Problem& problem, int rank) {
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  // A round: with less, those who are merely a little late lose their place in the tree.
  const double patience_s = 4 * problem.cost.alpha_s + problem.cost.round_s(bytes);
  return std::make_unique<Process>(problem, rank, patience_s);
}

Schedule build(const Problem& problem, const ArrivalPattern& pattern) {
  return to_schedule(play(protocol, problem, pattern), problem, 1);
}

}  // namespace

PAT_ALGORITHM(reduce, non_commut_tree_dyn) {
  return {.operation = Operation::reduce,
          .name = "non-commut-tree-dyn",
          .idea = "neighbouring ranges meet as soon as both are ready, in rank order",
          .cost = "alpha + ceil(log2 P) (2 alpha + m beta + m gamma), root 0",
          .source = "seed 002, Section 3.2; docs/non-clairvoyant.md",
          .build = build,
          .protocol = protocol,
          .uses_pattern = true,
          .on_demand = true};
}

}  // namespace pat::algorithm_reduce_non_commut_tree_dyn
