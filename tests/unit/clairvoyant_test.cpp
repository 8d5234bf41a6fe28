// Clairvoyant: the papers' worked examples, and the rules that every generated schedule keeps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/rounds.hpp"
#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/clairvoyant/column_tree.hpp"
#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/ready.hpp"
#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/cost/simulate.hpp"
#include "core/errors.hpp"
#include "tests/unit/clairvoyant_cases.hpp"

namespace pat::clairvoyant {
namespace {

using test::random_case;
using test::show;

MessageList generated(const Instance& instance) {
  MessageList list;
  linear(instance, list);
  return list;
}

MessageList generated(int segments, int root, const std::vector<double>& arrivals, double round,
                      Window window = Window::closed, Order order = Order::paper) {
  return generated(make_instance(segments, root, arrivals, round, order, window));
}

/// {segment, sender, receiver} of one round.
std::vector<std::vector<int>> round_of(const MessageList& list, std::uint32_t number) {
  std::vector<std::vector<int>> found;
  for (std::size_t r = 0; r < list.rounds.size(); ++r)
    if (list.rounds[r].number == number)
      for (const Message& m : list.of(r)) found.push_back({m.segment(), m.sender(), m.receiver()});
  return found;
}

using Transfers = std::vector<std::vector<int>>;

TEST(Message, KeepsItsFields) {
  const Message m(16777215, 16777214, 32767, true);
  EXPECT_EQ(m.sender(), 16777215);
  EXPECT_EQ(m.receiver(), 16777214);
  EXPECT_EQ(m.segment(), 32767);
  EXPECT_TRUE(m.copies());
  EXPECT_FALSE(Message(1, 2, 3, false).copies());
}

TEST(Instance, CutsTimesExactly) {
  // 0.1 * 3 is a little more than 0.3: as doubles, rank 1 arrives before the third round is over.
  const Instance instance =
      make_instance(1, 0, std::vector<double>{0.0, 0.3, 0.4, 0.3}, 0.1, Order::paper);
  EXPECT_EQ(instance.tick, (std::vector<std::uint32_t>{0, 2, 4, 2}));
  EXPECT_EQ(instance.part, (std::vector<std::uint32_t>{0, 1, 0, 1}));
  const Instance whole =
      make_instance(1, 0, std::vector<double>{7.5, 9.0, 7.5, 12.25}, 1.5, Order::latest_first);
  EXPECT_EQ(whole.tick, (std::vector<std::uint32_t>{0, 1, 0, 3}));
  EXPECT_EQ(whole.part, (std::vector<std::uint32_t>(4, 0)));
}

TEST(Instance, RefusesWhatMakesNoSense) {
  const std::vector<double> good{0.0, 1.0};
  EXPECT_THROW(make_instance(0, 0, good, 1.0, Order::paper), Error);
  EXPECT_THROW(make_instance(1 << 15, 0, good, 1.0, Order::paper), Error);
  EXPECT_THROW(make_instance(1, 2, good, 1.0, Order::paper), Error);
  EXPECT_THROW(make_instance(1, -1, good, 1.0, Order::paper), Error);
  EXPECT_THROW(make_instance(1, 0, std::vector<double>{}, 1.0, Order::paper), Error);
  for (const double bad : {0.0, -1.0, std::nan(""), double{INFINITY}})
    EXPECT_THROW(make_instance(1, 0, good, bad, Order::paper), Error) << bad;
  for (const double bad : {-1.0, std::nan(""), double{INFINITY}})
    EXPECT_THROW(make_instance(1, 0, std::vector<double>{0.0, bad}, 1.0, Order::paper), Error);
  EXPECT_THROW(make_instance(1, 0, good, 1e-12, Order::latest_first), Error);
}

TEST(PaperExamples, Table2) {
  // Seed 004's Table 2 and Fig. 7, {segment, sender, receiver}, by receiver. In the third round the
  // printed table has the two senders of segment 3 exchanged: (2 to 1, 0 to 3); Algorithm 1 as
  // written takes the first sender in the order of G. O(1), R2 = (2,2) is a misprint of (3,2).
  const MessageList list = generated(4, 0, {0, 0, 0, 0}, 1.0);
  EXPECT_EQ(list.round_count(), 5u);
  EXPECT_EQ(round_of(list, 0), (Transfers{{0, 1, 0}, {1, 0, 1}, {0, 3, 2}, {1, 2, 3}}));
  EXPECT_EQ(round_of(list, 1), (Transfers{{0, 2, 0}, {1, 3, 1}, {2, 0, 2}, {2, 1, 3}}));
  EXPECT_EQ(round_of(list, 2), (Transfers{{1, 1, 0}, {3, 0, 1}, {2, 3, 2}, {3, 2, 3}}));
  EXPECT_EQ(round_of(list, 3), (Transfers{{2, 2, 0}, {3, 3, 1}}));
  EXPECT_EQ(round_of(list, 4), (Transfers{{3, 1, 0}}));
}

TEST(PaperExamples, StateReceivedThisRound) {
  // Seed 000 Section 4.2.
  const MessageList list = generated(4, 0, {0, 0, 0, 1.1}, 1.0);
  EXPECT_EQ(round_of(list, 0), (Transfers{{0, 1, 0}, {1, 0, 1}}));
  const Transfers second = round_of(list, 1);
  ASSERT_GE(second.size(), 2u);
  EXPECT_EQ(second[0], (std::vector<int>{0, 2, 0}));
  EXPECT_EQ(second[1], (std::vector<int>{1, 3, 1}));
  for (const auto& transfer : second) {  // neither passes on what it receives in this round
    EXPECT_NE(transfer, (std::vector<int>{1, 1, 2}));
    EXPECT_NE(transfer, (std::vector<int>{0, 0, 3}));
  }
}

TEST(PaperExamples, IdleRounds) {
  // Seed 000 Section 5.1 in milliseconds: it jumps 1000 rounds, then another 999 (open window).
  const std::vector<double> arrivals{0, 1000, 2000, 3000};
  const auto rounds = [](const MessageList& list) {
    std::vector<std::uint32_t> numbers;
    for (const Round& round : list.rounds) numbers.push_back(round.number);
    return numbers;
  };
  EXPECT_EQ(rounds(generated(1, 0, arrivals, 1.0, Window::open)),
            (std::vector<std::uint32_t>{1000, 2000, 3000}));
  EXPECT_EQ(rounds(generated(1, 0, arrivals, 1.0)), (std::vector<std::uint32_t>{999, 1999, 2999}));
}

TEST(PaperExamples, SkippingIdleRoundsChangesNothing) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    Instance instance = random_case(random, 12, 8);
    for (std::uint32_t& tick : instance.tick) tick %= 200;
    MessageList skipped, played;
    linear_search(instance, skipped, true);
    linear_search(instance, played, false);
    ASSERT_EQ(skipped, played) << show(instance);
  }
}

