#include "collectives/dynamic/play.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "collectives/operation_row.hpp"
#include "collectives/reduce/partials.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

class Stage {
 public:
  Stage(const MakeProtocol& make, const Problem& problem, const ArrivalPattern& pattern)
      : cost_(problem.cost),
        combines_(row(problem.operation).combines),
        ranks_(static_cast<std::size_t>(problem.ranks)) {
    play_.exit_s = pattern.offset_s;
    play_.letters_to.assign(ranks_.size(), 0);
    for (int rank = 0; rank < problem.ranks; ++rank) {
      at(rank).protocol = make(problem, rank);
      push(pattern.offset_s[static_cast<std::size_t>(rank)], Event::arrival, rank);
    }
    const int pieces = at(0).protocol->pieces();
    for (int piece = 0; piece < pieces; ++piece)
      bytes_.push_back(static_cast<double>(
          part_of({Buffer::send, 0, problem.units}, pieces, piece).length * problem.unit_bytes));
  }

  Play run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_s_ = event.time_s;
      handle(event);
    }
    for (const Rank& rank : ranks_)
      if (!rank.protocol->done())
        throw Error(ErrorKind::internal, "a dynamic algorithm stopped before all were done");
    return std::move(play_);
  }

 private:
  struct Event {
    enum Kind { arrival, letter, sent, landed, combined, act };  // act after all else of an instant
    double time_s;
    Kind kind;
    std::uint64_t sequence;
    int rank, peer;
    Note note;
    bool operator>(const Event& other) const {
      return std::tuple(time_s, kind == act, sequence) >
             std::tuple(other.time_s, other.kind == act, other.sequence);
    }
  };

  struct Rank {
    std::unique_ptr<Protocol> protocol;
    bool here = false;
    std::vector<std::pair<int, Note>> mailbox;  // what came before the process
    double out_free_s = 0.0, in_free_s = 0.0;
    double next_act_s = Protocol::never;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void push(double time_s, Event::Kind kind, int rank, int peer = -1, Note note = {}) {
    events_.push({time_s, kind, sequence_++, rank, peer, note});
  }

  void handle(const Event& event) {
    Rank& rank = at(event.rank);
    switch (event.kind) {
      case Event::arrival:
        rank.here = true;
        for (const auto& [from, note] : rank.mailbox) rank.protocol->take(from, note);
        break;
      case Event::letter:
        if (!rank.here) {
          rank.mailbox.emplace_back(event.peer, event.note);
          return;
        }
        if (rank.protocol->done()) return;
        rank.protocol->take(event.peer, event.note);
        break;
      case Event::sent:
        rank.protocol->sent(event.note.piece);
        break;
      case Event::landed:
        return combine(event);
      case Event::combined:
        rank.protocol->received(event.note.piece);
        break;
      case Event::act:
        if (rank.next_act_s != event.time_s) return;  // there was an earlier one
        rank.next_act_s = Protocol::never;
        return act(event.rank);
    }
    act_at(event.rank, now_s_);
  }

  void act_at(int rank, double time_s) {
    if (time_s >= at(rank).next_act_s) return;
    at(rank).next_act_s = time_s;
    push(time_s, Event::act, rank);
  }

  void act(int rank) {
    Rank& state = at(rank);
    Actions actions;
    state.protocol->act(now_s_, actions);
    play_.letters += actions.letters.size();
    for (const Actions::Letter& letter : actions.letters) {
      ++play_.letters_to[static_cast<std::size_t>(letter.to)];
      push(now_s_ + cost_.alpha_s, Event::letter, letter.to, rank, letter.note);
    }
    for (const Actions::Transfer& send : actions.sends) transfer(rank, send);
    auto& exit_s = play_.exit_s[static_cast<std::size_t>(rank)];
    if (state.protocol->done())
      exit_s = std::max(exit_s, now_s_);
    else if (const double next_s = state.protocol->next_s(); next_s < Protocol::never)
      act_at(rank, std::max(now_s_, next_s));
  }

  void transfer(int from, const Actions::Transfer& send) {
    const double start_s = std::max({now_s_, at(from).out_free_s, at(send.peer).in_free_s});
    const double end_s = start_s + cost_.alpha_s + bytes(send.piece) * cost_.beta_s_per_byte;
    at(from).out_free_s = at(send.peer).in_free_s = end_s;
    play_.merges.push_back({from, send.peer, send.piece, send.side});
    push(end_s, Event::sent, from, send.peer, {0, send.piece, 0});
    push(end_s, Event::landed, send.peer, from, {0, send.piece, 0});
  }

  void combine(const Event& event) {
    Rank& rank = at(event.rank);
    if (!combines_) return push(now_s_, Event::combined, event.rank, event.peer, event.note);
    const double end_s = std::max({now_s_, rank.in_free_s, rank.out_free_s}) +
                         bytes(event.note.piece) * cost_.gamma_s_per_byte;
    rank.in_free_s = rank.out_free_s = end_s;
    push(end_s, Event::combined, event.rank, event.peer, event.note);
  }

  double bytes(int piece) const { return bytes_[static_cast<std::size_t>(piece)]; }

  const LinkCost& cost_;
  const bool combines_;
  std::vector<Rank> ranks_;
  std::vector<double> bytes_;  // of each piece
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t sequence_ = 0;
  double now_s_ = 0.0;
  Play play_;
};

}  // namespace

