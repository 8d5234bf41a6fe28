#include "collectives/bcast/arrivals.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "collectives/bcast/tree.hpp"

namespace pat::bcast {
namespace {

enum Kind : int { here, follow, append, leave, go };
constexpr int nobody = -1, later = -2;  // before a process nobody means the root
/// A tag each.
constexpr int most_segments = 128;
/// Pieces open at once, each way: while one travels the next has begun.
constexpr int most_open = 2;

/// Sends pieces 0 to N-1 to one process after another, no more than most_open at a time.
class Stream {
 public:
  explicit Stream(int pieces) : pieces_(pieces) {}

  bool busy() const { return peer_ >= 0 && left_ < pieces_; }
  bool over() const { return peer_ >= 0 && left_ == pieces_; }
  void begin(int peer) {
    peer_ = peer;
    next_ = left_ = 0;
  }
  void sent() { ++left_; }
  /// Of the first `ready` pieces.
  void act(int ready, Actions& actions) {
    while (busy() && next_ < ready && next_ - left_ < most_open)
      actions.sends.push_back({peer_, next_++});
  }

 private:
  const int pieces_;
  int peer_ = -1;
  int next_ = 0, left_ = 0;
};

class Root final : public Protocol {
 public:
  Root(int ranks, int pieces, Latecomers latecomers)
      : ranks_(ranks),
        pieces_(pieces),
        latecomers_(latecomers),
        come_(static_cast<std::size_t>(ranks), false),
        stream_(pieces) {}

  int pieces() const override { return pieces_; }
  double next_s() const override { return never; }
  bool done() const override { return placed_ == ranks_ - 1 && !stream_.busy() && heads_.empty(); }
  void received(int) override {}
  void sent(int) override { stream_.sent(); }

  void take(int from, const Note& note) override {
    const auto who = static_cast<std::size_t>(from);
    if (note.kind == here && !come_[who]) {
      come_[who] = true;
      waiting_.push_back(from);
    } else if (note.kind == leave && come_[who] && latecomers_ == Latecomers::join) {
      leaves_.push_back(from);
    } else {
      refuse_letter(from, note);
    }
  }

  void act(double, Actions& actions) override {
    for (const int from : leaves_)
      if (from == last_) {
        tell(from, {go}, actions);
        last_ = nobody;
      }
    leaves_.clear();
    latecomers_ == Latecomers::join ? append_all(actions) : begin_group(actions);
    if (!stream_.busy() && !heads_.empty()) {
      stream_.begin(heads_.front());
      heads_.pop_front();
    }
    stream_.act(pieces_, actions);
  }

 private:
  static void tell(int to, Note note, Actions& actions) { actions.letters.push_back({to, note}); }

  void append_all(Actions& actions) {
    for (const int rank : waiting_) {
      ++placed_;
      tell(rank, {follow, last_, placed_ == ranks_ - 1 ? nobody : later}, actions);
      if (last_ == nobody)
        heads_.push_back(rank);
      else
        tell(last_, {append, 0, rank}, actions);
      last_ = rank;
    }
    waiting_.clear();
  }

  void begin_group(Actions& actions) {
    if (stream_.busy() || waiting_.empty()) return;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      tell(waiting_[i],
           {follow, i == 0 ? nobody : waiting_[i - 1],
            i + 1 < waiting_.size() ? waiting_[i + 1] : nobody},
           actions);
    placed_ += static_cast<int>(waiting_.size());
    heads_.push_back(waiting_.front());
    waiting_.clear();
  }

  const int ranks_, pieces_;
  const Latecomers latecomers_;
  std::vector<bool> come_;
  std::vector<int> waiting_, leaves_;  // in the order of their letters
  std::deque<int> heads_;              // of chains that are still to begin
  Stream stream_;
  int placed_ = 0;
  int last_ = nobody;  // of the chain under way
};

class Member final : public Protocol {
 public:
  Member(int ranks, int root, int rank, int pieces)
      : ranks_(ranks),
        root_(root),
        rank_(rank),
        pieces_(pieces),
        have_(static_cast<std::size_t>(pieces), false),
        stream_(pieces) {}

  int pieces() const override { return pieces_; }
  double next_s() const override { return never; }
  bool done() const override {
    return placed_ && ready_ == pieces_ && (next_ == nobody || stream_.over());
  }
  void sent(int) override { stream_.sent(); }
  void received(int piece) override {
    have_[static_cast<std::size_t>(piece)] = true;
    while (ready_ < pieces_ && have_[static_cast<std::size_t>(ready_)]) ++ready_;
  }

  void take(int from, const Note& note) override {
    if (from != root_) refuse_letter(from, note);
    if (note.kind == follow && said_here_ && !placed_ && may_precede(note.piece) &&
        (may_follow(note.value) || note.value == nobody || note.value == later)) {
      placed_ = true;
      before_ = note.piece == nobody ? root_ : note.piece;
      followed_by(note.value);
    } else if (note.kind == append && placed_ && next_ == later && may_follow(note.value)) {
      followed_by(note.value);
    } else if (note.kind == go && asked_ && next_ == later) {
      next_ = nobody;
    } else {
      refuse_letter(from, note);
    }
  }

  void act(double, Actions& actions) override {
    if (!said_here_) actions.letters.push_back({root_, {here}});
    said_here_ = true;
    if (!placed_) return;
    while (begun_ < pieces_ && begun_ - ready_ < most_open)
      actions.receives.push_back({before_, begun_++});
    stream_.act(ready_, actions);
    if (next_ == later && ready_ == pieces_ && !asked_) {
      actions.letters.push_back({root_, {leave}});
      asked_ = true;
    }
  }

 private:
  bool is_other(int rank) const { return rank >= 0 && rank < ranks_ && rank != rank_; }
  bool may_precede(int rank) const { return rank == nobody || is_other(rank); }
  bool may_follow(int rank) const { return is_other(rank) && rank != root_; }
  void followed_by(int rank) {
    next_ = rank;
    if (rank >= 0) stream_.begin(rank);
  }

  const int ranks_, root_, rank_, pieces_;
  std::vector<bool> have_;
  int begun_ = 0, ready_ = 0;  // receives; pieces that are here without a gap before them
  Stream stream_;
  int before_ = nobody, next_ = later;
  bool said_here_ = false, placed_ = false, asked_ = false;
};

}  // namespace

int arrival_segments(const Problem& problem) {
  return problem.segments > 0 ? std::min(problem.segments, most_segments) : chain_segments(problem);
}

std::unique_ptr<Protocol> arrival_chain(const Problem& problem, int rank, Latecomers latecomers) {
  const int pieces = arrival_segments(problem);
  if (rank == problem.root) return std::make_unique<Root>(problem.ranks, pieces, latecomers);
  return std::make_unique<Member>(problem.ranks, problem.root, rank, pieces);
}

}  // namespace pat::bcast
