// The dynamic algorithms: their rules under random delays, their costs, and what they make of late
// processes.

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/dynamic/play.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "tests/unit/patterns.hpp"

namespace pat {
namespace {

// Seed 004's PRACE CURIE.
constexpr LinkCost curie{
    .alpha_s = 2.66e-6, .beta_s_per_byte = 4.8179e-10, .gamma_s_per_byte = 1.6654e-10};

Problem problem_of(Operation operation, int ranks, int root, std::size_t bytes, int segments = 0) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = 4096;
  problem.unit_bytes = bytes / 4096;
  problem.segments = segments;
  problem.cost = curie;
  return problem;
}

Problem reduction(int ranks, int root, std::size_t bytes, int segments = 0) {
  return problem_of(Operation::reduce, ranks, root, bytes, segments);
}
Problem broadcast(int ranks, int root, std::size_t bytes, int segments = 0) {
  return problem_of(Operation::bcast, ranks, root, bytes, segments);
}

double round_s(const Problem& problem) {
  return problem.cost.round_s(static_cast<double>(problem.units * problem.unit_bytes));
}

std::vector<const Algorithm*> dynamic_algorithms() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.protocol != nullptr) list.push_back(&algorithm);
  return list;
}

/// Drives the processes of one call: arrivals, letters, both ends of each transfer and timers
/// happen in random order; only letters between two processes keep theirs.
class Chaos {
 public:
  Chaos(const Algorithm& algorithm, const Problem& problem, std::uint64_t seed)
      : problem_(problem),
        combines_(row(problem.operation).combines),
        keeps_order_(!algorithm.needs_commutative),
        random_(seed) {
    for (int rank = 0; rank < problem.ranks; ++rank) {
      protocols_.push_back(algorithm.protocol(problem, rank));
      const bool gives = combines_ || rank == problem.root;
      values_.emplace_back(static_cast<std::size_t>(protocols_.back()->pieces()),
                           gives ? std::vector<int>{rank} : std::vector<int>{});
    }
    here_.assign(protocols_.size(), false);
    // Some runs have all there at once, in others each comes when much has been done.
    eager_ = random_() % 2 == 0;
  }

  void run() {
    for (int step = 0; step < 400'000 && !testing::Test::HasFatalFailure(); ++step)
      if (!happen()) break;
    for (std::size_t rank = 0; rank < protocols_.size(); ++rank)
      ASSERT_TRUE(here_[rank] && protocols_[rank]->done()) << "rank " << rank << " is not done";
    for (const auto& pieces : values_)
      for (const std::vector<int>& value : pieces)
        if (!combines_) {
          ASSERT_EQ(value, std::vector<int>{problem_.root});
        }
    if (!combines_) return;
    for (const std::vector<int>& value : values_[static_cast<std::size_t>(problem_.root)]) {
      ASSERT_EQ(value.size(), protocols_.size());
      if (keeps_order_) {
        ASSERT_TRUE(std::is_sorted(value.begin(), value.end()));
      }
    }
  }

 private:
  struct Transfer {
    int from, to, piece;
    OperandSide side;
    std::vector<int> value;  // the contributions in it, in the order of the operands
  };

  /// One random event; false if nothing can happen any more.
  bool happen() {
    std::vector<std::function<void()>> events;
    for (std::size_t rank = 0; rank < protocols_.size(); ++rank)
      if (!here_[rank] && (eager_ || random_() % 30 == 0 || quiet()))
        events.push_back([this, rank] { arrive(rank); });
    for (auto& [ends, queue] : letters_)
      if (!queue.empty() && here_[static_cast<std::size_t>(ends.second)])
        events.push_back([this, &queue, ends = ends] { deliver(ends, queue); });
    for (const std::size_t rank : owes_act_) events.push_back([this, rank] { act(rank); });
    for (std::size_t i = 0; i < leaving_.size(); ++i) events.push_back([this, i] { leave(i); });
    for (std::size_t i = 0; i < landing_.size(); ++i)
      if (expected_.count(name_of(landing_[i]))) events.push_back([this, i] { land(i); });
    for (std::size_t rank = 0; rank < protocols_.size(); ++rank)
      if (here_[rank] && !protocols_[rank]->done() &&
          protocols_[rank]->next_s() < Protocol::never && (events.empty() || random_() % 10 == 0))
        events.push_back([this, rank] {
          now_s_ = std::max(now_s_, protocols_[rank]->next_s());
          act(rank);
        });
    if (events.empty()) return false;
    events[random_() % events.size()]();
    return true;
  }

  bool quiet() const {
    return owes_act_.empty() && leaving_.empty() && landing_.empty() &&
           std::all_of(letters_.begin(), letters_.end(), [&](const auto& entry) {
             return entry.second.empty() || !here_[static_cast<std::size_t>(entry.first.second)];
           });
  }

  void arrive(std::size_t rank) {
    here_[rank] = true;
    act(rank);
  }

  void deliver(std::pair<int, int> ends, std::deque<Note>& queue) {
    const auto to = static_cast<std::size_t>(ends.second);
    const Note note = queue.front();
    queue.pop_front();
    if (protocols_[to]->done()) return;
    protocols_[to]->take(ends.first, note);
    owes_act_.insert(to);  // more may come first
  }

  void leave(std::size_t i) {
    const Transfer transfer = leaving_[i];
    leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(i));
    protocols_[static_cast<std::size_t>(transfer.from)]->sent(transfer.piece);
    act(static_cast<std::size_t>(transfer.from));
  }

