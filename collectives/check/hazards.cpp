#include "collectives/check/hazards.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "collectives/structure.hpp"

namespace pat {
namespace {

/// ancestors[i]: bit j is set when operation i comes after operation j.
class Ancestors {
 public:
  explicit Ancestors(const Program& program)
      : words_((program.ops.size() + 63) / 64), bits_(words_ * program.ops.size(), 0) {
    for (OpId id = 0; id < program.ops.size(); ++id)
      for (const OpId before : program.ops[id].after) {
        for (std::size_t w = 0; w < words_; ++w) row(id)[w] |= row(before)[w];
        row(id)[before / 64] |= std::uint64_t{1} << (before % 64);
      }
  }
  bool ordered(OpId a, OpId b) const {
    const OpId early = std::min(a, b), late = std::max(a, b);
    return (bits_[late * words_ + early / 64] >> (early % 64)) & 1;
  }

 private:
  std::uint64_t* row(OpId id) { return bits_.data() + id * words_; }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

struct Access {
  Slice slice;
  OpId op;
  bool writes;
};

void add(std::vector<Access>& list, const Slice& slice, OpId op, bool writes) {
  if (slice.length > 0) list.push_back({slice, op, writes});
}

std::vector<Access> accesses(const Program& program) {
  std::vector<Access> list;
  for (OpId id = 0; id < program.ops.size(); ++id) {
    const Op& op = program.ops[id];
    if (op.kind == OpKind::send || op.kind == OpKind::copy || op.kind == OpKind::reduce)
      add(list, op.source, id, false);
    if (op.kind == OpKind::recv || op.kind == OpKind::copy || op.kind == OpKind::reduce)
      add(list, op.target, id, true);
  }
  std::sort(list.begin(), list.end(), [](const Access& a, const Access& b) {
    return std::tie(a.slice.buffer, a.slice.offset, a.op) <
           std::tie(b.slice.buffer, b.slice.offset, b.op);
  });
  return list;
}

Verdict find_race(const Schedule& schedule, int rank) {
  const Program& program = schedule.programs[rank];
  const Ancestors ancestors(program);
  const std::vector<Access> list = accesses(program);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Access& a = list[i];
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      const Access& b = list[j];
      if (b.slice.buffer != a.slice.buffer || b.slice.offset >= a.slice.offset + a.slice.length)
        break;
      if (a.op == b.op || !(a.writes || b.writes) || ancestors.ordered(a.op, b.op)) continue;
      return {false, describe(schedule, rank, std::min(a.op, b.op)) + " and " +
                         describe(schedule, rank, std::max(a.op, b.op)) +
                         " touch the same units of " + buffer_name(a.slice.buffer) +
                         " in no order"};
    }
  }
  return {};
}

Verdict find_equal_tags(const Schedule& schedule, int rank) {
  std::set<std::tuple<OpKind, int, std::uint32_t>> seen;
  const Program& program = schedule.programs[rank];
  for (OpId id = 0; id < program.ops.size(); ++id) {
    const Op& op = program.ops[id];
    if (op.kind != OpKind::send && op.kind != OpKind::recv) continue;
    if (!seen.insert({op.kind, op.peer, op.tag}).second)
      return {false, describe(schedule, rank, id) + " has the tag of another message of this pair"};
  }
  return {};
}

}  // namespace

Verdict hazards(const Schedule& schedule) {
  if (const Verdict structure = check_structure(schedule); !structure) return structure;
  for (int rank = 0; rank < schedule.problem.ranks; ++rank) {
    if (const Verdict race = find_race(schedule, rank); !race) return race;
    if (const Verdict tags = find_equal_tags(schedule, rank); !tags) return tags;
  }
  return {};
}

}  // namespace pat
