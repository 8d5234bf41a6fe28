#include "collectives/schedule.hpp"

#include <algorithm>

namespace pat {
namespace {

OpId append(Program& program, Op op) {
  program.ops.push_back(std::move(op));
  return static_cast<OpId>(program.ops.size() - 1);
}

}  // namespace

OpId Program::join() {
  return append(*this, {});
}

OpId Program::send(int peer, Slice source, OpIds after, std::uint32_t round) {
  return append(*this, {OpKind::send, peer, 0, round, source, {}, std::move(after), 0});
}

OpId Program::recv(int peer, Slice target, OpIds after, std::uint32_t round) {
  return append(*this, {OpKind::recv, peer, 0, round, {}, target, std::move(after), 0});
}

OpId Program::copy(Slice source, Slice target, OpIds after, std::uint32_t round) {
  return append(*this, {OpKind::copy, -1, 0, round, source, target, std::move(after), 0});
}

OpId Program::reduce(Slice source, Slice target, OpIds after, std::uint32_t round) {
  return append(*this, {OpKind::reduce, -1, 0, round, source, target, std::move(after), 0});
}

Slice Program::scratch(std::size_t units) {
  const Slice slice{Buffer::scratch, scratch_units, units};
  scratch_units += units;
  return slice;
}

std::size_t Schedule::message_count() const {
  std::size_t count = 0;
  for (const Program& program : programs)
    count += static_cast<std::size_t>(
        std::count_if(program.ops.begin(), program.ops.end(),
                      [](const Op& op) { return op.kind == OpKind::send; }));
  return count;
}

void seal(Schedule& schedule) {
  const auto ranks = static_cast<int>(schedule.programs.size());
  const auto is_rank = [&](int peer) { return peer >= 0 && peer < ranks; };
  std::vector<std::uint32_t> sent(schedule.programs.size(), 0), received(sent);
  for (Program& program : schedule.programs) {
    for (Op& op : program.ops) {
      if (!is_rank(op.peer)) continue;  // check_structure() says so
      if (op.kind == OpKind::send) op.tag = sent[op.peer]++;
      if (op.kind == OpKind::recv) op.tag = received[op.peer]++;
    }
    for (const Op& op : program.ops)
      if (is_rank(op.peer)) sent[op.peer] = received[op.peer] = 0;
  }
}

std::vector<bool> after_join(const Program& program) {
  std::vector<bool> result(program.ops.size(), false);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    result[i] = op.kind == OpKind::join ||
                std::any_of(op.after.begin(), op.after.end(), [&](OpId id) { return result[id]; });
  }
  return result;
}

Slice part_of(Slice whole, int parts, int index) {
  const auto n = static_cast<std::size_t>(parts), i = static_cast<std::size_t>(index);
  const std::size_t begin = whole.length * i / n;
  const std::size_t end = whole.length * (i + 1) / n;
  return {whole.buffer, whole.offset + begin, end - begin};
}

std::vector<Slice> side_by_side(Buffer buffer, const std::vector<std::size_t>& lengths) {
  std::vector<Slice> all;
  std::size_t place = 0;
  for (const std::size_t units : lengths) {
    all.push_back({buffer, place, units});
    place += units;
  }
  return all;
}

}  // namespace pat
