#include "collectives/reduce/scattered.hpp"

#include <algorithm>

namespace pat::reduce {
namespace {

void append(OpIds& to, const OpIds& more) {
  for (const OpId id : more)
    if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
}

}  // namespace

Scattered::Scattered(const Problem& problem, int rank, Program& program, int parts)
    : problem_(problem),
      program_(program),
      at_root_(rank == problem.root),
      joined_(program.join()),
      moved_(parts, false),
      writers_(parts) {
  for (int i = 0; i < parts; ++i)
    bounds_.push_back(part_of({Buffer::send, 0, problem.units}, parts, i).offset);
  bounds_.push_back(problem.units);
}

Slice Scattered::slice(Buffer buffer, std::size_t base, Parts range) const {
  return {buffer, base + bounds_[range.first], bounds_[range.last] - bounds_[range.first]};
}

Slice Scattered::working(Parts range) {
  if (working_.length == 0)
    working_ = at_root_ ? Slice{Buffer::recv, 0, problem_.units} : program_.scratch(problem_.units);
  return slice(working_.buffer, working_.offset, range);
}

Slice Scattered::value(Parts range) {
  return moved_[range.first] ? working(range) : slice(Buffer::send, 0, range);
}

Scattered::Spare& Scattered::spare(std::size_t units) {
  Spare& chosen = spares_[next_spare_];
  next_spare_ = (next_spare_ + 1) % spares_.size();
  if (chosen.slice.length < units) {
    chosen.slice = program_.scratch(units);
    chosen.use.clear();
  }
  return chosen;
}

OpIds Scattered::writers(Parts range) const {
  OpIds all;
  for (int part = range.first; part < range.last; ++part) append(all, writers_[part]);
  return all;
}

OpIds Scattered::or_join(OpIds after) const {
  if (after.empty()) after.push_back(joined_);
  return after;
}

void Scattered::moved(Parts range) {
  std::fill(moved_.begin() + range.first, moved_.begin() + range.last, true);
}

void Scattered::wrote(Parts range, OpId op) {
  moved(range);
  for (int part = range.first; part < range.last; ++part) writers_[part] = {op};
}

void Scattered::send(int peer, Parts range, std::uint32_t round) {
  const Slice source = value(range);
  if (source.length == 0) return;
  OpIds after = last_send_;
  append(after, writers(range));
  const OpId sent = program_.send(peer, source, or_join(std::move(after)), round);
  program_.ops[sent].segment = static_cast<std::uint32_t>(range.first);
  last_send_ = {sent};
}

void Scattered::combine(int peer, Parts range, Side side, std::uint32_t round) {
  const Slice target = working(range);
  if (target.length == 0) return moved(range);
  const Slice own = value(range);
  const bool in_place = moved_[range.first];
  if (!in_place && side != Side::left) {  // own (op) received, where it was received
    const OpId got = program_.recv(peer, target, or_join(last_receive_), round);
    last_receive_ = {got};
    return wrote(range, program_.reduce(own, target, {got}, round));
  }
  if (!in_place) wrote(range, program_.copy(own, target, {joined_}, round));
  Spare& in = spare(target.length);
  const Slice incoming{in.slice.buffer, in.slice.offset, target.length};
  OpIds free = in.use;
  append(free, last_receive_);
  const OpId got = program_.recv(peer, incoming, or_join(std::move(free)), round);
  last_receive_ = {got};
  OpIds after = {got};
  append(after, writers(range));
  OpId done;
  if (side == Side::right) {
    const OpId combined = program_.reduce(target, incoming, after, round);
    done = program_.copy(incoming, target, {combined}, round);
  } else {
    done = program_.reduce(incoming, target, after, round);
  }
  in.use = {done};
  wrote(range, done);
}

void Scattered::receive(int peer, Parts range, std::uint32_t round) {
  const Slice target = working(range);
  if (target.length == 0) return moved(range);
  OpIds after = last_send_;  // what was sent from here before must have left
  append(after, writers(range));
  append(after, last_receive_);
  const OpId got = program_.recv(peer, target, or_join(std::move(after)), round);
  last_receive_ = {got};
  wrote(range, got);
}

void Scattered::finish() {
  if (!at_root_) return;
  for (int part = 0; part + 1 < static_cast<int>(bounds_.size()); ++part) {
    const Parts range{part, part + 1};
    if (moved_[part] || slice(Buffer::send, 0, range).length == 0) continue;
    program_.copy(slice(Buffer::send, 0, range), working(range), {joined_});
  }
}

namespace {

/// One factor of the exchange: the group of `size` places that differ in one digit.
struct Group {
  int size, stride, digit;
  Parts range;  // of the group's common values; member d works on an equal share of it