  void land(std::size_t i) {
    const Transfer transfer = landing_[i];
    landing_.erase(landing_.begin() + static_cast<std::ptrdiff_t>(i));
    expected_.erase(name_of(transfer));
    const auto to = static_cast<std::size_t>(transfer.to);
    std::vector<int>& value = values_[to][static_cast<std::size_t>(transfer.piece)];
    for (const int contribution : transfer.value)
      ASSERT_EQ(std::count(value.begin(), value.end(), contribution), 0)
          << contribution << " counts twice";
    value.insert(transfer.side == OperandSide::left ? value.begin() : value.end(),
                 transfer.value.begin(), transfer.value.end());
    protocols_[to]->received(transfer.piece);
    act(to);
  }

  void act(std::size_t rank) {
    now_s_ += 1e-7;
    owes_act_.erase(rank);
    Actions actions;
    protocols_[rank]->act(now_s_, actions);
    const int me = static_cast<int>(rank);
    for (const Actions::Letter& letter : actions.letters) {
      ASSERT_NE(letter.to, me);
      letters_[{me, letter.to}].push_back(letter.note);
    }
    for (const Actions::Transfer& send : actions.sends) {
      std::vector<int>& value = values_[rank][static_cast<std::size_t>(send.piece)];
      ASSERT_FALSE(value.empty()) << "rank " << rank << " sends what it has sent away";
      leaving_.push_back({me, send.peer, send.piece, send.side, {}});
      landing_.push_back({me, send.peer, send.piece, send.side, value});
      if (combines_) value.clear();
    }
    for (const Actions::Transfer& receive : actions.receives)
      ASSERT_TRUE(
          expected_.insert(name_of({receive.peer, me, receive.piece, receive.side, {}})).second);
  }

  using Name = std::tuple<int, int, int, OperandSide>;
  static Name name_of(const Transfer& one) { return {one.from, one.to, one.piece, one.side}; }

  const Problem& problem_;
  const bool combines_, keeps_order_;
  std::mt19937_64 random_;
  bool eager_;
  double now_s_ = 0.0;
  std::vector<std::unique_ptr<Protocol>> protocols_;
  std::vector<std::vector<std::vector<int>>> values_;  // contributions, by rank and piece
  std::vector<bool> here_;
  std::set<std::size_t> owes_act_;
  std::map<std::pair<int, int>, std::deque<Note>> letters_;
  std::vector<Transfer> leaving_, landing_;
  std::set<Name> expected_;
};

TEST(Redirect, EveryContributionArrivesOnceWhateverTheOrder) {
  for (const Algorithm* algorithm : dynamic_algorithms())
    for (int seed = 0; seed < 1500; ++seed) {
      const int ranks = 1 + seed % 13;
      const Problem problem =
          problem_of(algorithm->operation, ranks, (seed / 13) % ranks, 65536, 1 + seed % 5);
      SCOPED_TRACE(algorithm->name + ", seed " + std::to_string(seed));
      Chaos(*algorithm, problem, static_cast<std::uint64_t>(seed)).run();
      if (HasFatalFailure()) return;
    }
}

