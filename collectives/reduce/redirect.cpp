#include "collectives/reduce/redirect.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "collectives/patterns/binomial.hpp"

namespace pat::redirect {
namespace {

enum Kind : std::int32_t {
  here,      // up: I have come and may be asked for my value
  stuck,     // up: as here, and nobody has asked for long
  claim,     // down: send me your value
  accept,    // up: it comes; value: contributions in it
  refuse,    // up: not now, I shall say when
  gone,      // my value has gone to somebody else
  introduce  // down: tell rank `value` that you are here
};

bool contains(const std::vector<int>& list, int one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

void add(std::vector<int>& list, int one) {
  if (!contains(list, one)) list.push_back(one);
}

class Process : public Protocol {
 public:
  Process(const Trees& trees, int rank, double patience_s)
      : trees_(trees), rank_(rank), patience_s_(patience_s) {
    for (int piece = 0; piece < trees.pieces(); ++piece) {
      Value value;
      value.place = trees.place(rank, piece);
      for (const int child : trees.children(value.place))
        value.children.push_back(trees.rank(child, piece));
      values_.push_back(std::move(value));
    }
  }

  int pieces() const override { return trees_.pieces(); }

  void take(int from, const Note& note) override {
    if (!makes_sense(from, note)) refuse_letter(from, note);
    Value& value = at(note.piece);
    switch (static_cast<Kind>(note.kind)) {
      case here:
      case stuck:
        return hear_of(value, note.piece, from, note.kind == stuck);
      case claim:
        return answer(value, note.piece, from);
      case accept:
        value.state = Value::receiving;
        value.coming = note.value;
        forget(value, from);
        todo_.receives.push_back({from, note.piece});
        return;
      case refuse:
        if (Candidate* candidate = find(value, from)) candidate->free = candidate->stuck = false;
        return give_up(value, from);
      case gone:
        forget(value, from);
        std::erase(value.told, from);
        std::erase(value.refused, from);
        if (from == parent(value, note.piece)) value.look_around_s = 0.0;
        return give_up(value, from);
      case introduce:
        if (value.state == Value::held)
          tell(value, note.piece, note.value, stuck);
        else if (trees_.has_slots() && value.state < Value::leaving)
          add(value.refused, note.value);  // hears of it later
        return;
    }
  }

  void received(int piece) override {
    Value& value = at(piece);
    value.contributions += value.coming;
    value.state = Value::held;
    value.fresh = true;
    if (trees_.has_slots()) value.announced = false;  // the host took it out of the slot
    incoming_ = false;
  }

  void sent(int piece) override {
    at(piece).state = Value::away;
    outgoing_ = false;
  }

  void act(double now_s, Actions& actions) override {
    ask_for_values();
    send_next();
    for (int piece = 0; piece < pieces(); ++piece) {
      Value& value = at(piece);
      if (value.state == Value::held) show(value, piece, now_s);
      if (incoming_) pair_up(value, piece);
    }
    append(actions.letters, todo_.letters);
    append(actions.sends, todo_.sends);
    append(actions.receives, todo_.receives);
    todo_ = {};
  }

  double next_s() const override {
    double next_s = never;
    for (const Value& value : values_)
      if (value.state == Value::held && may_look_around(value))
        next_s = std::min(next_s, value.look_around_s);
    return next_s;
  }

  bool done() const override {
    return std::all_of(values_.begin(), values_.end(), [&](const Value& value) {
      return value.state == Value::away ||
             (value.state == Value::held && value.contributions == trees_.ranks());
    });
  }

 private:
  struct Candidate {
    int place, rank;
    bool free = true, stuck = false;
  };

  /// A piece of the vector on its way to the root.
  struct Value {
    enum State { held, claiming, receiving, leaving, away };
    int place = 0;
    State state = held;
    int contributions = 1;
    int partner = -1;                   // whom it is claimed of
    int coming = 0;                     // contributions in what is being received
    std::vector<Candidate> candidates;  // by place
    std::vector<int> children;          // of the tree, that have not merged as far as is known
    std::vector<int> told;              // who knows that this process is here
    std::vector<int> refused;           // who wants to know when the value can be had
    bool announced = false;             // the parent knows
    bool fresh = true;                  // held anew: waiting starts
    double patience = 1.0;              // grows while nobody asks
    double look_around_s = never;
  };

  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  Value& at(int piece) { return values_[static_cast<std::size_t>(piece)]; }

  /// False for what no process that keeps the rules writes: its numbers would lead out of the
  /// arrays, to ranks that are not there, or to a value of which nobody knows what is in it.
  bool makes_sense(int from, const Note& note) const {
    if (note.piece < 0 || note.piece >= pieces()) return false;
    const Value& value = values_[static_cast<std::size_t>(note.piece)];
    switch (static_cast<Kind>(note.kind)) {
      case here:
      case stuck:
      case claim:
      case refuse:
      case gone:
        return true;
      case accept:
        return value.state == Value::claiming && value.partner == from && note.value >= 1 &&
               note.value <= trees_.ranks() - value.contributions;
      case introduce:
        return note.value >= 0 && note.value < trees_.ranks() && note.value != rank_;
    }
    return false;
  }

  void write(int to, Kind kind, int piece, int value = 0) {
    todo_.letters.push_back({to, {kind, piece, value}});
  }

  void tell(Value& value, int piece, int to, Kind kind) {
    add(value.told, to);
    write(to, kind, piece);
  }

  static Candidate* find(Value& value, int rank) {
    for (Candidate& candidate : value.candidates)
      if (candidate.rank == rank) return &candidate;
    return nullptr;
  }

  void hear_of(Value& value, int piece, int from, bool is_stuck) {
    if (Candidate* known = find(value, from)) {
      known->free = true;
      known->stuck = is_stuck;
      return;
    }
    const Candidate candidate{trees_.place(from, piece), from, true, is_stuck};
    const auto behind =
        std::find_if(value.candidates.begin(), value.candidates.end(),
                     [&](const Candidate& other) { return other.place > candidate.place; });
    value.candidates.insert(behind, candidate);
  }

  static void forget(Value& value, int rank) {
    std::erase_if(value.candidates, [&](const Candidate& c) { return c.rank == rank; });
    std::erase(value.children, rank);
  }

  /// The claim on `from` came to nothing.
  void give_up(Value& value, int from) {
    if (value.state != Value::claiming || value.partner != from) return;
    value.state = Value::held;
    value.fresh = true;
    incoming_ = false;
  }

  void answer(Value& value, int piece, int from) {
    if (value.state == Value::leaving || value.state == Value::away) return;  // it was told
    if (value.state != Value::held) {
      add(value.refused, from);
      write(from, refuse, piece);
      return;
    }
    value.state = Value::leaving;
    to_send_.push_back({from, piece});
    for (const int other : value.children) add(value.told, other);
    for (const int other : value.told)
      if (other != from) write(other, gone, piece);
    if (trees_.has_slots()) hand_on_slot(value, piece, from);
  }

  /// Who waits here, or would come here, is sent to where the value goes.
  void hand_on_slot(const Value& value, int piece, int to) {
    for (const int child : value.children)
      if (child != to) write(child, introduce, piece, to);
    for (const Candidate& candidate : value.candidates)
      if (candidate.rank != to && !contains(value.children, candidate.rank))
        write(candidate.rank, introduce, piece, to);
  }

  /// One value goes out at a time.
  void send_next() {
    if (outgoing_ || to_send_.empty()) return;
    const Actions::Transfer next = to_send_.front();
    to_send_.pop_front();
    outgoing_ = true;
    write(next.peer, accept, next.piece, at(next.piece).contributions);
    todo_.sends.push_back(next);
  }

  /// One value comes in at a time; the piece after the one that was asked for last goes first.
  void ask_for_values() {
    const int first_piece = next_piece_;
    for (int i = 0; i < pieces() && !incoming_; ++i) {
      const int piece = (first_piece + i) % pieces();
      Value& value = at(piece);
      if (value.state != Value::held) continue;
      const auto first = std::find_if(value.candidates.begin(), value.candidates.end(),
                                      [](const Candidate& c) { return c.free; });
      if (first == value.candidates.end()) continue;
      value.state = Value::claiming;
      value.partner = first->rank;
      incoming_ = true;
      next_piece_ = (piece + 1) % pieces();
      write(first->rank, claim, piece);
    }
  }

  /// Rank of the parent; -1: none, or the value is not ready for it.
  int parent(const Value& value, int piece) const {
    if (value.place == Trees::above) return -1;
    if (value.place > 0) return trees_.rank(trees_.host(value.place), piece);
    const bool finished = value.contributions == trees_.ranks() - 1;
    return trees_.turned() && finished ? trees_.rank(Trees::above, piece) : -1;
  }

  bool may_look_around(const Value& value) const { return value.place > 0; }

  /// Lets those know who could take the value: the parent first, after a while all relatives.
  void show(Value& value, int piece, double now_s) {
    const bool waits =
        (trees_.turned() || trees_.has_slots()) && value.place > 0 && !value.children.empty();
    if (const int to = parent(value, piece); to >= 0 && !value.announced && !waits) {
      value.announced = true;
      tell(value, piece, to, here);
    }
    for (const int other : std::exchange(value.refused, {})) tell(value, piece, other, here);
    if (!may_look_around(value)) return;
    if (value.fresh && value.look_around_s > 0.0) {
      value.patience = 1.0;
      value.look_around_s = now_s + patience_s_;
    }
    value.fresh = false;
    if (now_s < value.look_around_s) return;
    if (const int to = parent(value, piece); to >= 0) add(value.told, to);
    for (const int place : trees_.relatives(value.place))
      add(value.told, trees_.rank(place, piece));
    if (trees_.has_slots() && value.patience >= long_patience)
      add(value.told, trees_.rank(0, piece));
    for (const int other : value.told) write(other, stuck, piece);
    value.patience *= 2.0;
    value.look_around_s = now_s + value.patience * patience_s_;
  }

  /// While this process takes somebody else's value, those who wait long may go together; in a
  /// slot, all who wait.
  void pair_up(Value& value, int piece) {
    Candidate* lower = nullptr;
    for (Candidate& candidate : value.candidates) {
      const bool claimed = value.state == Value::claiming && candidate.rank == value.partner;
      const bool waits = candidate.stuck || (trees_.has_slots() && candidate.free);
      if (!waits || claimed) continue;
      if (lower == nullptr) {
        lower = &candidate;
        continue;
      }
      write(candidate.rank, introduce, piece, lower->rank);
      lower->stuck = candidate.stuck = false;
      if (trees_.has_slots()) lower->free = candidate.free = false;
      lower = nullptr;
    }
  }

  /// With slots the root hears of a value that nobody took for so many times the patience.
  static constexpr double long_patience = 16.0;

  const Trees trees_;
  const int rank_;
  const double patience_s_;
  std::vector<Value> values_;
  std::deque<Actions::Transfer> to_send_;  // promised
  bool incoming_ = false, outgoing_ = false;
  int next_piece_ = 0;
  Actions todo_;
};

}  // namespace

int Trees::shift(int piece) const {
  return static_cast<int>(static_cast<long long>(piece) * members() / pieces_);
}

int Trees::place(int rank, int piece) const {
  const int number = (rank - root_ + ranks_) % ranks_;
  if (!turned_) return number;
  return number == 0 ? above : (number - 1 + shift(piece)) % members();
}

int Trees::rank(int place, int piece) const {
  if (!turned_) return (place + root_) % ranks_;
  if (place == above) return root_;
  const int number = 1 + (place - shift(piece) + members()) % members();
  return (number + root_) % ranks_;
}

int Trees::host(int place) const {
  if (!has_slots() || place == 0) return parent(place);
  return place % group_ == 0 ? 0 : place - place % group_;
}

std::vector<int> Trees::children(int place) const {
  if (has_slots()) {
    std::vector<int> places;
    for (int other = 1; other < ranks_; ++other)
      if (host(other) == place) places.push_back(other);
    return places;
  }
  if (place != above) return binomial::low_bit_children(place, members());
  return ranks_ > 1 ? std::vector<int>{0} : std::vector<int>{};
}

std::vector<int> Trees::relatives(int place) const {
  std::vector<int> places;
  if (has_slots()) {
    const int first = host(place);
    for (int i = 1; i <= deputies && first + i < place; ++i) places.push_back(first + i);
    if (place % group_ == 0)  // the root's are in its own group and the first of others
      for (int i = 1; i <= deputies && i * group_ < place; ++i) places.push_back(i * group_);
    return places;
  }
  const int first = parent(place);
  for (int up = first; up > 0;) places.push_back(up = parent(up));
  for (int step = (place - first) / 2; step > 0; step /= 2) places.push_back(first + step);
  return places;
}

std::unique_ptr<Protocol> make(const Trees& trees, int rank, double patience_s) {
  return std::make_unique<Process>(trees, rank, patience_s);
}

}  // namespace pat::redirect