TEST(PaperExamples, Staircase) {
  // Seed 000 Fig. 1: a_i = i, d = 1, N = 6. Cell (segment, process) is the round in which the
  // process sends the segment; 0: not within the figure's rounds. The figure counts from 1.
  const int figure[6][13] = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}, {1, 2, 4, 6, 8, 10, 11, 0, 0, 0, 0, 0, 0},
      {2, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0}, {3, 3, 0, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0},
      {4, 4, 5, 0, 7, 8, 9, 10, 11, 0, 0, 0, 0}, {5, 5, 6, 7, 0, 9, 10, 11, 0, 0, 0, 0, 0}};
  std::vector<double> arrivals;
  for (int i = 0; i < 40; ++i) arrivals.push_back(i);
  const MessageList list = generated(6, 0, arrivals, 1.0);
  using Cell = std::pair<int, int>;
  for (int round = 1; round <= 11; ++round) {
    std::set<Cell> expected, sent;
    for (int segment = 0; segment < 6; ++segment)
      for (int process = 0; process < 13; ++process)
        if (figure[segment][process] == round) expected.insert({segment, process});
    for (const auto& transfer : round_of(list, round - 1)) sent.insert({transfer[0], transfer[1]});
    EXPECT_EQ(sent, expected) << "round " << round;
  }
}

