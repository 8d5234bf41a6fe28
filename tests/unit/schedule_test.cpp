// Every registered algorithm, for every P from 1 to 33 and every root: verify, hazards, simulate.
// Adding an algorithm adds it here; nothing else is to be written.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "tests/unit/patterns.hpp"

namespace pat {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int most_ranks = 9;  // the code is the same, and ten times slower here
#else
constexpr int most_ranks = 33;
#endif

class EveryAlgorithm : public testing::TestWithParam<const Algorithm*> {};

Problem problem_for(const Algorithm& algorithm, int ranks, int root, std::size_t units) {
  Problem problem;
  problem.operation = algorithm.operation;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = units;
  return problem;
}

void expect_sound(const Algorithm& algorithm, const Problem& problem,
                  const ArrivalPattern& pattern) {
  const Schedule schedule = build_schedule(algorithm, problem, pattern);
  const std::string where = algorithm.name + " P=" + std::to_string(problem.ranks) +
                            " root=" + std::to_string(problem.root) +
                            " units=" + std::to_string(problem.units);
  const Verdict correct = verify(schedule);
  ASSERT_TRUE(correct) << where << ": " << correct.problem;
  const Verdict safe = hazards(schedule);
  ASSERT_TRUE(safe) << where << ": " << safe.problem;
  const Timing timing = simulate(schedule, pattern, {});
  for (int rank = 0; rank < problem.ranks; ++rank)
    ASSERT_GE(timing.exit_s[rank], timing.arrival_s[rank]) << where;
}

TEST_P(EveryAlgorithm, IsSoundForEveryProcessCountAndRoot) {
  const Algorithm& algorithm = *GetParam();
  for (int ranks = 1; ranks <= most_ranks; ++ranks)
    for (int root = 0; root < (row(algorithm.operation).rooted ? ranks : 1); ++root) {
      const auto patterns = test::sample_patterns(ranks, root, 17 * ranks + root);
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        // 0 to 5 units: nothing at all, fewer than there are pieces, and counts that do not divide.
        expect_sound(algorithm, problem_for(algorithm, ranks, root, (ranks + root + i) % 6),
                     patterns[i]);
        if (HasFatalFailure()) return;
      }
    }
}

/// It has no v-form.
bool refuses_counts(const Algorithm& algorithm) {
  return row(algorithm.operation).all_to_all() && algorithm.needs_all_counts;
}

/// One that has the variant says so when it chooses.
TEST_P(EveryAlgorithm, IsSoundForEveryVariant) {
  const Algorithm& algorithm = *GetParam();
  if (algorithm.tune == nullptr || algorithm.name == "clairvoyant") return;  // there an order
  const OperationRow& operation = row(algorithm.operation);
  for (const int ranks : {2, 3, 5, 8, 13, 20}) {
    if (ranks > most_ranks) return;
    for (int variant = 1; variant <= ranks; ++variant)
      for (const auto& pattern : test::sample_patterns(ranks, ranks / 2, variant)) {
        Problem problem = problem_for(algorithm, ranks, operation.rooted ? ranks / 2 : 0, 5);
        problem.variant = variant;
        problem.commutative = algorithm.needs_commutative;
        if (algorithm.tune(problem, pattern).variant != variant) break;
        expect_sound(algorithm, problem, pattern);
        if (HasFatalFailure()) return;
        if (!operation.has_v_form() || refuses_counts(algorithm)) continue;
        test::vary(problem, [next = std::size_t{0}]() mutable { return ++next % 4; });
        expect_sound(algorithm, problem, pattern);
        if (HasFatalFailure()) return;
      }
  }
}

