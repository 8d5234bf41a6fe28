// The lower bound of a reduction in rounds: no schedule ends before it, and with few processes and
// segments there is always one that reaches it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "collectives/clairvoyant/generators.hpp"
#include "collectives/cost/reduce_bounds.hpp"
#include "tests/unit/clairvoyant_cases.hpp"

namespace pat::check {
namespace {

using clairvoyant::Instance;
using clairvoyant::MessageList;
using clairvoyant::Order;
using clairvoyant::Window;

RoundEnd end_of(const Instance& instance, const MessageList& list) {
  if (instance.order == Order::latest_first) return {list.round_count(), 0};
  const clairvoyant::Round& last = list.rounds.back();
  return {last.tick + 1ull, instance.part[last.head]};
}

TEST(ReduceBound, NoScheduleEndsBeforeIt) {
  std::mt19937_64 random(20261121);
  std::array<int, 3> on_bound{}, count{};
  for (int trial = 0; trial < 20000; ++trial) {
    const Instance instance = clairvoyant::test::random_case(random, 24, 16);
    MessageList list;
    clairvoyant::fast(instance, list);
    if (list.rounds.empty()) continue;
    const RoundEnd bound = reduce_end_bound(instance), end = end_of(instance, list);
    ASSERT_GE(end, bound) << clairvoyant::test::show(instance);
    const std::size_t rule = instance.order == Order::latest_first ? 0
                             : instance.window == Window::closed   ? 1
                                                                   : 2;
    ++count[rule];
    on_bound[rule] += end == bound;
  }
  const char* names[] = {"latest-first", "paper, closed", "paper, open"};
  for (std::size_t rule = 0; rule < 3; ++rule) {
    std::printf("%s: on the bound in %d of %d\n", names[rule], on_bound[rule], count[rule]);
    EXPECT_GT(4 * on_bound[rule], count[rule]) << names[rule] << ": a bound that hardly binds";
  }
}

TEST(ReduceBound, CountsArrivalsOneRoundEarlierInTheClosedWindow) {
  const auto bound = [](std::vector<double> arrivals, Window window) {
    return reduce_makespan_bound_s(
        clairvoyant::make_instance(4, 0, arrivals, 1.0, Order::paper, window), arrivals, 1.0);
  };
  EXPECT_DOUBLE_EQ(bound({0, 0, 0, 5}, Window::open), 9.0);
  EXPECT_DOUBLE_EQ(bound({0, 0, 0, 5}, Window::closed), 8.0);
  EXPECT_DOUBLE_EQ(bound({0, 0, 0, 0}, Window::closed), 5.0);
  // A round may start between two whole ones to take in the last process a round earlier.
  EXPECT_DOUBLE_EQ(bound({0, 0, 2.25}, Window::closed), 5.25);
  EXPECT_DOUBLE_EQ(bound({0, 0, 2.25}, Window::open), 6.0);
}

TEST(ReduceBound, IsThatOfWholeTicksForLatestFirst) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> arrivals(1 + random() % 40);
    for (double& arrival : arrivals) arrival = 20.0 * unit(random);
    const int segments = 1 + static_cast<int>(random() % 9);
    const Instance instance =
        clairvoyant::make_instance(segments, 0, arrivals, 0.7, Order::latest_first);
    EXPECT_EQ(reduce_end_bound(instance).tick, reduce_round_bound(arrivals, segments, 0.7));
  }
}

/// Looks for any schedule at all: who holds a part of each segment is a bit set, and in a round
/// each process that has come sends and receives at most once.
class Search {
 public:
  Search(int ranks, int segments, int root, std::vector<int> ticks, int rounds)
      : ranks_(ranks), root_(root), ticks_(std::move(ticks)), rounds_(rounds) {
    all_.assign(static_cast<std::size_t>(segments), (1u << ranks) - 1);
  }
  bool finds() { return from(0, all_); }

 private:
  using State = std::vector<unsigned>;  // one bit set a segment, ascending

  bool done(unsigned holders) const { return holders == 1u << root_; }

  /// The fewest rounds, counted from `round`, that a segment with these holders still takes.
  int least(unsigned holders, int round) const {
    if (done(holders)) return 0;
    for (int rounds = 1;; ++rounds) {
      double sum = 0.0;
      bool all_can = true;
      for (int p = 0; p < ranks_; ++p) {
        if (!(holders >> p & 1)) continue;
        const int left = rounds - std::max(0, ticks_[static_cast<std::size_t>(p)] - round);
        all_can = all_can && left >= (std::popcount(holders) > 1 || p != root_ ? 1 : 0);
        sum += std::ldexp(1.0, -left);
      }
      if (all_can && sum <= 1.0) return rounds;
    }
  }

  /// The root completes one segment a round, and nobody sends more than one.
  bool hopeless(int round, const State& state) const {
    const int left = rounds_ - round;
    std::vector<int> needed;
    for (const unsigned holders : state)
      if (!done(holders)) needed.push_back(least(holders, round));
    std::sort(needed.begin(), needed.end(), std::greater<>());
    for (std::size_t i = 0; i < needed.size(); ++i)
      if (needed[i] > left - static_cast<int>(i)) return true;
    for (int p = 0; p < ranks_; ++p) {
      if (p == root_) continue;
      const auto held = std::count_if(state.begin(), state.end(),
                                      [&](unsigned holders) { return holders >> p & 1; });
      if (held > left - std::max(0, ticks_[static_cast<std::size_t>(p)] - round)) return true;
    }
    return false;
  }