TEST(PaperExamples, OrderOfTheGroup) {
  // Seed 000 Fig. 5: a = 0.2, 1.1, 2.3, d = 1. While rank 0 stays, rank 1 follows rank 2.
  const Instance instance =
      make_instance(1, 0, std::vector<double>{0.2, 1.1, 2.3}, 1.0, Order::paper);
  const auto nobody = [](int) { return false; };
  Ready stays(instance);
  stays.start();
  EXPECT_EQ(stays.group(), (std::vector<int>{0, 1}));
  stays.next_group(nobody);
  EXPECT_EQ(stays.group(), (std::vector<int>{0, 1}));
  stays.next_group(nobody);
  EXPECT_EQ(stays.group(), (std::vector<int>{0, 2, 1}));
  Ready leaves(instance);
  leaves.start();
  leaves.next_group([](int process) { return process == 0; });
  EXPECT_EQ(leaves.group(), (std::vector<int>{1, 2}));
}

TEST(PaperExamples, MergeAndClean) {
  // Seed 000 Fig. 2, d = 5. The numbers of the figure are lost; these show the same: a process that
  // leaves, newcomers between those who stay, a tie by rank, and a head that comes from the queue.
  const Instance instance =
      make_instance(1, 6, std::vector<double>{1, 3, 4, 6, 7, 9, 12}, 5.0, Order::paper);
  const auto group_without = [&](std::vector<int> leaving) {
    Ready ready(instance);
    ready.start();
    EXPECT_EQ(ready.group(), (std::vector<int>{0, 1, 2, 3}));
    ready.next_group([&](int process) {
      return std::find(leaving.begin(), leaving.end(), process) != leaving.end();
    });
    return ready.group();
  };
  // available: 0 at 6, 2 at 9, 3 at 11; waiting: 4 at 7, 5 at 9, 6 at 12, which is beyond 6 + 5
  EXPECT_EQ(group_without({1}), (std::vector<int>{0, 4, 2, 5, 3}));
  // the head is 4 at 7, so that 6, the root and thus the first, takes part
  EXPECT_EQ(group_without({0, 1}), (std::vector<int>{6, 4, 2, 5, 3}));
}

TEST(PaperExamples, GroupIsThatOfAPriorityQueue) {
  // Seed 000 Section 5.2: the merge gives what a queue of all processes would.
  std::mt19937_64 random(9);
  for (int trial = 0; trial < 300; ++trial) {
    Instance instance = random_case(random, 20, 1);
    instance.order = Order::paper;
    for (std::uint32_t& tick : instance.tick) tick %= 30;
    using Available = std::tuple<std::uint32_t, std::uint32_t, int>;
    std::set<Available> queue;
    for (int p = 0; p < instance.ranks; ++p) queue.insert({instance.tick[p], instance.part[p], p});
    Ready ready(instance);
    ready.start();
    while (!queue.empty()) {
      const auto [tick, part, head] = *queue.begin();
      const std::pair end(tick + 1, part);
      std::vector<int> group;
      std::vector<Available> again;
      while (!queue.empty()) {
        const auto [t, p, rank] = *queue.begin();
        if (instance.window == Window::closed ? std::pair(t, p) > end : std::pair(t, p) >= end)
          break;
        group.push_back(rank);
        again.push_back({t + 1, p, rank});
        queue.erase(queue.begin());
      }
      const auto root = std::find(group.begin(), group.end(), instance.root);
      if (root != group.end()) std::rotate(group.begin(), root, root + 1);
      ASSERT_EQ(ready.head(), head) << show(instance);
      ASSERT_EQ(ready.group(), group) << show(instance);
      std::set<int> leaving;
      for (const Available& one : again)
        if (random() % 4 == 0)
          leaving.insert(std::get<2>(one));
        else
          queue.insert(one);
      if (!queue.empty()) ready.next_group([&](int p) { return leaving.count(p) > 0; });
    }
  }
}

