// What is special about the allreduces: the rounds of straggler, and that what one rank computes
// twice it computes in one order.

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/spread.hpp"

namespace pat {
namespace {

using allreduce::spread_rounds;
using allreduce::Transfer;

TEST(SpreadRounds, BringEveryPartToEveryPlaceThroughOnePort) {
  for (int places = 2; places <= 33; ++places)
    for (const int owners : {places - 1, (places + 1) / 2})
      for (const int each : {1, 3}) {
        const int parts = owners * each;
        std::vector<std::set<int>> has(static_cast<std::size_t>(places));
        std::vector<std::set<int>> before;
        std::set<int> sends, receives;
        int round = -1;
        for (const Transfer& t : spread_rounds(places, owners, parts)) {
          ASSERT_GE(t.round, round);
          if (t.round > round) before = has, sends.clear(), receives.clear();
          round = t.round;
          ASSERT_TRUE(sends.insert(t.from).second) << places << " places, round " << round;
          ASSERT_TRUE(receives.insert(t.to).second) << places << " places, round " << round;
          if (t.exchange) {
            ASSERT_TRUE(sends.insert(t.to).second && receives.insert(t.from).second);
            ASSERT_EQ(t.from, t.part % owners);
            has[t.from].insert(t.part);
          } else {
            ASSERT_TRUE(before[t.from].contains(t.part)) << "it sends what it does not have";
          }
          ASSERT_TRUE(has[t.to].insert(t.part).second) << "it has it already";
        }
        for (const std::set<int>& all : has) ASSERT_EQ(static_cast<int>(all.size()), parts);
      }
}

TEST(SpreadRounds, AreFewMoreThanIsNeeded) {
  for (const int places : {4, 8, 11, 16, 17, 33, 48})
    for (const int each : {1, 2, 4}) {
      const int parts = (places - 1) * each;
      const int least = parts - 1 + std::bit_width(static_cast<unsigned>(places) - 1);
      const int rounds = spread_rounds(places, places - 1, parts).back().round + 1;
      EXPECT_GE(rounds, least) << places;
      EXPECT_LE(rounds, 1.16 * least) << places << " places, " << parts << " parts";
    }
}

/// The operands of every element, left to right, as one rank has combined them.
std::vector<std::vector<int>> orders(const Schedule& schedule, int rank) {
  // Units are few, so each rank's buffers are played by hand: messages in the order of their tags.
  struct Memory {
    std::vector<std::vector<int>> buffers[3];
  };
  const Problem& problem = schedule.problem;
  std::vector<Memory> memory(static_cast<std::size_t>(problem.ranks));
  std::vector<std::vector<bool>> done;
  for (int r = 0; r < problem.ranks; ++r) {
    memory[r].buffers[0].assign(problem.units, {r});
    memory[r].buffers[1].resize(problem.units);
    memory[r].buffers[2].resize(schedule.programs[r].scratch_units);
    done.emplace_back(schedule.programs[r].ops.size(), false);
  }
  const auto cell = [&](int r, const Slice& slice, std::size_t i) -> std::vector<int>& {
    return memory[r].buffers[static_cast<int>(slice.buffer)][slice.offset + i];
  };
  const auto ready = [&](int r, const Op& op) {
    for (const OpId id : op.after)
      if (!done[r][id]) return false;
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < problem.ranks; ++r)
      for (OpId id = 0; id < schedule.programs[r].ops.size(); ++id) {
        const Op& op = schedule.programs[r].ops[id];
        if (done[r][id] || op.kind == OpKind::recv || !ready(r, op)) continue;
        if (op.kind == OpKind::send) {
          const auto& theirs = schedule.programs[op.peer].ops;
          for (OpId other = 0; other < theirs.size(); ++other) {
            const Op& recv = theirs[other];
            if (recv.kind != OpKind::recv || recv.peer != r || recv.tag != op.tag) continue;
            if (!ready(op.peer, recv)) break;
            for (std::size_t i = 0; i < op.source.length; ++i)
              cell(op.peer, recv.target, i) = cell(r, op.source, i);
            done[op.peer][other] = done[r][id] = moved = true;
          }
          continue;
        }
        for (std::size_t i = 0; i < op.target.length; ++i) {
          std::vector<int> left = cell(r, op.source, i);
          std::vector<int>& target = cell(r, op.target, i);
          if (op.kind == OpKind::reduce) left.insert(left.end(), target.begin(), target.end());
          target = std::move(left);
        }
        done[r][id] = moved = true;
      }
  }
  return memory[rank].buffers[1];
}

TEST(Allreduce, CombinesEachElementInOneOrderOnAllRanks) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.operation != Operation::allreduce || algorithm.build == nullptr) continue;
    for (const int ranks : {2, 3, 5, 8, 13}) {
      Problem problem;
      problem.operation = Operation::allreduce;
      problem.ranks = ranks;
      problem.units = static_cast<std::size_t>(2 * ranks + 1);
      problem.cost.alpha_s = 1e-9;
      ArrivalPattern pattern = ArrivalPattern::flat(ranks);
      for (int r = 0; r < ranks; ++r) pattern.offset_s[r] = (r * 5 % ranks) * 1e-2;
      for (const std::size_t unasked : {0, 8}) {
        problem.cost.unasked_bytes = unasked;
        const Schedule schedule = build_schedule(algorithm, problem, pattern);
        const auto first = orders(schedule, 0);
        for (const auto& order : first)
          ASSERT_EQ(static_cast<int>(order.size()), ranks) << algorithm.name;
        for (int rank = 1; rank < ranks; ++rank)
          ASSERT_EQ(orders(schedule, rank), first) << algorithm.name << " P=" << ranks;
      }
    }
  }
}

}  // namespace
}  // namespace pat