TEST_P(EveryAlgorithm, KeepsTheOrderOfOperandsUnlessItSaysSo) {
  const Algorithm& algorithm = *GetParam();
  if (!row(algorithm.operation).combines) return;
  for (int ranks = 1; ranks <= most_ranks; ++ranks)
    for (const int root : {0, ranks / 2, ranks - 1}) {
      Problem problem = problem_for(algorithm, ranks, root, ranks % 3 ? 2 * ranks + 1 : 1);
      problem.commutative = false;
      const ArrivalPattern pattern = test::sample_patterns(ranks, root, ranks)[3];
      if (algorithm.needs_commutative) {
        EXPECT_THROW(build_schedule(algorithm, problem, pattern), Error);
        continue;
      }
      expect_sound(algorithm, problem, pattern);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAlgorithm, IsSoundForEverySegmentationAndWindow) {
  const Algorithm& algorithm = *GetParam();
  for (const int ranks : {2, 3, 5, 8, 13}) {
    if (ranks > most_ranks) return;
    for (const int segments : {1, 2, 3, 7})
      for (const int window : {1, 2, 4, 100}) {
        const int root = ranks / 2;
        for (const auto& pattern : test::sample_patterns(ranks, root, 5)) {
          Problem problem = problem_for(algorithm, ranks, root, 5);
          problem.segments = segments;
          problem.window = window;
          expect_sound(algorithm, problem, pattern);
          if (HasFatalFailure()) return;
        }
      }
  }
}

TEST_P(EveryAlgorithm, IsSoundWhereItIsKnownWhatLeavesUnasked) {
  const Algorithm& algorithm = *GetParam();
  for (const int ranks : {1, 2, 3, 8, 13}) {
    if (ranks > most_ranks) return;
    const int root = ranks / 2;
    for (const std::size_t units : {0, 1, 7, 50})
      for (const auto& pattern : test::sample_patterns(ranks, root, 5)) {
        Problem problem = problem_for(algorithm, ranks, root, units);
        problem.cost.alpha_s = 1e-9;
        problem.cost.unasked_bytes = 3;
        expect_sound(algorithm, problem, pattern);
        if (HasFatalFailure()) return;
      }
  }
}

/// The longest message that the algorithm sends, bytes: 256 KiB a block, 4 MiB a vector.
std::size_t longest_message(Operation operation, const char* name, const LinkCost& cost) {
  const Algorithm& algorithm = get_algorithm(operation, name);
  Problem problem = problem_for(algorithm, 16, 0, 0);
  problem.unit_bytes = row(operation).combines ? 24 : 1;
  problem.units = (row(operation).in_blocks() ? 1 : 16) * (256 << 10) / problem.unit_bytes;
  problem.cost = cost;
  std::vector<double> offsets_s(16, 0.0);
  offsets_s[5] = 10e-3;
  std::size_t longest = 0;
  for (const Program& program :
       build_schedule(algorithm, problem, ArrivalPattern{offsets_s, {}, 0}).programs)
    for (const Op& op : program.ops)
      if (op.kind == OpKind::send)
        longest = std::max(longest, op.source.length * problem.unit_bytes);
  return longest;
}

TEST(Pieces, OfRingsChainsAndExchangesLeaveUnasked) {
  const LinkCost known{20e-6, 8.5e-9, 1e-10, 65024};
  // Slow starts: the largest pieces that there may be.
  const LinkCost slow_starts{100e-6, 8.5e-9, 1e-10, 65024};
  for (const auto& [operation, name] : std::vector<std::pair<Operation, const char*>>{
           {Operation::allgather, "ring"},
           {Operation::allgather, "sring"},
           {Operation::allgather, "bdr"},
           {Operation::allreduce, "ring"},
           {Operation::allreduce, "prr"},
           {Operation::allreduce, "slt"},
           {Operation::allreduce, "two-tree"},
           {Operation::allreduce, "rabenseifner"},
           {Operation::allreduce, "recursive-doubling"},
           {Operation::allreduce, "circulant"},
           {Operation::reduce_scatter, "ring"},
           {Operation::reduce_scatter, "recursive-halving"},
           {Operation::allgather, "recursive-doubling"},
           {Operation::allgather, "neighbour-exchange"},
           {Operation::bcast, "pipeline"},
           {Operation::bcast, "spipe"},
           {Operation::bcast, "bspipe"},
           {Operation::bcast, "two-tree"},
           {Operation::bcast, "circulant"},
           {Operation::reduce, "pipeline"},
           {Operation::reduce, "two-tree"},
           {Operation::reduce, "clairvoyant"},
           {Operation::scan, "pipeline"}}) {
    EXPECT_LE(longest_message(operation, name, known), 65024u) << name;
    EXPECT_LE(longest_message(operation, name, slow_starts), 65024u) << name;
  }
}

/// 16 processes, vectors of 8 MiB, the last process `late_s` after the others: what it takes from
/// then on where messages of `unasked` bytes leave before their receiver has come.
double after_the_last_s(Operation operation, const char* name, std::size_t unasked, double late_s,
                        int window = 0) {
  const Algorithm& algorithm = get_algorithm(operation, name);
  Problem problem = problem_for(algorithm, 16, 0, 0);
  problem.window = window;
  problem.unit_bytes = 8;
  problem.units = std::size_t{1} << (row(operation).in_blocks() ? 16 : 20);
  problem.cost = {25e-6, 8.5e-9, 1e-10, unasked};
  ArrivalPattern pattern = ArrivalPattern::flat(16);
  pattern.offset_s[15] = late_s;
  CostModel model = cost_model(problem.cost);
  model.eager_bytes = unasked;
  return simulate(build_schedule(algorithm, problem, pattern), pattern, model).run_time_s() -
         late_s;
}

/// Later by more than the others' reduction takes.
double after_the_late_one_s(const char* name, std::size_t unasked, int window = 0) {
  return after_the_last_s(Operation::allreduce, name, unasked, 0.11, window);
}

/// What leaves unasked would overtake what is wanted sooner.
TEST(Pieces, OfRoundsKeepTheirOrder) {
  for (const char* name : {"straggler", "clairvoyant-allreduce"})
    EXPECT_LT(after_the_late_one_s(name, 65024, 1), 1.02 * after_the_late_one_s(name, 0)) << name;
  EXPECT_LT(after_the_late_one_s("slt", 65024), 0.6 * after_the_late_one_s("slt", 0)) << "it gains";
}

/// The most sends of the last process that may wait for their answers together.
int most_at_once(const char* name, const LinkCost& cost) {
  const Algorithm& algorithm = get_algorithm(Operation::allreduce, name);
  Problem problem = problem_for(algorithm, 16, 0, 1 << 18);
  problem.unit_bytes = 24;
  problem.cost = cost;
  ArrivalPattern pattern = ArrivalPattern::flat(16);
  pattern.offset_s[15] = 1.0;
  const Schedule schedule = build_schedule(algorithm, problem, pattern);
  std::vector<OpId> sends;
  int most = 0;
  const auto& ops = schedule.programs[15].ops;
  for (OpId id = 0; id < ops.size(); ++id) {
    if (ops[id].kind != OpKind::send || !ops[id].asks) continue;
    std::size_t over = 0;  // sends that this one waits for, and with them all before
    for (std::size_t before = 0; before < sends.size(); ++before)
      if (std::ranges::find(ops[id].after, sends[before]) != ops[id].after.end()) over = before + 1;
    sends.push_back(id);
    most = std::max(most, static_cast<int>(sends.size() - over));
  }
  return most;
}

/// An answer comes behind what its sender is sending: of one message at a time each would wait for
/// half of another.
TEST(Pieces, OfRoundsOverlapWhereItIsKnownWhatLeavesUnasked) {
  const LinkCost known{20e-6, 8.5e-9, 1e-10, 65024}, unknown{20e-6, 8.5e-9, 1e-10, 0};
  EXPECT_EQ(most_at_once("clairvoyant-allreduce", known), 8);
  EXPECT_EQ(most_at_once("straggler", known), 4);
  EXPECT_EQ(most_at_once("clairvoyant-allreduce", unknown), 1);
  EXPECT_EQ(most_at_once("straggler", unknown), 1);
}

/// While a process combines one piece others are under way, in both directions.
TEST(Pieces, AreNotHeldUpByCombining) {
  for (const Operation operation : {Operation::allreduce, Operation::reduce_scatter})
    EXPECT_LT(after_the_last_s(operation, "circulant", 65024, 0.0),
              1.1 * after_the_last_s(operation, "circulant", 0, 0.0));
}

TEST(Pieces, AreNotCutWhereStartUpsCostMore) {
  const LinkCost memory{5e-6, 1e-10, 1e-10, 4096}, unknown{20e-6, 8.5e-9, 1e-10, 0};
  EXPECT_EQ(longest_message(Operation::allgather, "ring", memory), 256u << 10);
  EXPECT_EQ(longest_message(Operation::allgather, "ring", unknown), 256u << 10);
  const LinkCost known{20e-6, 8.5e-9, 1e-10, 65024};
  EXPECT_EQ(longest_message(Operation::alltoall, "pairwise", known), 256u << 10);
}

TEST_P(EveryAlgorithm, IsSoundForUnequalCounts) {
  const Algorithm& algorithm = *GetParam();
  if (!row(algorithm.operation).has_v_form()) return;
  std::mt19937 random(7);
  for (int ranks = 1; ranks <= most_ranks; ranks += ranks < 9 ? 1 : 5)
    for (int root = 0; root < (row(algorithm.operation).rooted ? ranks : 1); ++root)
      for (const auto& pattern : test::sample_patterns(ranks, root, 31 * ranks + root)) {
        Problem problem = problem_for(algorithm, ranks, root, 0);
        // Zero for about a third of the ranks, and in every tenth problem for all but one.
        const bool nearly_empty = random() % 10 == 0;
        int drawn = 0;
        test::vary(problem, [&]() -> std::size_t {
          return nearly_empty ? drawn++ == ranks / 2 : (random() % 3) * (random() % 4);
        });
        if (refuses_counts(algorithm)) {
          EXPECT_THROW(build_schedule(algorithm, problem, pattern), Error);
          continue;
        }
        expect_sound(algorithm, problem, pattern);
        if (HasFatalFailure()) return;
      }
}

TEST_P(EveryAlgorithm, NeedsOnlyItsOwnCountUnlessItSaysSo) {
  const Algorithm& algorithm = *GetParam();
  if (row(algorithm.operation).v_plain->empty()) return;  // no v-form, or all know all counts
  if (refuses_counts(algorithm)) return;
  // A leaf of a v-form knows its own count only: with the others' counts set to 0, the programs of
  // the ranks other than the root must not change. Where counts differ by pairs nobody knows those
  // of the others; a rank knows those of its neighbours.
  const int ranks = 9, root = 3;
  const ArrivalPattern pattern = test::sample_patterns(ranks, root, 3)[3];
  Problem problem = problem_for(algorithm, ranks, root, 0);
  const bool pairs = row(algorithm.operation).in_pairs();
  const bool among_neighbours = row(algorithm.operation).among_neighbours();
  test::vary(problem, [next = std::size_t{0}]() mutable { return ++next; });
  const Schedule all = build_schedule(algorithm, problem, pattern);
  bool differs = false;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == root && !pairs && !among_neighbours) continue;
    Problem alone = problem;
    alone.only_rank = rank;
    const std::vector<int> heard = problem.neighbours_of(rank).from;
    for (int other = 0; other < ranks; ++other) {
      const bool known = among_neighbours && std::count(heard.begin(), heard.end(), other) > 0;
      if (other == rank || (known && !pairs)) continue;
      pairs ? void(alone.exchanges[other] = {}) : void(alone.counts[other] = 0);
    }
    const Program mine = build_schedule(algorithm, alone, pattern).programs[rank];
    const Program& full = all.programs[rank];
    ASSERT_EQ(mine.ops.size(), full.ops.size());
    for (std::size_t i = 0; i < mine.ops.size(); ++i)
      differs = differs || mine.ops[i].source.length != full.ops[i].source.length ||
                mine.ops[i].target.length != full.ops[i].target.length;
  }
  EXPECT_EQ(differs, algorithm.needs_all_counts);
}