TEST(PaperExamples, SearchInTheTree) {
  // Seed 000 Fig. 6: leaves p0 to p3 and p0' to p3'; p1 comes first, so p0 sits at p0'. The figure
  // is lost; its caption gives p3's column, what the others have together and the way to p2. The
  // columns of p1, p2 and p0' are made up to fit. Bit s is segment s.
  ColumnTree tree(8, 1);
  const std::uint64_t columns[8] = {0, 0b0001, 0b1010, 0b1100, 0b0011, 0, 0, 0};
  for (std::size_t leaf = 0; leaf < 8; ++leaf) *tree.node(8 + leaf) = columns[leaf];
  tree.update_all(8, 15);
  const std::size_t p2 = 8 + 2, p3 = 8 + 3;
  std::uint64_t found = 0;
  tree.add_all_except(p3, &found);
  EXPECT_EQ(found, 0b1011u);                   // [1, 1, 0, 1]
  EXPECT_EQ(found & *tree.node(p3), 0b1000u);  // [0, 0, 0, 1]: segment 3
  EXPECT_TRUE(tree.has(2, 3));                 // from the root to the left,
  EXPECT_FALSE(tree.has(4, 3));                // to the right, to the left
  EXPECT_EQ(tree.first(3), p2);
  EXPECT_EQ(tree.next(p2, 3), p3);
  tree.clear(p2);  // it has sent
  EXPECT_EQ(tree.first(3), p3);
  EXPECT_EQ(tree.first(1), 8u + 4u);  // p0'
  // and the order of G that goes with it: p1, p2, p3, p0
  const Instance instance =
      make_instance(4, 1, std::vector<double>{1.1, 0.2, 0.3, 0.4}, 1.0, Order::paper);
  Ready ready(instance);
  ready.start();
  EXPECT_EQ(ready.group(), (std::vector<int>{1, 2, 3, 0}));
}

TEST(PaperExamples, OneLateProcess) {
  // Seed 004 Fig. 8: P = N = 4, the last one comes after the five rounds that three need.
  const std::vector<double> arrivals{0, 0, 0, 5};
  EXPECT_EQ(generated(4, 0, {0, 0, 0}, 1.0).round_count(), 5u);
  EXPECT_EQ(generated(4, 0, {0, 0}, 1.0).round_count(), 4u);
  EXPECT_EQ(generated(4, 0, arrivals, 1.0, Window::open).round_count(), 9u);
  EXPECT_EQ(generated(4, 0, arrivals, 1.0, Window::closed).round_count(), 8u);
  // The first five rounds are those of the three alone, the last four those of two processes.
  const MessageList late = generated(4, 0, arrivals, 1.0, Window::open);
  const MessageList three = generated(4, 0, {0, 0, 0}, 1.0);
  for (std::uint32_t round = 0; round < 5; ++round)
    EXPECT_EQ(round_of(late, round), round_of(three, round)) << round;
  for (std::uint32_t round = 5; round < 9; ++round)
    for (const auto& transfer : round_of(late, round))
      EXPECT_EQ(transfer[1] + transfer[2], 0 + 3) << round;
}

