#include "collectives/check/hazards.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "collectives/structure.hpp"

namespace pat {
namespace {

/// Which operations of a program come after which.
class Order {
 public:
  explicit Order(const Program& program) : program_(program), seen_(program.ops.size(), 0) {}

  /// Whether `late` comes after `early`: looks back from `late`, no further than `early`.
  bool holds(OpId early, OpId late) {
    ++search_;
    ahead_ = {late};
    while (!ahead_.empty()) {
      const OpId id = ahead_.back();
      ahead_.pop_back();
      for (const OpId before : program_.ops[id].after) {
        if (before == early) return true;
        if (before < early || seen_[before] == search_) continue;
        seen_[before] = search_;
        ahead_.push_back(before);
      }
    }
    return false;
  }

 private:
  const Program& program_;
  std::vector<std::uint32_t> seen_;  // the last search that came by each operation
  std::uint32_t search_ = 0;
  std::vector<OpId> ahead_;
};

struct Access {
  Slice slice;
  OpId op;
  bool writes;
};

/// In the order of the operations; what one reads before what it writes.
std::vector<Access> accesses(const Program& program) {
  std::vector<Access> list;
  const auto add = [&](const Slice& slice, OpId op, bool writes) {
    if (slice.length > 0) list.push_back({slice, op, writes});
  };
  for (OpId id = 0; id < program.ops.size(); ++id) {
    const Op& op = program.ops[id];
    if (op.kind == OpKind::send || op.kind == OpKind::copy || op.kind == OpKind::reduce)
      add(op.source, id, false);
    if (op.kind == OpKind::recv || op.kind == OpKind::copy || op.kind == OpKind::reduce)
      add(op.target, id, true);
  }
  return list;
}

/// A stretch of a buffer that each operation touches as a whole or not at all.
struct Stretch {
  std::optional<OpId> written;  ///< last
  std::vector<OpId> read;       ///< since then
};

/// The buffers of a rank, cut wherever a slice begins or ends.
class Stretches {
 public:
  explicit Stretches(const std::vector<Access>& list) {
    for (const Access& one : list) {
      cuts_[which(one)].push_back(one.slice.offset);
      cuts_[which(one)].push_back(one.slice.offset + one.slice.length);
    }
    for (std::size_t buffer = 0; buffer < cuts_.size(); ++buffer) {
      std::vector<std::size_t>& cuts = cuts_[buffer];
      std::ranges::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      stretches_[buffer].resize(cuts.size());
    }
  }
  std::span<Stretch> of(const Access& one) {
    const std::vector<std::size_t>& cuts = cuts_[which(one)];
    const auto begin = std::ranges::lower_bound(cuts, one.slice.offset);
    const auto end = std::lower_bound(begin, cuts.end(), one.slice.offset + one.slice.length);
    return std::span(stretches_[which(one)])
        .subspan(static_cast<std::size_t>(begin - cuts.begin()),
                 static_cast<std::size_t>(end - begin));
  }

 private:
  static std::size_t which(const Access& one) { return static_cast<std::size_t>(one.slice.buffer); }
  std::array<std::vector<std::size_t>, 3> cuts_;
  std::array<std::vector<Stretch>, 3> stretches_;
};

/// Of the operations that touched the stretch before, one that `next` must come after and does not.
/// Those before the last write are before it, too.
std::optional<OpId> unordered(const Stretch& stretch, const Access& next, Order& order) {
  const auto races = [&](OpId before) {
    return before != next.op && !order.holds(before, next.op);
  };
  if (next.writes)
    if (const auto found = std::ranges::find_if(stretch.read, races); found != stretch.read.end())
      return *found;
  return stretch.written && races(*stretch.written) ? stretch.written : std::nullopt;
}

Verdict find_race(const Schedule& schedule, int rank) {
  const Program& program = schedule.programs[rank];
  const std::vector<Access> list = accesses(program);
  Order order(program);
  Stretches stretches(list);
  for (const Access& next : list)
    for (Stretch& stretch : stretches.of(next)) {
      if (const std::optional<OpId> other = unordered(stretch, next, order))
        return {false, describe(schedule, rank, *other) + " and " +
                           describe(schedule, rank, next.op) + " touch the same units of " +
                           buffer_name(next.slice.buffer) + " in no order"};
      if (!next.writes) {
        stretch.read.push_back(next.op);
        continue;
      }
      stretch.written = next.op;
      stretch.read.clear();
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