bool are_equal(const Program& one, const Program& other) {
  if (one.scratch_units != other.scratch_units) return false;
  return std::ranges::equal(one.ops, other.ops, [](const Op& a, const Op& b) {
    return a.kind == b.kind && a.peer == b.peer && a.tag == b.tag && a.after == b.after &&
           a.source.offset == b.source.offset && a.target.offset == b.target.offset;
  });
}

TEST_P(EveryAlgorithm, BuildsOneRankAsItBuildsAll) {
  const Algorithm& algorithm = *GetParam();
  for (const int ranks : {1, 2, 5, 8, 16}) {
    const int root = ranks - 1;
    const ArrivalPattern pattern = test::sample_patterns(ranks, root, 3)[3];
    Problem problem = problem_for(algorithm, ranks, root, 4);
    const Schedule all = build_schedule(algorithm, problem, pattern);
    for (int rank = 0; rank < ranks; ++rank) {
      problem.only_rank = rank;
      const Schedule one = build_schedule(algorithm, problem, pattern);
      ASSERT_TRUE(are_equal(one.programs[rank], all.programs[rank])) << "rank " << rank;
      for (int other = 0; other < ranks; ++other)
        ASSERT_TRUE(other == rank || one.programs[other].ops.empty());
    }
  }
}

TEST_P(EveryAlgorithm, OfSlowLinksOnlyTheRootOfAStarKnows) {
  const Algorithm& algorithm = *GetParam();
  if (!algorithm.star) {
    EXPECT_FALSE(algorithm.root_ordered);
    return;
  }
  const int ranks = 8, root = 2;
  for (const ArrivalPattern& pattern : test::sample_patterns(ranks, root, 3)) {
    Problem problem = problem_for(algorithm, ranks, root, 4);
    const Schedule unaware = build_schedule(algorithm, problem, pattern);
    problem.link_slowdown = {1, 1, 1, 1, 1, 10, 1, 1};
    const Schedule aware = build_schedule(algorithm, problem, pattern);
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(are_equal(aware.programs[rank], unaware.programs[rank]), rank != root) << rank;
  }
}

