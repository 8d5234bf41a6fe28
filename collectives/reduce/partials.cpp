#include "collectives/reduce/partials.hpp"

#include <algorithm>
#include <utility>

namespace pat::reduce {
namespace {

std::vector<std::size_t> even_bounds(std::size_t units, int pieces) {
  std::vector<std::size_t> bounds;
  for (int i = 0; i < pieces; ++i)
    bounds.push_back(part_of({Buffer::send, 0, units}, pieces, i).offset);
  bounds.push_back(units);
  return bounds;
}

void add(OpIds& to, const OpIds& more) {
  for (const OpId id : more)
    if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
}

}  // namespace

Partials::Partials(const Problem& problem, int rank, Program& program, int pieces)
    : Partials(problem, rank, program, even_bounds(problem.units, pieces)) {}

Partials::Partials(const Problem& problem, int rank, Program& program,
                   std::vector<std::size_t> bounds)
    : problem_(problem),
      program_(program),
      at_root_(rank == problem.root),
      joined_(program.join()) {
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    Piece piece;
    piece.own = {Buffer::send, bounds[i], bounds[i + 1] - bounds[i]};
    longest_ = std::max(longest_, piece.own.length);
    pieces_.push_back(piece);
  }
}

OpIds Partials::or_join(OpIds after) const {
  if (after.empty()) after.push_back(joined_);
  return after;
}

Partials::Place& Partials::place(Piece& piece, int which) {
  Place& chosen = piece.places[which];
  if (chosen.slice.length == 0)
    chosen.slice = at_root_ && which == 0 ? Slice{Buffer::recv, piece.own.offset, piece.own.length}
                                          : program_.scratch(piece.own.length);
  return chosen;
}

Partials::Place& Partials::spare(std::size_t units) {
  Place& chosen = spares_[next_spare_];
  next_spare_ = (next_spare_ + 1) % spares_.size();
  if (chosen.slice.length == 0) chosen.slice = program_.scratch(longest_);
  chosen.slice.length = units;
  return chosen;
}

OpId Partials::receive(int peer, const Slice& target, OpIds after, std::uint32_t round) {
  const auto window = keep_rounds_ ? 1 : static_cast<std::size_t>(problem_.window_or(2));
  if (receives_.size() >= window) add(after, {receives_[receives_.size() - window]});
  add(after, std::exchange(agreed_, {}));
  receives_.push_back(program_.recv(peer, target, or_join(std::move(after)), round));
  return receives_.back();
}

void Partials::remember(OpId done, std::uint32_t round) {
  if (round != combined_round_) combined_before_ = combined_;
  combined_ = {done};
  combined_round_ = round;
}

void Partials::offer(int peer, int index, std::uint32_t round) {
  if (at(index).own.length == 0) return;
  program_.send_signal(peer, {joined_}, round);
  agreed_ = {program_.recv_signal(peer, {joined_}, round)};
}

void Partials::ask(int peer, int index, std::uint32_t round) {
  if (at(index).own.length == 0) return;
  OpIds after = {program_.recv_signal(peer, {joined_}, round)};
  add(after, combined_);
  agreed_ = {program_.send_signal(peer, after, round)};
}

void Partials::send(int peer, int index, std::uint32_t round) {
  Piece& piece = at(index);
  if (piece.own.length == 0) return;
  OpIds after = last_send_;
  add(after, std::exchange(agreed_, {}));
  add(after, piece.written);
  if (keep_rounds_) add(after, combined_round_ < round ? combined_ : combined_before_);
  const OpId sent = program_.send(peer, value(piece), or_join(std::move(after)), round);
  program_.ops[sent].segment = static_cast<std::uint32_t>(index);
  last_send_ = {sent};
  if (piece.at >= 0) piece.places[piece.at].use.push_back(sent);
}

void Partials::combine(int peer, int index, Side side, std::uint32_t round) {
  Piece& piece = at(index);
  if (piece.own.length == 0) return;
  if (side == Side::right || (side == Side::either && piece.at < 0))
    return combine_there(piece, peer, round);
  if (piece.at < 0) {  // the right operand must lie where it may be overwritten
    Place& home = place(piece, 0);
    piece.written = {program_.copy(piece.own, home.slice, or_join(home.use), round)};
    home.use = piece.written;
    piece.at = 0;
  }
  combine_here(piece, peer, round);
}

/// received (op) own, where the own value is.
void Partials::combine_here(Piece& piece, int peer, std::uint32_t round) {
  Place& in = spare(piece.own.length);
  Place& here = piece.places[piece.at];
  const OpId got = receive(peer, in.slice, in.use, round);
  OpIds after = {got};
  add(after, piece.written);
  add(after, here.use);
  const OpId done = program_.reduce(in.slice, here.slice, after, round);
  in.use = here.use = piece.written = {done};
  remember(done, round);
}

/// own (op) received, where the operand was received; the places of the piece change roles.
void Partials::combine_there(Piece& piece, int peer, std::uint32_t round) {
  const int there = (piece.at + 1) % rotation_;
  Place& target = place(piece, there);
  const OpId got = receive(peer, target.slice, target.use, round);
  OpIds after = {got};
  add(after, piece.written);
  const OpId done = program_.reduce(value(piece), target.slice, after, round);
  if (piece.at >= 0) add(piece.places[piece.at].use, {done});
  target.use = piece.written = {done};
  piece.at = there;
  remember(done, round);
}

void Partials::replace(int peer, int index, std::uint32_t round) {
  Piece& piece = at(index);
  if (piece.own.length == 0) return;
  piece.at = 0;
  Place& target = place(piece, 0);
  const OpId got = receive(peer, target.slice, target.use, round);
  target.use = piece.written = {got};
  remember(got, round);
}

void Partials::finish() {
  if (!at_root_) return;
  for (Piece& piece : pieces_) {
    if (piece.own.length == 0 || piece.at == 0) continue;
    Place& home = place(piece, 0);
    OpIds after = home.use;
    add(after, piece.written);
    program_.copy(value(piece), home.slice, or_join(std::move(after)));
  }
}

}  // namespace pat::reduce