TEST(Redirect, EveryContributionArrivesOnceAmongManySlotsAndRanges) {
  for (const char* name : {"tree-dyn", "non-commut-tree-dyn"})
    for (int seed = 0; seed < 12; ++seed) {
      const int ranks = 65 + 7 * seed;
      const Problem problem = reduction(ranks, 11 * seed, 65536);
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Chaos(get_algorithm(Operation::reduce, name), problem, static_cast<std::uint64_t>(seed))
          .run();
      if (HasFatalFailure()) return;
    }
}

Play play_of(const char* name, const Problem& problem, const ArrivalPattern& pattern) {
  return play(get_algorithm(Operation::reduce, name).protocol, problem, pattern);
}

TEST(Redirect, CostsTwoLettersARoundMoreThanTheBinomialTree) {
  for (const int ranks : {2, 4, 16, 128}) {
    const Problem problem = reduction(ranks, 1, 4 << 20);
    const double rounds = std::log2(ranks);
    const auto flat = ArrivalPattern::flat(ranks);
    EXPECT_NEAR(play_of("local-redirect", problem, flat).run_time_s(flat),
                curie.alpha_s + rounds * (curie.alpha_s + round_s(problem)), 1e-12);
  }
}

TEST(Redirect, WaitsForOneLateProcessOnlyOnce) {
  // Wherever the late one sits, all others are done by then: one transfer remains; where ranges
  // keep their order, one to each side of it.
  for (const auto& [name, transfers] :
       {std::pair{"local-redirect", 1}, {"tree-dyn", 1}, {"non-commut-tree-dyn", 2}})
    for (const int ranks : {2, 3, 5, 8, 16, 33, 80})
      for (int late = 0; late < ranks; ++late)
        for (const int root : {0, ranks / 2, ranks - 1}) {
          const Problem problem = reduction(ranks, root, 1 << 20);
          auto pattern = ArrivalPattern::flat(ranks);
          const double delay_s = 3 * std::ceil(std::log2(ranks)) * round_s(problem);
          pattern.offset_s[static_cast<std::size_t>(late)] = delay_s;
          const double rest_s = play_of(name, problem, pattern).run_time_s(pattern) - delay_s;
          EXPECT_LE(rest_s, (transfers + 0.25) * round_s(problem))
              << name << ", " << ranks << " ranks, late " << late << ", root " << root;
          EXPECT_GE(rest_s, round_s(problem) * (1 - 1e-9));
        }
}

TEST(Redirect, RangesTakeTheRoundsOfTheBinomialTreeWhenAllComeTogether) {
  for (const int ranks : {2, 4, 16, 128, 1024})
    for (const int root : {0, ranks - 1}) {
      const Problem problem = reduction(ranks, root, 4 << 20);
      const auto flat = ArrivalPattern::flat(ranks);
      const double rounds =
          play_of("non-commut-tree-dyn", problem, flat).run_time_s(flat) / round_s(problem);
      EXPECT_NEAR(rounds, std::log2(ranks), 0.1) << ranks;
    }
}

TEST(Redirect, SlotsTakeTheRoundsOfTheBinomialTreeWhenAllComeTogether) {
  for (const int ranks : {2, 4, 16, 64, 256, 1024}) {
    const Problem problem = reduction(ranks, 1, 4 << 20);
    const auto flat = ArrivalPattern::flat(ranks);
    const double rounds = play_of("tree-dyn", problem, flat).run_time_s(flat) / round_s(problem);
    EXPECT_NEAR(rounds, std::log2(ranks), 0.6) << ranks;
  }
}

TEST(Redirect, NobodyReadsManyLettersAmongAThousand) {
  for (const double imbalance : {0.0, 3.0, 30.0}) {
    const Problem problem = reduction(1024, 5, 1 << 20);
    std::mt19937_64 random(3);
    auto pattern = ArrivalPattern::flat(1024);
    for (double& offset_s : pattern.offset_s)
      offset_s =
          imbalance * round_s(problem) * std::uniform_real_distribution<double>(0.0, 1.0)(random);
    const auto most = [&](const char* name) {
      const Play played = play_of(name, problem, pattern);
      return *std::max_element(played.letters_to.begin(), played.letters_to.end());
    };
    EXPECT_LE(most("tree-dyn"), 1024u) << imbalance << ": one for each process with one slot";
    EXPECT_LE(most("non-commut-tree-dyn"), 100u) << imbalance;
    std::printf("imbalance %g: tree-dyn %zu, non-commut-tree-dyn %zu, local-redirect %zu\n",
                imbalance, most("tree-dyn"), most("non-commut-tree-dyn"), most("local-redirect"));
  }
}