TEST_P(EveryAlgorithm, MovesDataEarlyOnlyIfItSaysSo) {
  const Algorithm& algorithm = *GetParam();
  const ArrivalPattern pattern = test::sample_patterns(8, 2, 3)[3];
  const Schedule schedule = build_schedule(algorithm, problem_for(algorithm, 8, 2, 4), pattern);
  bool early = false;
  for (const Program& program : schedule.programs) {
    const std::vector<bool> joined = after_join(program);
    for (std::size_t i = 0; i < program.ops.size(); ++i)
      early = early || (!joined[i] && program.ops[i].kind == OpKind::recv &&
                        program.ops[i].target.length > 0);
  }
  EXPECT_EQ(early, algorithm.background);
}

TEST_P(EveryAlgorithm, IsDescribed) {
  const Algorithm& algorithm = *GetParam();
  EXPECT_FALSE(algorithm.idea.empty());
  EXPECT_FALSE(algorithm.cost.empty());
  EXPECT_FALSE(algorithm.source.empty());
}

std::vector<const Algorithm*> with_schedules() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.build != nullptr) list.push_back(&algorithm);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryAlgorithm, testing::ValuesIn(with_schedules()),
                         [](const auto& test) {
                           std::string text =
                               std::string(name(test.param->operation)) + "_" + test.param->name;
                           for (char& c : text)
                             if (c == '-') c = '_';
                           return text;
                         });

TEST(Registry, NamesAreUnique) {
  std::set<std::pair<Operation, std::string>> seen;
  for (const Algorithm& algorithm : algorithms())
    EXPECT_TRUE(seen.insert({algorithm.operation, algorithm.name}).second) << algorithm.name;
}

TEST(Registry, RefusesUnknownNames) {
  EXPECT_EQ(find_algorithm(Operation::gather, "nonsense"), nullptr);
  try {
    get_algorithm(Operation::gather, "nonsense");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bsls"), std::string::npos) << error.what();
  }
}

TEST(BuildSchedule, RefusesBadInput) {
  const Algorithm& sls = get_algorithm(Operation::gather, "sls");
  const ArrivalPattern flat = ArrivalPattern::flat(4);
  Problem problem = problem_for(sls, 4, 4, 1);
  EXPECT_THROW(build_schedule(sls, problem, flat), Error);
  problem.root = -1;
  EXPECT_THROW(build_schedule(sls, problem, flat), Error);
  problem.root = 0;
  EXPECT_THROW(build_schedule(sls, problem, ArrivalPattern::flat(3)), Error);
  for (const double bad : {-1.0, std::nan(""), double{INFINITY}}) {
    ArrivalPattern pattern = flat;
    pattern.offset_s[2] = bad;
    EXPECT_THROW(build_schedule(sls, problem, pattern), Error);
  }
  problem.window = -1;
  EXPECT_THROW(build_schedule(sls, problem, flat), Error);
  problem = problem_for(sls, 0, 0, 1);
  EXPECT_THROW(build_schedule(sls, problem, ArrivalPattern::flat(0)), Error);
  EXPECT_THROW(
      build_schedule(get_algorithm(Operation::gather, "mpi"), problem_for(sls, 4, 0, 1), flat),
      Error);
}