TEST(PaperExamples, BinomialTreeWithALateProcess) {
  // Seed 004 Fig. 1: one segment, a single late process; the tree waits for it, the robust order
  // goes on without. P = 8 and the late rank 4 are made up, the figure is lost: rank 4 has a
  // subtree in the binomial tree, so that three others wait with it.
  std::vector<double> arrivals(8, 0.0);
  arrivals[4] = 3.0;
  const MessageList list = generated(1, 0, arrivals, 1.0, Window::open);
  EXPECT_EQ(list.round_count(), 4u);  // three rounds for the seven, one for the late one
  EXPECT_EQ(round_of(list, 3), (Transfers{{0, 4, 0}}));
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = 8;
  problem.units = 8;
  problem.segments = 1;
  problem.round_s = 1.0;
  ArrivalPattern pattern = ArrivalPattern::flat(8);
  pattern.offset_s = arrivals;
  const CostModel unit{.alpha_s = 1.0, .beta_s_per_byte = 0.0, .gamma_s_per_byte = 0.0};
  const auto run_s = [&](const char* name, const ArrivalPattern& at) {
    return simulate(build_schedule(get_algorithm(Operation::reduce, name), problem, at), at, unit)
        .run_time_s();
  };
  const ArrivalPattern flat = ArrivalPattern::flat(8);
  EXPECT_DOUBLE_EQ(run_s("bnom", flat), 3.0);
  EXPECT_DOUBLE_EQ(run_s("clairvoyant", flat), 3.0);
  EXPECT_GT(run_s("bnom", pattern), 4.0);
  EXPECT_DOUBLE_EQ(run_s("clairvoyant", pattern), 4.0);  // absorbs two of the three seconds
}

TEST(PaperExamples, BalancedPowersOfTwo) {
  for (int ranks = 4; ranks <= 128; ranks *= 2)
    for (int segments = 4; segments <= 128; segments *= 2)
      for (const Order order : {Order::paper, Order::latest_first})
        EXPECT_EQ(
            generated(segments, 0, std::vector<double>(ranks, 0.0), 1.0, Window::closed, order)
                .round_count(),
            static_cast<std::uint32_t>(std::log2(ranks)) + segments - 1)
            << ranks << " ranks, " << segments << " segments";
}

TEST(PaperExamples, LateProcessOf128) {
  // Seed 004 Section 7: 40 MiB, N = 40, d = 6.43e-4 s, rank 127 comes 60 ms late: R = 133.
  std::vector<double> arrivals(128, 0.0);
  arrivals[127] = 0.06;
  EXPECT_EQ(generated(40, 0, arrivals, 6.43e-4, Window::open).round_count(), 133u);
}

TEST(PaperExamples, OneSegmentIsABinomialTree) {
  const MessageList list = generated(1, 0, std::vector<double>(16, 0.0), 1.0);
  ASSERT_EQ(list.rounds.size(), 4u);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(list.of(r).size(), 8u >> r);
}

TEST(Rules, HoldForRandomCases) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 1500; ++trial) {
    const Instance instance = random_case(random, 40, 24);
    const MessageList list = generated(instance);
    const Verdict verdict = check::check_rounds(instance, list);
    ASSERT_TRUE(verdict) << verdict.problem << "; " << show(instance);
  }
}

TEST(Rules, AreBrokenByWrongSchedules) {
  std::mt19937_64 random(2);
  int checked = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Instance instance = random_case(random, 12, 6);
    MessageList list = generated(instance);
    if (list.messages.empty()) continue;
    Message& m = list.messages[random() % list.messages.size()];
    switch (trial % 3) {
      case 0:
        m = Message(m.sender(), m.receiver(), m.segment(), !m.copies());
        break;
      case 1:
        m = Message(m.receiver(), m.sender(), m.segment(), m.copies());
        break;
      case 2:
        m = Message(m.sender(), m.receiver(), (m.segment() + 1) % (instance.segments + 1), false);
    }
    EXPECT_FALSE(check::check_rounds(instance, list)) << show(instance);
    ++checked;
  }
  EXPECT_GT(checked, 150);
}