TEST(Redirect, LateHalfNeedsNoMoreRoundsThanATreeOfIt) {
  for (const char* name : {"local-redirect", "tree-dyn"})
    for (int seed = 0; seed < 40; ++seed) {
      const int ranks = 8 + 5 * seed % 57;
      std::mt19937 random(static_cast<unsigned>(seed));
      const Problem problem = reduction(ranks, seed % ranks, 4 << 20);
      auto pattern = ArrivalPattern::flat(ranks);
      const double delay_s = 20 * round_s(problem);
      int late = 0;
      for (double& offset_s : pattern.offset_s)
        if (random() % 2 != 0) offset_s = delay_s, ++late;
      const double rounds =
          (play_of(name, problem, pattern).run_time_s(pattern) - delay_s) / round_s(problem);
      EXPECT_LE(rounds, std::ceil(std::log2(late + 1)) + 1.5) << name << ", seed " << seed;
    }
}

TEST(Redirect, ScheduleTakesAboutAsLongAsThePlay) {
  const CostModel model{.alpha_s = curie.alpha_s,
                        .beta_s_per_byte = curie.beta_s_per_byte,
                        .gamma_s_per_byte = curie.gamma_s_per_byte};
  for (const int ranks : {5, 16, 33, 64})
    for (const auto& sample : test::sample_patterns(ranks, 1, 3)) {
      const Problem problem = reduction(ranks, 1, 4 << 20);
      const Algorithm& algorithm = get_algorithm(Operation::reduce, "local-redirect");
      const double played_s = play(algorithm.protocol, problem, sample).run_time_s(sample);
      const double simulated_s =
          simulate(build_schedule(algorithm, problem, sample), sample, model).run_time_s();
      EXPECT_NEAR(simulated_s / played_s, 1.0, 0.12) << ranks;
    }
}

TEST(Redirect, SegmentsBeatWholeVectorsWhenAllComeTogether) {
  const Problem problem = reduction(64, 0, 4 << 20);
  const auto flat = ArrivalPattern::flat(64);
  EXPECT_LT(play_of("local-redirect-seg", problem, flat).run_time_s(flat),
            0.7 * play_of("local-redirect", problem, flat).run_time_s(flat));
}

TEST(Redirect, RefusesLettersThatNoRuleWrites) {
  enum : int { here, stuck, claim, accept, refuse, gone, introduce };
  const std::vector<Note> letters = {
      {here, 1, 0},       {here, -1, 0},      {gone + 100, 0, 0},        {-1, 0, 0},
      {accept, 0, 1},     {introduce, 0, -1}, {introduce, 0, 1'000'000}, {introduce, 0, 5},
      {claim, 1 << 30, 0}};
  for (const Note& note : letters) {
    const auto protocol =
        get_algorithm(Operation::reduce, "local-redirect").protocol(reduction(8, 0, 4096), 5);
    EXPECT_THROW(protocol->take(4, note), Error)
        << note.kind << " " << note.piece << " " << note.value;
  }
}

TEST(Redirect, RefusesMoreContributionsThanThereAreProcesses) {
  enum : int { here, stuck, claim, accept };
  const auto protocol =
      get_algorithm(Operation::reduce, "local-redirect").protocol(reduction(8, 0, 4096), 0);
  Actions actions;
  protocol->take(4, {here, 0, 0});
  protocol->act(0.0, actions);
  ASSERT_EQ(actions.letters.size(), 1u);
  EXPECT_EQ(actions.letters[0].note.kind, claim);
  EXPECT_THROW(protocol->take(4, {accept, 0, 8}), Error);
  EXPECT_THROW(protocol->take(4, {accept, 0, 0}), Error);
  EXPECT_THROW(protocol->take(1, {accept, 0, 1}), Error) << "it was not asked";
  EXPECT_NO_THROW(protocol->take(4, {accept, 0, 7}));
}

// ---------------------------------------------------------------- broadcasts

Play broadcast_of(const char* name, const Problem& problem, const ArrivalPattern& pattern) {
  return play(get_algorithm(Operation::bcast, name).protocol, problem, pattern);
}
double message_s(const Problem& problem) {
  return problem.cost.alpha_s +
         static_cast<double>(problem.units * problem.unit_bytes) * problem.cost.beta_s_per_byte;
}

