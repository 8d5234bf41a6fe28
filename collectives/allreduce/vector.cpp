#include "collectives/allreduce/vector.hpp"

#include <algorithm>

#include "collectives/patterns/pieces.hpp"

namespace pat::allreduce {
namespace {

constexpr int anybody = -1;

void add(OpIds& to, const OpIds& more) {
  for (const OpId id : more)
    if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
}

/// Adds `id`, and keeps the `most` that were added last.
void keep_last(OpIds& ids, OpId id, std::size_t most) {
  if (ids.size() >= most) ids.erase(ids.begin());
  ids.push_back(id);
}

}  // namespace

Vector::Vector(const Problem& problem, Program& program, int pieces)
    : problem_(problem),
      program_(program),
      joined_(program.join()),
      pieces_(static_cast<std::size_t>(pieces)) {
  for (int i = 0; i < pieces; ++i) {
    const Slice part = part_of({Buffer::recv, 0, problem.units}, pieces, i);
    pieces_[i].begin = part.offset;
    pieces_[i].end = part.offset + part.length;
  }
}

Vector::Vector(const Problem& problem, Program& program, const std::vector<std::size_t>& bounds)
    : problem_(problem), program_(program), joined_(program.join()), pieces_(bounds.size() - 1) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].begin = bounds[i];
    pieces_[i].end = bounds[i + 1];
  }
  home_ = program.scratch(bounds.back());
}

void Vector::keep_order(int at_once) {
  in_order_ = true;
  sends_at_once_ = receives_at_once_ = static_cast<std::size_t>(at_once);
}

Slice Vector::own(Parts range) const {
  const std::size_t begin = pieces_[range.first].begin;
  return {Buffer::send, begin, pieces_[range.last - 1].end - begin};
}

Slice Vector::home(Parts range) const {
  const Slice whole = own(range);
  return {home_.buffer, home_.offset + whole.offset, whole.length};
}

Vector::Spare& Vector::spare(std::size_t units) {
  Spare& chosen = spares_[next_spare_];
  next_spare_ = (next_spare_ + 1) % spares_.size();
  if (chosen.slice.length < units) {
    chosen.slice = program_.scratch(units);
    chosen.use.clear();
  }
  return chosen;
}

OpIds Vector::writers(Parts range) const {
  OpIds all;
  for (int piece = range.first; piece < range.last; ++piece) add(all, pieces_[piece].written);
  return all;
}

OpIds Vector::users(Parts range) const {
  OpIds all = writers(range);
  for (int piece = range.first; piece < range.last; ++piece) add(all, pieces_[piece].readers);
  return all;
}

OpIds Vector::or_join(OpIds after) const {
  if (after.empty()) after.push_back(joined_);
  return after;
}

void Vector::wrote(Parts range, OpIds by) {
  for (int piece = range.first; piece < range.last; ++piece) {
    pieces_[piece].moved = true;
    pieces_[piece].written = by;
    pieces_[piece].readers.clear();
  }
}

int Vector::messages_of(const Slice& slice) const {
  if (asks_) return 1;
  return unasked_pieces(problem_, static_cast<double>(slice.length * problem_.unit_bytes));
}

void Vector::send(int peer, Parts range, std::uint32_t round) {
  if (range.count() <= 0) return;
  const Slice source = moved(range) ? home(range) : own(range);
  if (source.length == 0) return;
  OpIds& sends = sends_[in_order_ ? anybody : peer];
  const int messages = messages_of(source);
  OpIds after = writers(range), open;
  for (int message = 0; message < messages; ++message) {
    if (sends.size() >= sends_at_once_) add(after, {sends[sends.size() - sends_at_once_]});
    const OpId sent =
        program_.send(peer, part_of(source, messages, message), or_join(std::move(after)), round);
    program_.ops[sent].segment = static_cast<std::uint32_t>(range.first);
    program_.ops[sent].asks = asks_;
    sends.push_back(sent);
    keep_last(open, sent, sends_at_once_);
    after.clear();
  }
  if (!moved(range)) return;
  for (int piece = range.first; piece < range.last; ++piece) add(pieces_[piece].readers, open);
}