  Parts share(int d) const {
    const int each = range.count() / size;
    return {range.first + d * each, range.first + (d + 1) * each};
  }
  int member(int place, int d) const { return place + (d - digit) * stride; }
};

std::vector<Group> groups_of(std::span<const int> factors, int place, int places) {
  std::vector<Group> groups;
  Parts range{0, places};
  int stride = 1;
  for (const int size : factors) {
    groups.push_back({size, stride, place / stride % size, range});
    range = groups.back().share(groups.back().digit);
    stride *= size;
  }
  return groups;
}

std::uint32_t exchange(Scattered& parts, const Group& group, std::span<const int> place_rank,
                       int place, bool keep_order, std::uint32_t round) {
  const auto rank = [&](int d) { return place_rank[group.member(place, d)]; };
  const int k = group.size, own = group.digit;
  const auto at = [&](int step) { return round + static_cast<std::uint32_t>(step) - 1; };
  if (!keep_order) {
    for (int step = 1; step < k; ++step)
      parts.send(rank((own + step) % k), group.share((own + step) % k), at(step));
    for (int step = 1; step < k; ++step)
      parts.combine(rank((own - step + k) % k), group.share(own), Side::either, at(step));
    return round + static_cast<std::uint32_t>(k) - 1;
  }
  // Towards lower places first, nearest first; receivers take the higher ones first, nearest first.
  for (int d = own - 1; d >= 0; --d) parts.send(rank(d), group.share(d), at(own - d));
  for (int d = own + 1; d < k; ++d) parts.send(rank(d), group.share(d), at(d - own));
  for (int d = own + 1; d < k; ++d)
    parts.combine(rank(d), group.share(own), Side::right, at(d - own));
  for (int d = own - 1; d >= 0; --d)
    parts.combine(rank(d), group.share(own), Side::left, at(own - d));
  return round + static_cast<std::uint32_t>(k) - 1;
}

/// The shares of members first .. first + count - 1 (modulo the group) as one run, or as two.
std::vector<Parts> runs(const Group& group, int first, int count) {
  const auto run = [&](int from, int to) {
    return Parts{group.share(from).first, group.share(to - 1).last};
  };
  if (first + count <= group.size) return {run(first, first + count)};
  return {run(first, group.size), run(0, first + count - group.size)};
}

/// Binomial gather inside a group at the member with `root_digit`. False if the place is done.
bool gather(Scattered& parts, const Group& group, std::span<const int> place_rank, int place,
            int root_digit, std::uint32_t& round) {
  const int k = group.size, own = (group.digit - root_digit + k) % k;
  const auto rank = [&](int v) { return place_rank[group.member(place, (v + root_digit) % k)]; };
  for (int bit = 1; bit < k; bit *= 2, ++round) {
    const int child = own & bit ? own : own + bit;
    if (child >= k) continue;
    for (const Parts& run : runs(group, (child + root_digit) % k, std::min(bit, k - child))) {
      if (child == own)
        parts.send(rank(own - bit), run, round);
      else
        parts.receive(rank(child), run, round);
    }
    if (child == own) return false;
  }
  return true;
}

}  // namespace

void exchange_and_gather(Scattered& parts, std::span<const int> factors,
                         std::span<const int> place_rank, int place, int root_place,
                         bool keep_order, std::uint32_t round) {
  const auto groups = groups_of(factors, place, static_cast<int>(place_rank.size()));
  for (const Group& group : groups)
    round = exchange(parts, group, place_rank, place, keep_order, round);
  for (std::size_t g = groups.size(); g-- > 0;) {
    const int root_digit = root_place / groups[g].stride % groups[g].size;
    if (!gather(parts, groups[g], place_rank, place, root_digit, round)) return;
  }
}

}  // namespace pat::reduce