TEST(Rules, ScheduleIsSoundAndNoSlowerThanItsRounds) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int copies = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Problem problem;
    problem.operation = Operation::reduce;
    problem.ranks = 2 + static_cast<int>(random() % 20);
    problem.root = static_cast<int>(random() % problem.ranks);
    problem.segments = 1 + static_cast<int>(random() % 12);
    problem.units = 8 * problem.segments;
    problem.unit_bytes = 4;
    problem.cost = {.alpha_s = 1e-6, .beta_s_per_byte = 1e-8, .gamma_s_per_byte = 5e-9};
    ArrivalPattern pattern = ArrivalPattern::flat(problem.ranks);
    for (double& offset : pattern.offset_s) offset = trial % 3 ? 4e-5 * uniform(random) : 0.0;
    for (const Order order : {Order::paper, Order::latest_first}) {
      const Plan made = plan(problem, pattern, {.order = order});
      Schedule schedule = to_schedule(problem, made.list, problem.segments);
      seal(schedule);
      for (const Message& m : made.list.messages) copies += m.copies();
      const Verdict correct = verify(schedule), safe = hazards(schedule);
      ASSERT_TRUE(correct) << correct.problem;
      ASSERT_TRUE(safe) << safe.problem;
      const Timing timing = simulate(
          schedule, pattern, {.alpha_s = 1e-6, .beta_s_per_byte = 1e-8, .gamma_s_per_byte = 5e-9});
      // A process may come up to d after the round that it takes part in has begun.
      const double slack_s = trial % 3 ? 2 * made.round_s : 0.0;
      EXPECT_LE(timing.run_time_s(), made.makespan_s + slack_s + 1e-12)
          << "P=" << problem.ranks << " N=" << problem.segments << " " << name(order);
    }
  }
  EXPECT_GT(copies, 20);
}

TEST(Plan, StandsANetworkThatCostsNothing) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = 3;
  problem.units = 1000;
  for (const double cost : {0.0, 5e-324, 1e-300, 1e-20}) {
    problem.cost = {cost, cost, 0.0};
    const Plan made = plan(problem, {{0.0, 20.0, 3.0}, {}, 0});
    EXPECT_FALSE(made.list.rounds.empty()) << cost;
  }
}

TEST(Plan, BestKeepsTheEarlierOne) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = 40;
  problem.units = 1000;
  problem.segments = 16;
  problem.round_s = 0.01;
  for (int trial = 0; trial < 50; ++trial) {
    ArrivalPattern pattern = ArrivalPattern::flat(problem.ranks);
    for (double& offset : pattern.offset_s) offset = uniform(random);
    const double best = plan(problem, pattern).makespan_s;
    EXPECT_LE(best, plan(problem, pattern, {.order = Order::paper}).makespan_s);
    EXPECT_LE(best, plan(problem, pattern, {.order = Order::latest_first}).makespan_s);
  }
}

TEST(Key, SaysWhenSchedulesAreEqual) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const Algorithm& algorithm = get_algorithm(Operation::reduce, "clairvoyant");
  int same = 0, other = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Problem problem;
    problem.operation = Operation::reduce;
    problem.ranks = 2 + static_cast<int>(random() % 12);
    problem.units = 64;
    problem.segments = 1 + static_cast<int>(random() % 6);
    problem.variant = trial % 2;
    problem.round_s = 1.0;
    ArrivalPattern pattern = ArrivalPattern::flat(problem.ranks);
    for (double& offset : pattern.offset_s) offset = 8.0 * unit(random);
    ArrivalPattern moved = pattern;
    for (double& offset : moved.offset_s) offset += 0.05 * unit(random);
    if (algorithm.key(problem, pattern) != algorithm.key(problem, moved)) {
      ++other;
      continue;
    }
    ++same;
    const Options options{.order = static_cast<Order>(problem.variant)};
    EXPECT_EQ(plan(problem, pattern, options).list, plan(problem, moved, options).list);
  }
  EXPECT_GT(same, 50);
  EXPECT_GT(other, 50);
}

}  // namespace
}  // namespace pat::clairvoyant