  /// Of a round: who has sent and who has received which segment, and who anything.
  struct Moves {
    State sent, got;
    unsigned receivers = 0;
  };

  bool from(int round, State state) {
    std::sort(state.begin(), state.end(), [](unsigned a, unsigned b) {
      return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b);
    });
    if (std::all_of(state.begin(), state.end(), [&](unsigned h) { return done(h); })) return true;
    if (round == rounds_ || hopeless(round, state)) return false;
    if (!failed_.emplace(round, state).second) return false;
    Moves moves{State(state.size(), 0), State(state.size(), 0), 0};
    return choose(round, 0, state, moves);
  }

  /// What process `sender` and those after it send in this round. Who sends its part away may take
  /// in another's, which is then copied.
  bool choose(int round, int sender, const State& state, const Moves& moves) {
    if (sender == ranks_) {
      State next = state;
      for (std::size_t s = 0; s < next.size(); ++s)
        next[s] = (state[s] & ~moves.sent[s]) | moves.got[s];
      return from(round + 1, std::move(next));
    }
    if (has_come(sender, round))
      for (const bool copies : {false, true})
        for (std::size_t s = 0; s < state.size(); ++s) {  // those with fewest holders come first
          if (!(state[s] >> sender & 1) || done(state[s]) || is_twin(s, state, moves)) continue;
          for (int i = 0; i < ranks_; ++i) {
            const int receiver = (root_ + i) % ranks_;
            if (receiver == sender || moves.receivers >> receiver & 1 ||
                !has_come(receiver, round) || copies != would_copy(receiver, s, state, moves))
              continue;
            Moves more = moves;
            more.sent[s] |= 1u << sender;
            more.got[s] |= 1u << receiver;
            more.receivers |= 1u << receiver;
            if (choose(round, sender + 1, state, more)) return true;
          }
        }
    return choose(round, sender + 1, state, moves);
  }

  /// The segment before is in the same state and nothing has happened to either.
  static bool is_twin(std::size_t s, const State& state, const Moves& moves) {
    const auto untouched = [&](std::size_t i) { return (moves.sent[i] | moves.got[i]) == 0; };
    return s > 0 && state[s] == state[s - 1] && untouched(s) && untouched(s - 1);
  }

  static bool would_copy(int process, std::size_t s, const State& state, const Moves& moves) {
    return ((state[s] & ~moves.sent[s]) >> process & 1) == 0;
  }

  bool has_come(int process, int round) const {
    return ticks_[static_cast<std::size_t>(process)] <= round;
  }

  int ranks_, root_;
  std::vector<int> ticks_;
  int rounds_;
  State all_;
  std::set<std::pair<int, State>> failed_;
};

/// By latest-first with any numbering of the processes, which decides between equal arrivals: that
/// is quicker to ask than a search.
bool is_reached_by_the_generator(const std::vector<double>& arrivals, int segments, int root,
                                 int bound) {
  std::vector<std::size_t> place(arrivals.size());
  std::iota(place.begin(), place.end(), std::size_t{0});
  do {
    std::vector<double> renamed(arrivals.size());
    for (std::size_t p = 0; p < place.size(); ++p) renamed[place[p]] = arrivals[p];
    const int renamed_root = static_cast<int>(place[static_cast<std::size_t>(root)]);
    MessageList list;
    clairvoyant::fast(
        clairvoyant::make_instance(segments, renamed_root, renamed, 1.0, Order::latest_first),
        list);
    if (list.round_count() <= static_cast<std::uint32_t>(bound)) return true;
  } while (std::next_permutation(place.begin(), place.end()));
  return false;
}

TEST(ReduceBound, IsReachedByAnExhaustiveSearch) {
  std::mt19937_64 random(240);
  int cases = 0, reached = 0;
  for (int ranks = 2; ranks <= 5; ++ranks)
    for (int segments = 1; segments <= (ranks < 5 ? 6 : 5); ++segments)  // 5 x 6 takes a minute
      for (int kind = 0; kind < 10; ++kind) {
        std::vector<int> ticks(static_cast<std::size_t>(ranks), 0);
        if (kind > 0)
          for (int& tick : ticks) tick = static_cast<int>(random() % (kind < 5 ? 4 : 9));
        const int least = *std::min_element(ticks.begin(), ticks.end());
        for (int& tick : ticks) tick -= least;
        const std::vector<double> arrivals(ticks.begin(), ticks.end());
        const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const auto bound = static_cast<int>(reduce_round_bound(arrivals, segments, 1.0));
        ++cases;
        reached += is_reached_by_the_generator(arrivals, segments, root, bound) ||
                   Search(ranks, segments, root, ticks, bound).finds();
      }
  std::printf("the bound is reached in %d of %d cases\n", reached, cases);
  EXPECT_EQ(cases, 230);
  EXPECT_EQ(reached, cases);
}

}  // namespace
}  // namespace pat::check