double Play::run_time_s(const ArrivalPattern& pattern) const {
  return *std::max_element(exit_s.begin(), exit_s.end()) -
         *std::min_element(pattern.offset_s.begin(), pattern.offset_s.end());
}

Play play(const MakeProtocol& make, const Problem& problem, const ArrivalPattern& pattern) {
  return Stage(make, problem, pattern).run();
}

namespace {

/// One rank's program where values only move: what it sends lies in the buffer that it has.
class Moves {
 public:
  Moves(const Problem& problem, int rank, Program& program, int pieces)
      : whole_{has_buffer(row(problem.operation).send->at, rank, problem.root) ? Buffer::send
                                                                               : Buffer::recv,
               0, problem.units},
        pieces_(pieces),
        program_(program),
        joined_(program.join()),
        here_(static_cast<std::size_t>(pieces), joined_) {}

  void send(int peer, int piece, std::uint32_t round) {
    OpIds after{here_[static_cast<std::size_t>(piece)]};
    if (told_.insert(peer).second) heard_ = program_.recv_signal(peer, {joined_}, round);
    after.push_back(heard_);
    if (slice(piece).length > 0)
      heard_ = program_.send(peer, slice(piece), std::move(after), round);
  }
  void receive(int peer, int piece, std::uint32_t round) {
    if (told_.insert(peer).second) program_.send_signal(peer, {joined_}, round);
    if (slice(piece).length > 0)
      here_[static_cast<std::size_t>(piece)] = program_.recv(peer, slice(piece), {joined_}, round);
  }

 private:
  Slice slice(int piece) const { return part_of(whole_, pieces_, piece); }

  const Slice whole_;
  const int pieces_;
  Program& program_;
  const OpId joined_;
  std::vector<OpId> here_;  // by piece: what put it there
  OpId heard_ = 0;          // the last announcement or send: they leave in this order
  std::set<int> told_;
};

Schedule schedule_of_moves(const Play& play, const Problem& problem, int pieces) {
  Schedule schedule(problem);
  std::vector<std::unique_ptr<Moves>> moves(schedule.programs.size());
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (schedule.wants(rank))
      moves[static_cast<std::size_t>(rank)] =
          std::make_unique<Moves>(problem, rank, schedule.programs[rank], pieces);
  for (const Play::Merge& move : play.merges) {
    const auto round = static_cast<std::uint32_t>(move.piece);
    if (const auto& from = moves[static_cast<std::size_t>(move.from)])
      from->send(move.to, move.piece, round);
    if (const auto& to = moves[static_cast<std::size_t>(move.to)])
      to->receive(move.from, move.piece, round);
  }
  return schedule;
}

}  // namespace

Schedule to_schedule(const Play& play, const Problem& problem, int pieces) {
  if (!row(problem.operation).combines) return schedule_of_moves(play, problem, pieces);
  Schedule schedule(problem);
  std::vector<std::unique_ptr<reduce::Partials>> partials(schedule.programs.size());
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (schedule.wants(rank))
      partials[static_cast<std::size_t>(rank)] =
          std::make_unique<reduce::Partials>(problem, rank, schedule.programs[rank], pieces);
  std::vector<std::uint32_t> round(partials.size(), 0);
  for (const Play::Merge& merge : play.merges) {
    const auto from = static_cast<std::size_t>(merge.from), to = static_cast<std::size_t>(merge.to);
    const std::uint32_t now = std::max(round[from], round[to]);
    round[from] = round[to] = now + 1;
    if (partials[from]) {
      partials[from]->offer(merge.to, merge.piece, now);
      partials[from]->send(merge.to, merge.piece, now);
    }
    if (partials[to]) {
      partials[to]->ask(merge.from, merge.piece, now);
      partials[to]->combine(merge.from, merge.piece, merge.side, now);
    }
  }
  for (const auto& one : partials)
    if (one) one->finish();
  return schedule;
}

}  // namespace pat