/// How many leaves the root of a paced gather lets send before anything has come.
int window_of(const char* algorithm, const Problem& problem) {
  const Schedule schedule = build_schedule(get_algorithm(Operation::gather, algorithm), problem,
                                           ArrivalPattern::flat(problem.ranks));
  const Program& root = schedule.programs[static_cast<std::size_t>(problem.root)];
  int window = 0;
  for (const Program::Turn& turn : root.turns) {
    bool first = true;
    for (const OpId before : root.ops[turn.go_ahead].after)
      first = first && root.ops[before].kind == OpKind::join;
    window += first;
  }
  EXPECT_EQ(root.senders_at_once, std::max(1, window - 1));
  return window;
}

Problem gather_of(int ranks, std::size_t block, double alpha_s, double bytes_per_s) {
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = ranks;
  problem.units = block;
  problem.cost = {.alpha_s = alpha_s, .beta_s_per_byte = 1.0 / bytes_per_s};
  return problem;
}

TEST(PacedStar, BlocksThatWaitFillTheTimeOfAGoAhead) {
  // 8 MiB on 48 processes at 1 Gbit/s, 128 and 1024 at 10 Gbit/s: n beta = 1398, 52 and 6.6 us.
  Problem slow = gather_of(48, (8 << 20) / 48, 25e-6, 125e6);
  Problem fast = gather_of(128, 64 << 10, 10e-6, 1.25e9);
  Problem many = gather_of(1024, 8 << 10, 10e-6, 1.25e9);
  for (const char* algorithm : {"ls", "sls", "bsls"}) {
    EXPECT_EQ(window_of(algorithm, slow), 2);
    EXPECT_EQ(window_of(algorithm, fast), 2);
    EXPECT_EQ(window_of(algorithm, many), 5);
  }
  // A daemon that looks every 0.2 ms: 0.25 and 0.22 ms to fill, with no more than 256 KiB.
  slow.pause_s = fast.pause_s = many.pause_s = 200e-6;
  EXPECT_EQ(window_of("bsls", slow), 2);
  EXPECT_EQ(window_of("bsls", fast), 5);
  EXPECT_EQ(window_of("bsls", many), 33);
  EXPECT_EQ(window_of("sls", many), 5);  // nobody moves its data before the arrival
  many.root = 1000;
  EXPECT_EQ(window_of("bsls", many), 33);
}

TEST(PacedStar, TheWindowHasBounds) {
  Problem problem = gather_of(200, 8, 1e-3, 1e9);
  EXPECT_EQ(window_of("sls", problem), 64);
  problem.units = 0;
  EXPECT_EQ(window_of("sls", problem), 2);
  problem.units = 100 << 20;
  EXPECT_EQ(window_of("sls", problem), 2);
  problem.cost = {.alpha_s = 0.0, .beta_s_per_byte = 0.0};
  EXPECT_EQ(window_of("sls", problem), 2);
  problem.units = 64 << 10;
  EXPECT_EQ(window_of("sls", problem), 5);
  for (const int given : {1, 3, 100}) {  // a window that is given is the law
    problem.window = given;
    EXPECT_EQ(window_of("bsls", problem), given);
  }
  problem = gather_of(1, 8, 1e-3, 1e9);
  EXPECT_EQ(window_of("sls", problem), 0);
}

TEST(PacedStar, UnequalBlocksCountByTheirMean) {
  Problem problem = gather_of(7, 0, 10e-6, 1.25e9);
  problem.counts = {1 << 20, 0, 20000, 0, 6000, 0, 13000};  // the root's own block does not travel
  EXPECT_EQ(window_of("sls", problem), 4 + 1);  // 25000 bytes in 20 us, 6500 in the mean
  problem.counts = {1 << 20, 0, 20000, 0, 90000, 0, 60000};
  EXPECT_EQ(window_of("sls", problem), 2);
}

TEST(PacedStar, OnlyTheRootsProgramDependsOnTheWindow) {
  const Problem problem = gather_of(9, 100, 10e-6, 1.25e9);
  Problem other = problem;
  other.window = 1;
  const Algorithm& bsls = get_algorithm(Operation::gather, "bsls");
  const Schedule own = build_schedule(bsls, problem, ArrivalPattern::flat(9));
  const Schedule given = build_schedule(bsls, other, ArrivalPattern::flat(9));
  for (std::size_t rank = 1; rank < 9; ++rank) {
    const Program &a = own.programs[rank], &b = given.programs[rank];
    ASSERT_EQ(a.ops.size(), b.ops.size());
    for (std::size_t i = 0; i < a.ops.size(); ++i) EXPECT_EQ(a.ops[i].after, b.ops[i].after);
  }
}

TEST(Simulate, SendOverlapsReceiveButNotSend) {
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = 3;
  problem.units = 1000;
  Schedule schedule(problem);
  for (int rank : {1, 2}) {
    const OpId joined = schedule.programs[rank].join();
    schedule.programs[rank].send(0, {Buffer::send, 0, 1000}, {joined});
  }
  Program& root = schedule.programs[0];
  const OpId joined = root.join();
  root.copy({Buffer::send, 0, 1000}, {Buffer::recv, 0, 1000}, {joined});
  root.recv(1, {Buffer::recv, 1000, 1000}, {joined});
  root.recv(2, {Buffer::recv, 2000, 1000}, {joined});
  seal(schedule);
  ASSERT_TRUE(verify(schedule));
  const CostModel model{.alpha_s = 1.0, .beta_s_per_byte = 0.01};
  EXPECT_DOUBLE_EQ(simulate(schedule, ArrivalPattern::flat(3), model).run_time_s(), 22.0);
  ArrivalPattern late = ArrivalPattern::flat(3);
  late.offset_s[0] = 5.0;
  EXPECT_DOUBLE_EQ(simulate(schedule, late, model).run_time_s(), 27.0);
}

