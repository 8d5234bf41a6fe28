#include "collectives/check/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/operation_row.hpp"
#include "collectives/structure.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

/// The contributions combined in one unit, left operand first; empty: undefined.
using Cell = std::vector<std::uint32_t>;
using Cells = std::vector<Cell>;

struct Failure {
  std::string what;
};

class SymbolicRun {
 public:
  SymbolicRun(const Schedule& schedule, bool newest_first)
      : schedule_(schedule), newest_first_(newest_first) {
    for (int rank = 0; rank < ranks(); ++rank)
      most_sent_ = std::max(most_sent_, send_units(schedule.problem, rank));
    for (int rank = 0; rank < ranks(); ++rank) set_up(rank);
  }

  void run() {
    while (!ready_.empty()) {
      const auto [rank, id] = newest_first_ ? ready_.back() : ready_.front();
      newest_first_ ? ready_.pop_back() : ready_.pop_front();
      step(rank, id);
    }
    for (int rank = 0; rank < ranks(); ++rank) {
      check_finished(rank);
      check_result(rank);
    }
  }

 private:
  struct Rank {
    Cells buffers[3];
    std::vector<std::uint32_t> waiting;         // unmet dependencies of each operation
    std::vector<std::vector<OpId>> dependents;  // the operations that wait for each
    std::vector<std::vector<bool>> seen;        // ranks whose join came causally before each op
    std::vector<bool> done;
  };

  int ranks() const { return schedule_.problem.ranks; }
  const Op& op(int rank, OpId id) const { return schedule_.programs[rank].ops[id]; }

  void set_up(int rank) {
    const Problem& problem = schedule_.problem;
    const Program& program = schedule_.programs[rank];
    Rank state;
    state.buffers[0].resize(send_units(problem, rank));
    state.buffers[1].resize(recv_units(problem, rank));
    state.buffers[2].resize(program.scratch_units);
    for (std::size_t unit = 0; unit < state.buffers[0].size(); ++unit)
      state.buffers[0][unit] = {contribution(rank, unit)};
    const std::size_t count = program.ops.size();
    state.waiting.resize(count);
    state.dependents.resize(count);
    state.seen.assign(count, std::vector<bool>(ranks(), false));
    state.done.assign(count, false);
    for (OpId id = 0; id < count; ++id) {
      state.waiting[id] = static_cast<std::uint32_t>(program.ops[id].after.size());
      for (const OpId before : program.ops[id].after) state.dependents[before].push_back(id);
    }
    ranks_.push_back(std::move(state));
    for (OpId id = 0; id < count; ++id)
      if (program.ops[id].after.empty()) ready_.push_back({rank, id});
  }