TEST(ArrivalBroadcast, TakesALetterMoreThanAChainWhenAllComeTogether) {
  for (const char* name : {"arrival-b", "arrival-nb"})
    for (const int ranks : {2, 3, 8, 33}) {
      const Problem problem = broadcast(ranks, 1, 4 << 20, 16);
      const auto flat = ArrivalPattern::flat(ranks);
      const double piece_s =
          problem.cost.alpha_s + (message_s(problem) - problem.cost.alpha_s) / 16;
      EXPECT_NEAR(broadcast_of(name, problem, flat).run_time_s(flat),
                  problem.cost.alpha_s + (ranks + 16 - 2) * piece_s, 1e-12)
          << name << ", " << ranks;
    }
}

/// Everybody has the vector before the last one comes, and each but it has left or leaves at once.
TEST(ArrivalBroadcast, GivesALateProcessTheWholeVectorAtOnce) {
  for (const char* name : {"arrival-b", "arrival-nb"})
    for (const int late : {0, 2, 6}) {
      const Problem problem = broadcast(8, 1, 4 << 20, 1);
      auto pattern = ArrivalPattern::flat(8);
      pattern.offset_s[static_cast<std::size_t>(late)] = 20 * message_s(problem);
      const Play played = broadcast_of(name, problem, pattern);
      EXPECT_NEAR(played.run_time_s(pattern),
                  20 * message_s(problem) + problem.cost.alpha_s + message_s(problem), 1e-12)
          << name;
      for (int rank = 0; rank < 8; ++rank) {
        if (rank == late || rank == problem.root) continue;
        EXPECT_LT(played.exit_s[static_cast<std::size_t>(rank)], 9 * message_s(problem)) << name;
      }
    }
}

/// The vector leaves the root once, and not once a process, when they come one after another.
TEST(ArrivalBroadcast, JoinsAChainThatIsUnderWay) {
  const Problem problem = broadcast(8, 0, 4 << 20, 64);
  auto pattern = ArrivalPattern::flat(8);
  for (int rank = 1; rank < 8; ++rank)
    pattern.offset_s[static_cast<std::size_t>(rank)] = 0.1 * rank * message_s(problem);
  const auto from_root = [&](const char* name) {
    const Play played = broadcast_of(name, problem, pattern);
    return std::count_if(played.merges.begin(), played.merges.end(),
                         [](const Play::Merge& one) { return one.from == 0; });
  };
  EXPECT_EQ(from_root("arrival-nb"), 64);
  EXPECT_EQ(from_root("arrival-b"), 2 * 64) << "the first alone, the others together";
  EXPECT_LT(broadcast_of("arrival-nb", problem, pattern).run_time_s(pattern),
            0.9 * broadcast_of("arrival-b", problem, pattern).run_time_s(pattern));
}

TEST(ArrivalBroadcast, RefusesLettersThatNoRuleWrites) {
  enum : int { here, follow, append, leave, go };
  const auto member = [] {
    auto made = get_algorithm(Operation::bcast, "arrival-nb").protocol(broadcast(8, 0, 4096), 5);
    Actions actions;
    made->act(0.0, actions);
    return made;
  };
  for (const Note& note : std::vector<Note>{{here},
                                            {append, 0, 3},
                                            {leave},
                                            {go},
                                            {go + 1},
                                            {follow, 5, -1},
                                            {follow, 8, -1},
                                            {follow, 1, 0},
                                            {follow, 1, 5},
                                            {follow, -2, -1},
                                            {follow, 1, -3}})
    EXPECT_THROW(member()->take(0, note), Error)
        << note.kind << " " << note.piece << " " << note.value;
  EXPECT_THROW(member()->take(1, {follow, -1, -1}), Error) << "not from the root";
  const auto root =
      get_algorithm(Operation::bcast, "arrival-nb").protocol(broadcast(8, 0, 4096), 0);
  root->take(3, {here});
  EXPECT_THROW(root->take(3, {here}), Error);
  EXPECT_THROW(root->take(4, {leave}), Error);
  EXPECT_THROW(root->take(4, {follow, -1, -1}), Error);
}

TEST(Redirect, RulesNeedFewLetters) {
  // Three a merge when all come together: announced, asked for, accepted.
  const auto flat = ArrivalPattern::flat(64);
  EXPECT_EQ(play_of("local-redirect", reduction(64, 0, 4 << 20), flat).letters, 3u * 63u);
}

}  // namespace
}  // namespace pat