TEST(Simulate, IncastSlowsATransferWhileOthersWaitForItsPort) {
  // Two leaves of 1000 bytes; the second comes half-way through the first one's transfer.
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = 3;
  problem.units = 1000;
  Schedule schedule(problem);
  for (int rank : {1, 2}) {
    const OpId joined = schedule.programs[rank].join();
    schedule.programs[rank].send(0, {Buffer::send, 0, 1000}, {joined});
  }
  Program& root = schedule.programs[0];
  const OpId joined = root.join();
  root.copy({Buffer::send, 0, 1000}, {Buffer::recv, 0, 1000}, {joined});
  root.recv(1, {Buffer::recv, 1000, 1000}, {joined});
  root.recv(2, {Buffer::recv, 2000, 1000}, {joined});
  seal(schedule);
  ArrivalPattern pattern = ArrivalPattern::flat(3);
  pattern.offset_s[2] = 6.0;  // the first: 1 of start-up time, then 10 of bytes
  CostModel model{.alpha_s = 1.0, .beta_s_per_byte = 0.01};
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 22.0);
  model.incast = 0.4;  // the remaining 5 take 7
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).exit_s[1], 13.0);
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 24.0);
  model.incast_most = 0.2;  // or 6
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 23.0);
  pattern.offset_s[2] = 0.0;  // both there from the beginning: 10 take 12
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 24.0);
  model.incast = 0.0;  // a stall is charged once, whenever the other one comes
  model.incast_stall_s = 3.0;
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 25.0);
  pattern.offset_s[2] = 6.0;
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 25.0);
  pattern.offset_s[2] = 11.5;
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 22.5);
}

TEST(Simulate, EndsUnderEveryKindOfIncast) {
  constexpr int ranks = std::min(16, most_ranks);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr) continue;
    for (const auto& pattern : test::sample_patterns(ranks, 5, 2))
      for (const std::size_t units : {0, 7, 100000})
        for (const int window : {1, 3, 100}) {
          Problem problem =
              problem_for(algorithm, ranks, row(algorithm.operation).rooted ? 5 : 0, units);
          problem.window = window;
          const Schedule schedule = build_schedule(algorithm, problem, pattern);
          for (const CostModel& model :
               {CostModel{.incast = 0.7}, CostModel{.incast = 0.7, .incast_most = 1.0},
                CostModel{.incast_stall_s = 1e-3}, CostModel{.eager_bytes = 1000},
                CostModel{.incast_stall_s = 1e-3, .eager_bytes = 1 << 20},
                CostModel{.incast = 0.2, .incast_stall_s = 1e-4}, CostModel{.shared = {1e-5, 1e-9}},
                CostModel{.incast_stall_s = 1e-3, .eager_bytes = 1000, .shared = {0.0, 1e-7}}}) {
            const Timing timing = simulate(schedule, pattern, model);
            for (int rank = 0; rank < ranks; ++rank)
              ASSERT_GE(timing.exit_s[rank], timing.arrival_s[rank]) << algorithm.name;
          }
        }
  }
}

TEST(Simulate, MessagesThatTravelAtOnceTakeTurnsAtWhatIsShared) {
  // Each rank sends 1000 bytes to the next: three links that have nothing in common.
  Problem problem;
  problem.operation = Operation::allgather;
  problem.ranks = 3;
  problem.units = 1000;
  Schedule schedule(problem);
  for (int rank = 0; rank < 3; ++rank) {
    Program& program = schedule.programs[rank];
    const OpId joined = program.join();
    program.send((rank + 1) % 3, {Buffer::send, 0, 1000}, {joined});
    program.recv((rank + 2) % 3, {Buffer::recv, 0, 1000}, {joined});
  }
  seal(schedule);
  CostModel model{.alpha_s = 1.0, .beta_s_per_byte = 0.01};
  ArrivalPattern pattern = ArrivalPattern::flat(3);
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 11.0);
  model.shared = {0.5, 0.003};  // 3.5 of each message
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 11.0) << "10.5 are hidden";
  model.shared = {1.0, 0.005};
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).run_time_s(), 18.0);
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, corrected(model, 2.0)).run_time_s(), 36.0);
  pattern.offset_s[2] = 100.0;  // it takes and gives the last two alone
  EXPECT_DOUBLE_EQ(simulate(schedule, pattern, model).exit_s[2], 112.0);
}

TEST(Simulate, EndsWhereASlowLinkStallsAndCoresAreShared) {
  // More than what is left of a message seemed to have passed while others waited for its port.
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = 3;
  problem.root = 2;
  problem.units = 16;
  problem.link_slowdown = {2, 1, 1};
  problem.cost = {1e-6, 8e-8, 0.0, 0};
  ArrivalPattern pattern = ArrivalPattern::flat(3);
  pattern.offset_s = {10e-6, 6e-6, 24e-6};
  const Schedule schedule =
      build_schedule(get_algorithm(Operation::gather, "ls"), problem, pattern);
  CostModel model{.alpha_s = 1e-6,
                  .beta_s_per_byte = 8e-8,
                  .incast_stall_s = 2e-3,
                  .link_slowdown = problem.link_slowdown};
  const double without_s = simulate(schedule, pattern, model).run_time_s();
  model.shared = {2.5e-6, 0.0};
  EXPECT_GE(simulate(schedule, pattern, model).run_time_s(), without_s);
}