std::vector<Vector::Arrived> Vector::receive_into(int peer, const Slice& target, OpIds after,
                                                  std::uint32_t round) {
  OpIds& before = receives_[in_order_ ? anybody : peer];
  const std::size_t open = receives_at_once_;
  const int messages = messages_of(target);
  std::vector<Arrived> arrived;
  for (int message = 0; message < messages; ++message) {
    OpIds mine = arrived.size() < open ? after : OpIds();  // later ones come after these
    if (before.size() >= open) add(mine, {before[before.size() - open]});
    const Slice slice = part_of(target, messages, message);
    before.push_back(program_.recv(peer, slice, or_join(std::move(mine)), round));
    program_.ops[before.back()].asks = asks_;
    arrived.push_back({slice, before.back()});
  }
  return arrived;
}

void Vector::combine(int peer, Parts range, Side side, std::uint32_t round) {
  combine(peer, std::vector<Parts>{range}, side, round);
}

void Vector::combine(int peer, const std::vector<Parts>& ranges, Side side, std::uint32_t round) {
  std::vector<Incoming> all;
  for (const Parts& range : ranges) {
    if (range.count() <= 0) continue;
    if (home(range).length == 0)
      wrote(range, {});
    else
      all.push_back(take(peer, range, side, round));
  }
  for (const Incoming& in : all)
    combine(in, all.size() > 1 ? OpIds{all.back().messages.back().got} : OpIds(), side, round);
}

Vector::Incoming Vector::take(int peer, Parts range, Side side, std::uint32_t round) {
  const Slice here = home(range);
  if (!moved(range) && side != Side::left)  // own (op) received, where it was received
    return {range, receive_into(peer, here, {}, round), nullptr};
  if (!moved(range)) wrote(range, {program_.copy(own(range), here, {joined_}, round)});
  Spare& in = spare(here.length);
  const Slice incoming{in.slice.buffer, in.slice.offset, here.length};
  return {range, receive_into(peer, incoming, in.use, round), &in};
}

/// Message by message, one after another.
void Vector::combine(const Incoming& in, const OpIds& received, Side side, std::uint32_t round) {
  const OpIds readers = users(in.range);
  OpIds before = side == Side::right ? writers(in.range) : readers;
  if (in.spare == nullptr) before.clear();
  std::size_t done = 0;
  for (const Arrived& message : in.messages) {
    const std::size_t length = message.slice.length;
    Slice here = home(in.range), mine = own(in.range);
    here = {here.buffer, here.offset + done, length};
    mine = {mine.buffer, mine.offset + done, length};
    OpIds after{message.got};
    add(after, received);
    add(after, before);
    before = {in.spare == nullptr
                  ? program_.reduce(mine, here, after, round)
                  : combine_beside(message.slice, here, after, readers, side, round)};
    done += length;
  }
  wrote(in.range, before);
  if (in.spare != nullptr) in.spare->use = before;
}

/// What lies in a spare with what lies at home; the operation that wrote it there.
OpId Vector::combine_beside(const Slice& in, const Slice& here, OpIds after, const OpIds& readers,
                            Side side, std::uint32_t round) {
  if (side != Side::right) return program_.reduce(in, here, after, round);
  OpIds free = readers;
  add(free, {program_.reduce(here, in, after, round)});
  return program_.copy(in, here, free, round);
}

void Vector::receive(int peer, Parts range, std::uint32_t round) {
  if (range.count() <= 0) return;
  const Slice here = home(range);
  if (here.length == 0) return wrote(range, {});
  OpIds last;  // those that may be open at once
  for (const Arrived& message : receive_into(peer, here, users(range), round))
    keep_last(last, message.got, receives_at_once_);
  wrote(range, last);
}

void Vector::take_in(Parts range) {
  for (int piece = range.first; piece < range.last; ++piece) {
    const Parts one{piece, piece + 1};
    const Slice here = home(one);
    if (moved(one)) continue;
    if (here.length == 0)
      wrote(one, {});
    else
      wrote(one, {program_.copy(own(one), here, {joined_})});
  }
}

void Vector::hand_over(Parts range) {
  const Slice here = moved(range) ? home(range) : own(range);
  if (here.length > 0) program_.copy(here, {Buffer::recv, 0, here.length}, or_join(writers(range)));
}

}  // namespace pat::allreduce