  /// A number for unit `unit` of the send buffer of `rank`, the same for all checks.
  std::uint32_t contribution(int rank, std::size_t unit) const {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(rank) * most_sent_ + unit);
  }

  void step(int rank, OpId id) {
    const Op& o = op(rank, id);
    switch (o.kind) {
      case OpKind::join:
        ranks_[rank].seen[id][rank] = true;
        return finish(rank, id);
      case OpKind::copy:
        write(rank, id, o.target, read(rank, id, o.source));
        return finish(rank, id);
      case OpKind::reduce:
        write(rank, id, o.target, combined(read(rank, id, o.source), read(rank, id, o.target)));
        return finish(rank, id);
      case OpKind::send:
        return meet({rank, o.peer, o.tag}, {rank, id}, sends_, receives_, true);
      case OpKind::recv:
        return meet({o.peer, rank, o.tag}, {rank, id}, receives_, sends_, false);
    }
  }

  using Key = std::tuple<int, int, std::uint32_t>;
  using Place = std::pair<int, OpId>;

  void meet(const Key& key, Place here, std::map<Key, Place>& mine, std::map<Key, Place>& theirs,
            bool sending) {
    const auto partner = theirs.find(key);
    if (partner == theirs.end()) {
      mine[key] = here;
      return;
    }
    const Place there = partner->second;
    theirs.erase(partner);
    sending ? deliver(here, there) : deliver(there, here);
  }

  void deliver(Place from, Place to) {
    const Op& sending = op(from.first, from.second);
    const Op& receiving = op(to.first, to.second);
    if (sending.source.length != receiving.target.length)
      throw Failure{where(to.first, to.second) + " expects " +
                    std::to_string(receiving.target.length) + " units, " +
                    where(from.first, from.second) + " sends " +
                    std::to_string(sending.source.length)};
    write(to.first, to.second, receiving.target, read(from.first, from.second, sending.source));
    merge(ranks_[to.first].seen[to.second], ranks_[from.first].seen[from.second]);
    finish(from.first, from.second);
    finish(to.first, to.second);
  }

  static void merge(std::vector<bool>& into, const std::vector<bool>& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] || from[i];
  }

  void finish(int rank, OpId id) {
    Rank& state = ranks_[rank];
    state.done[id] = true;
    for (const OpId next : state.dependents[id]) {
      merge(state.seen[next], state.seen[id]);
      if (--state.waiting[next] == 0) ready_.push_back({rank, next});
    }
  }

  Cells read(int rank, OpId id, const Slice& slice) const {
    const Cells& buffer = ranks_[rank].buffers[static_cast<int>(slice.buffer)];
    const auto begin = buffer.begin() + static_cast<std::ptrdiff_t>(slice.offset);
    Cells cells(begin, begin + static_cast<std::ptrdiff_t>(slice.length));
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i].empty())
        throw Failure{where(rank, id) + " reads unit " + std::to_string(slice.offset + i) + " of " +
                      buffer_name(slice.buffer) + " before anything was written there"};
    return cells;
  }

  void write(int rank, OpId, const Slice& slice, Cells cells) {
    Cells& buffer = ranks_[rank].buffers[static_cast<int>(slice.buffer)];
    std::move(cells.begin(), cells.end(),
              buffer.begin() + static_cast<std::ptrdiff_t>(slice.offset));
  }

  static Cells combined(Cells left, const Cells& right) {
    for (std::size_t i = 0; i < left.size(); ++i)
      left[i].insert(left[i].end(), right[i].begin(), right[i].end());
    return left;
  }

  void check_finished(int rank) const {
    const Rank& state = ranks_[rank];
    for (OpId id = 0; id < state.done.size(); ++id)
      if (!state.done[id])
        throw Failure{where(rank, id) + " is never done: no partner, or a deadlock"};
  }

  void check_result(int rank) const {
    const Problem& problem = schedule_.problem;
    if (!row(problem.operation).has_bytes()) return check_all_have_come(rank);
    const Cells& cells = ranks_[rank].buffers[1];
    for (std::size_t unit = 0; unit < cells.size(); ++unit) {
      Cell expected = promised(rank, unit);
      Cell got = cells[unit];
      if (problem.commutative) std::sort(got.begin(), got.end());
      if (got != expected)
        throw Failure{"rank " + std::to_string(rank) + " ends with " + list(got) + " in unit " +
                      std::to_string(unit) + " of its receive buffer instead of " + list(expected)};
    }
  }

  Cell promised(int rank, std::size_t unit) const {
    const Problem& problem = schedule_.problem;
    const Promised want = row(problem.operation).promised(problem, rank, unit);
    Cell cell;
    for (int from = want.first; from < want.last; ++from)
      cell.push_back(contribution(from, want.unit));
    return cell;
  }

  void check_all_have_come(int rank) const {
    std::vector<bool> seen(ranks(), false);
    for (const auto& set : ranks_[rank].seen) merge(seen, set);
    for (int other = 0; other < ranks(); ++other)
      if (!seen[other])
        throw Failure{"rank " + std::to_string(rank) + " leaves the " +
                      std::string(name(schedule_.problem.operation)) +
                      " without knowing that rank " + std::to_string(other) + " has come"};
  }

  std::string where(int rank, OpId id) const { return describe(schedule_, rank, id); }

  static std::string list(const Cell& cell) {
    return "{" + join(cell, ",", [](const auto& one) { return std::to_string(one); }) + "}";
  }

  const Schedule& schedule_;
  bool newest_first_;
  std::size_t most_sent_ = 0;  // by one rank
  std::vector<Rank> ranks_;
  std::deque<Place> ready_;
  std::map<Key, Place> sends_, receives_;
};

}  // namespace

Verdict verify(const Schedule& schedule) {
  if (const Verdict structure = check_structure(schedule); !structure) return structure;
  try {
    SymbolicRun(schedule, false).run();
    SymbolicRun(schedule, true).run();
  } catch (const Failure& failure) {
    return {false, failure.what};
  }
  return {};
}

}  // namespace pat