TEST(Simulate, EagerMessagesDoNotWaitForTheirReceiver) {
  Problem problem;
  problem.operation = Operation::scatter;
  problem.ranks = 4;
  problem.units = 10;
  CostModel model{.alpha_s = 1.0, .beta_s_per_byte = 1.0};
  ArrivalPattern late = ArrivalPattern::flat(4);
  late.offset_s[1] = 50.0;  // the first one served
  const auto times = [&](const char* algorithm) {
    return simulate(build_schedule(get_algorithm(Operation::scatter, algorithm), problem, late),
                    late, model);
  };
  EXPECT_DOUBLE_EQ(times("lin").exit_s[3], 83.0);  // after three blocks from 50 on
  model.eager_bytes = 9;
  EXPECT_DOUBLE_EQ(times("lin").exit_s[3], 83.0);
  model.eager_bytes = 10;
  EXPECT_DOUBLE_EQ(times("lin").exit_s[0], 33.0);
  EXPECT_DOUBLE_EQ(times("lin").exit_s[3], 33.0);
  EXPECT_DOUBLE_EQ(times("lin").exit_s[1], 50.0);  // its block lies there
  late.offset_s[1] = 5.0;                          // comes while its block does
  EXPECT_DOUBLE_EQ(times("lin").exit_s[1], 11.0);
  EXPECT_DOUBLE_EQ(times("lin").run_time_s(), 33.0);
}

TEST(Simulate, CopiesTakeTheProcessorAndLeaveThePorts) {
  Problem problem;
  problem.operation = Operation::scatter;
  problem.ranks = 2;
  problem.units = 1000;
  Schedule schedule(problem);
  Program& root = schedule.programs[0];
  OpId joined = root.join();
  const Slice packed = root.scratch(1000);
  const OpId ready = root.copy({Buffer::send, 1000, 1000}, packed, {joined});
  root.send(1, packed, {ready});
  root.copy({Buffer::send, 0, 1000}, {Buffer::recv, 0, 1000}, {joined});
  joined = schedule.programs[1].join();
  schedule.programs[1].recv(0, {Buffer::recv, 0, 1000}, {joined});
  seal(schedule);
  ASSERT_TRUE(verify(schedule));
  const CostModel model{.alpha_s = 1.0, .beta_s_per_byte = 0.01, .copy_s_per_byte = 0.002};
  const Timing timing = simulate(schedule, ArrivalPattern::flat(2), model);
  EXPECT_DOUBLE_EQ(timing.exit_s[1], 2.0 + 11.0);  // packed, then sent
  EXPECT_DOUBLE_EQ(timing.op_end_s[0][3], 4.0);    // the second copy waits for the first
}

TEST(Simulate, RefusesBadModels) {
  const Algorithm& lin = get_algorithm(Operation::gather, "lin");
  const ArrivalPattern flat = ArrivalPattern::flat(2);
  const Schedule schedule = build_schedule(lin, problem_for(lin, 2, 0, 1), flat);
  EXPECT_THROW(simulate(schedule, flat, {.alpha_s = -1.0}), Error);
  EXPECT_THROW(simulate(schedule, flat, {.beta_s_per_byte = NAN}), Error);
  EXPECT_THROW(simulate(schedule, flat, {.incast_most = -0.5}), Error);
  EXPECT_THROW(simulate(schedule, flat, {.shared = {0.0, -1e-9}}), Error);
  EXPECT_THROW(simulate(schedule, flat, {.shared = {INFINITY, 0.0}}), Error);
}

/// A gather of two ranks whose root does in scratch what `write` says.
Verdict hazards_of(const std::function<void(Program&, OpId joined)>& write) {
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = 2;
  problem.units = 8;
  Schedule schedule(problem);
  write(schedule.programs[0], schedule.programs[0].join());
  schedule.programs[1].join();
  seal(schedule);
  return hazards(schedule);
}

TEST(Hazards, AreSlicesThatOverlapInPart) {
  const Slice own{Buffer::send, 0, 4};
  for (const bool in_order : {false, true}) {
    const Verdict verdict = hazards_of([&](Program& program, OpId joined) {
      const Slice scratch = program.scratch(8);
      const auto part = [&](std::size_t offset) {
        return Slice{Buffer::scratch, scratch.offset + offset, 4};
      };
      const OpId low = program.copy(own, part(0), {joined});
      const OpId high = program.copy(own, part(4), {joined});
      program.copy(own, part(2), in_order ? OpIds{low, high} : OpIds{high});
    });
    EXPECT_EQ(static_cast<bool>(verdict), in_order) << verdict.problem;
  }
}

TEST(Hazards, AreWritesOverWhatIsStillRead) {
  for (const bool in_order : {false, true}) {
    const Verdict verdict = hazards_of([&](Program& program, OpId joined) {
      const Slice own{Buffer::send, 0, 4}, scratch = program.scratch(4);
      const OpId written = program.copy(own, scratch, {joined});
      const OpId first = program.copy(scratch, {Buffer::recv, 0, 4}, {written});
      const OpId second = program.copy(scratch, {Buffer::recv, 4, 4}, {written});
      const OpId after_first = program.copy(own, {Buffer::recv, 8, 4}, {first});
      program.copy(own, scratch, in_order ? OpIds{after_first, second} : OpIds{after_first});
    });
    EXPECT_EQ(static_cast<bool>(verdict), in_order) << verdict.problem;
  }
}

/// Drops one dependency, misdirects one message, shifts one slice, removes one operation; and
/// counts how many of the changes the checks notice. Most changes leave a schedule that can go
/// wrong; the shares below are what the checks must catch, far above what either catches alone.
struct Tally {
  int changed = 0, by_verify = 0, by_hazards = 0, by_either = 0;
  void judge(Schedule& schedule) {
    seal(schedule);
    const bool v = !verify(schedule), h = !hazards(schedule);
    ++changed;
    by_verify += v;
    by_hazards += h;
    by_either += v || h;
  }
};

template <class Change>
Tally mutate(Change change) {
  Tally tally;
  std::mt19937 random(20260101);
  for (const Algorithm* algorithm : with_schedules())
    for (int trial = 0; trial < 60; ++trial) {
      const int ranks = 3 + static_cast<int>(random() % 6);
      const int root = static_cast<int>(random() % ranks);
      const auto patterns =
          test::sample_patterns(ranks, row(algorithm->operation).rooted ? root : 0, random());
      Schedule schedule = build_schedule(
          *algorithm,
          problem_for(*algorithm, ranks, row(algorithm->operation).rooted ? root : 0, 4),
          patterns[random() % patterns.size()]);
      if (change(schedule, random)) tally.judge(schedule);
    }
  return tally;
}

Op& random_op(Schedule& schedule, std::mt19937& random) {
  for (;;) {
    Program& program = schedule.programs[random() % schedule.programs.size()];
    if (!program.ops.empty()) return program.ops[random() % program.ops.size()];
  }
}

TEST(Mutation, ChecksNoticeMisdirectedMessages) {
  const Tally tally = mutate([](Schedule& schedule, std::mt19937& random) {
    Op& op = random_op(schedule, random);
    if (op.kind != OpKind::send && op.kind != OpKind::recv) return false;
    op.peer = (op.peer + 1) % schedule.problem.ranks;
    return true;
  });
  ASSERT_GT(tally.changed, 50);
  EXPECT_EQ(tally.by_either, tally.changed);
}

TEST(Mutation, ChecksNoticeWrongLengths) {
  const Tally tally = mutate([](Schedule& schedule, std::mt19937& random) {
    Op& op = random_op(schedule, random);
    Slice& slice = op.kind == OpKind::recv ? op.target : op.source;
    if (slice.length == 0) return false;
    --slice.length;
    return true;
  });
  ASSERT_GT(tally.changed, 50);
  EXPECT_EQ(tally.by_either, tally.changed);
}

TEST(Mutation, ChecksNoticeDroppedDependenciesOnData) {
  // Only dependencies whose loss can matter: the two operations touch the same units (one writes),
  // or the earlier one is the join of an operation that reads the user's data.
  const auto overlap = [](const Slice& a, const Slice& b) {
    return a.length > 0 && b.length > 0 && a.buffer == b.buffer && a.offset < b.offset + b.length &&
           b.offset < a.offset + a.length;
  };
  const Tally tally = mutate([&](Schedule& schedule, std::mt19937& random) {
    Program& program = schedule.programs[random() % schedule.programs.size()];
    if (program.ops.empty()) return false;
    const OpId id = static_cast<OpId>(random() % program.ops.size());
    Op& op = program.ops[id];
    if (op.after.empty()) return false;
    const std::size_t which = random() % op.after.size();
    const Op& before = program.ops[op.after[which]];
    const bool touches = overlap(before.target, op.source) || overlap(before.target, op.target) ||
                         overlap(before.source, op.target);
    if (!touches) return false;
    // Another path may keep the order: then nothing is lost.
    op.after.erase(op.after.begin() + static_cast<std::ptrdiff_t>(which));
    std::vector<bool> reached(program.ops.size(), false);
    reached[id] = true;
    for (OpId i = id + 1; i-- > 0;)
      if (reached[i])
        for (const OpId earlier : program.ops[i].after) reached[earlier] = true;
    const auto position = static_cast<std::size_t>(&before - program.ops.data());
    return !reached[position];
  });
  EXPECT_EQ(tally.by_either, tally.changed);
}

TEST(Mutation, ChecksNoticeSendsThatDoNotWaitForTheJoin) {
  const Tally tally = mutate([](Schedule& schedule, std::mt19937& random) {
    Op& op = random_op(schedule, random);
    if (op.source.length == 0 || op.source.buffer != Buffer::send) return false;
    op.after.clear();
    return true;
  });
  ASSERT_GT(tally.changed, 20);
  EXPECT_EQ(tally.by_either, tally.changed);
}

TEST(Mutation, ChecksNoticeSwappedBlocks) {
  const Tally tally = mutate([](Schedule& schedule, std::mt19937& random) {
    Op& op = random_op(schedule, random);
    if (op.kind != OpKind::recv || op.target.length == 0) return false;
    for (Program& program : schedule.programs)
      for (Op& other : program.ops)
        if (&other != &op && other.kind == OpKind::recv &&
            other.target.length == op.target.length && other.target.buffer == op.target.buffer &&
            other.target.offset != op.target.offset && &program.ops.front() <= &op &&
            &op <= &program.ops.back()) {
          std::swap(other.target, op.target);
          return true;
        }
    return false;
  });
  EXPECT_EQ(tally.by_either, tally.changed);
}

}  // namespace
}  // namespace pat
