// Operations among neighbours on graphs and grids of every shape: what is promised, that every
// algorithm keeps it, and which problems are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "tests/unit/patterns.hpp"

namespace pat {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int most_ranks = 9;
#else
constexpr int most_ranks = 33;
#endif

std::vector<Operation> among_neighbours() {
  std::vector<Operation> list;
  for (const OperationRow& one : operation_rows())
    if (one.among_neighbours()) list.push_back(one.operation);
  return list;
}

/// Grids of `ranks` processes in one to three dimensions, some of them of length 1 or 2.
std::vector<std::vector<int>> grids_of(int ranks) {
  std::vector<std::vector<int>> list = {{ranks}, {1, ranks}};
  for (int length = 2; length < ranks; ++length)
    if (ranks % length == 0) list.push_back({length, ranks / length});
  if (ranks % 4 == 0) list.push_back({2, 2, ranks / 4});
  return list;
}

/// Topologies of so many processes: those of MPI's constructors.
std::vector<std::vector<Neighbours>> topologies(int ranks, std::mt19937& random) {
  std::vector<std::vector<Neighbours>> list = {{}};
  for (int draw = 0; draw < 4; ++draw) list.push_back(test::random_graph(ranks, random));
  for (const std::vector<int>& dims : grids_of(ranks)) {
    std::vector<bool> periodic;
    for (std::size_t d = 0; d < dims.size(); ++d) periodic.push_back(random() % 2 == 0);
    list.push_back(test::grid(dims, periodic));
  }
  return list;
}

Problem problem_of(Operation operation, int ranks, std::vector<Neighbours> neighbours) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.units = 3;
  problem.neighbours = std::move(neighbours);
  return problem;
}

/// Of equal blocks, and of blocks of any length, some of them empty.
std::vector<Problem> problems(Operation operation, int ranks, std::mt19937& random) {
  std::vector<Problem> list;
  for (std::vector<Neighbours>& each : topologies(ranks, random)) {
    list.push_back(problem_of(operation, ranks, std::move(each)));
    list.push_back(list.back());
    test::vary(list.back(), [&] { return std::size_t{random() % 4}; });
  }
  return list;
}

/// A unit of a rank's send buffer.
using Unit = std::pair<int, std::size_t>;

/// What everybody receives, edge by edge, if every rank puts its messages on their way one after
/// another and every rank takes those of each other rank in their order. Of a grid the messages
/// of each dimension and side are kept apart, as a receiver tells them apart by where they come
/// from.
std::vector<std::vector<Unit>> carried(const Problem& problem) {
  std::map<std::tuple<int, int, std::size_t>, std::vector<std::vector<Unit>>> under_way;
  const bool allgather = !row(problem.operation).in_pairs();
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const Neighbours mine = problem.neighbours_of(rank);
    const std::vector<std::size_t> sent = problem.exchange_of(rank).sent;
    std::size_t place = 0;
    for (std::size_t edge = 0; edge < mine.to.size(); ++edge) {
      std::vector<Unit> message;
      for (std::size_t unit = 0; unit < sent[edge]; ++unit) message.push_back({rank, place + unit});
      if (!allgather) place += sent[edge];
      // It travels towards one side and comes from the other.
      const std::size_t comes_from = mine.crosswise ? (edge % 2 == 0 ? edge + 1 : edge - 1) : 0;
      under_way[{rank, mine.to[edge], comes_from}].push_back(message);
    }
  }
  std::vector<std::vector<Unit>> received(static_cast<std::size_t>(problem.ranks));
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const Neighbours mine = problem.neighbours_of(rank);
    for (std::size_t edge = 0; edge < mine.from.size(); ++edge) {
      if (mine.from[edge] == Neighbours::nobody) continue;
      auto& queue = under_way[{mine.from[edge], rank, mine.crosswise ? edge : 0}];
      EXPECT_FALSE(queue.empty());
      if (queue.empty()) continue;
      auto& got = received[static_cast<std::size_t>(rank)];
      got.insert(got.end(), queue.front().begin(), queue.front().end());
      queue.erase(queue.begin());
    }
  }
  return received;
}

TEST(Neighbours, ReceiveWhatIsSentAlongTheirEdges) {
  std::mt19937 random(3);
  for (const Operation operation : among_neighbours())
    for (int ranks = 1; ranks <= most_ranks; ++ranks)
      for (const Problem& problem : problems(operation, ranks, random)) {
        const auto want = carried(problem);
        for (int rank = 0; rank < ranks; ++rank) {
          std::vector<Unit> got;
          for (std::size_t unit = 0; unit < recv_units(problem, rank); ++unit) {
            const Promised promised = row(operation).promised(problem, rank, unit);
            ASSERT_EQ(promised.last, promised.first + 1);
            got.emplace_back(promised.first, promised.unit);
          }
          ASSERT_EQ(got, want[static_cast<std::size_t>(rank)])
              << name(operation) << " P=" << ranks << " rank " << rank;
        }
      }
}

TEST(Neighbours, EveryAlgorithmIsSoundOnEveryTopology) {
  std::mt19937 random(5);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr || !row(algorithm.operation).among_neighbours()) continue;
    for (int ranks = 1; ranks <= most_ranks; ++ranks)
      for (const Problem& problem : problems(algorithm.operation, ranks, random)) {
        const auto patterns = test::sample_patterns(ranks, 0, random());
        const ArrivalPattern& pattern = patterns[random() % patterns.size()];
        const Schedule schedule = build_schedule(algorithm, problem, pattern);
        const std::string where = algorithm.name + " P=" + std::to_string(ranks);
        const Verdict correct = verify(schedule), safe = hazards(schedule);
        ASSERT_TRUE(correct) << where << ": " << correct.problem;
        ASSERT_TRUE(safe) << where << ": " << safe.problem;
        const double bound = lower_bound_s(problem, pattern, {},
                                           algorithm.background ? Reach::any : Reach::foreground);
        ASSERT_GE(simulate(schedule, pattern, {}).run_time_s(), bound - 1e-12) << where;
      }
  }
}

TEST(Neighbours, OneRankIsBuiltFromWhatItKnows) {
  std::mt19937 random(7);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr || !row(algorithm.operation).among_neighbours()) continue;
    for (const int ranks : {1, 2, 5, 12})
      for (const Problem& whole : problems(algorithm.operation, ranks, random)) {
        if (whole.neighbours.empty()) continue;
        const ArrivalPattern pattern = test::sample_patterns(ranks, 0, 3)[3];
        const Schedule all = build_schedule(algorithm, whole, pattern);
        for (int rank = 0; rank < ranks; ++rank) {
          Problem alone = whole;
          alone.only_rank = rank;
          for (int other = 0; other < ranks; ++other) {
            if (other == rank) continue;
            alone.neighbours[static_cast<std::size_t>(other)] = {};
            if (!alone.exchanges.empty()) alone.exchanges[static_cast<std::size_t>(other)] = {};
          }
          const Program mine =
              build_schedule(algorithm, alone, pattern).programs[static_cast<std::size_t>(rank)];
          const Program& full = all.programs[static_cast<std::size_t>(rank)];
          ASSERT_EQ(mine.ops.size(), full.ops.size());
          for (std::size_t i = 0; i < mine.ops.size(); ++i) {
            ASSERT_EQ(mine.ops[i].peer, full.ops[i].peer);
            ASSERT_EQ(mine.ops[i].tag, full.ops[i].tag);
            ASSERT_EQ(mine.ops[i].source.offset, full.ops[i].source.offset);
            ASSERT_EQ(mine.ops[i].target.offset, full.ops[i].target.offset);
            ASSERT_EQ(mine.ops[i].target.length, full.ops[i].target.length);
          }
        }
      }
  }
}

TEST(Neighbours, TheLatestIsSentToLast) {
  Problem problem = problem_of(Operation::neighbor_alltoall, 5, std::vector<Neighbours>(5));
  for (const int to : {1, 2, 3, 4, 2}) test::connect(problem.neighbours, 0, to);
  const ArrivalPattern pattern{{0.0, 0.4, 0.2, 0.1, 0.3}, {}, 0};
  for (const char* algorithm : {"latest-last", "b-latest-last"}) {
    const Schedule schedule =
        build_schedule(get_algorithm(problem.operation, algorithm), problem, pattern);
    std::vector<int> order;
    std::vector<std::size_t> places;
    for (const Op& op : schedule.programs[0].ops)
      if (op.kind == OpKind::send) {
        order.push_back(op.peer);
        places.push_back(op.source.offset);
      }
    EXPECT_EQ(order, (std::vector<int>{3, 2, 2, 4, 1}));
    EXPECT_EQ(places, (std::vector<std::size_t>{6, 3, 12, 9, 0}));
  }
}

TEST(Neighbours, ALateProcessHasItsBlocksWhenItComesInTheBackground) {
  Problem problem;
  problem.operation = Operation::neighbor_alltoall;
  problem.ranks = 8;
  problem.units = 1000;
  ArrivalPattern pattern = ArrivalPattern::flat(8);
  pattern.offset_s[3] = 1.0;
  const CostModel model{.alpha_s = 1e-3, .beta_s_per_byte = 1e-6};
  const auto late_s = [&](const char* algorithm) {
    const Schedule schedule =
        build_schedule(get_algorithm(problem.operation, algorithm), problem, pattern);
    return simulate(schedule, pattern, model).exit_s[3] - 1.0;
  };
  // Two blocks still leave the late one, alpha + n beta = 2 ms each; in the foreground as many
  // come in meanwhile.
  EXPECT_NEAR(late_s("b-latest-last"), 4e-3, 1e-9);
  EXPECT_GE(late_s("latest-last"), 4e-3 - 1e-9);
}

TEST(Neighbours, MistakesAreRefused) {
  const auto refused = [](const Problem& problem) {
    try {
      validate(problem);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const Problem good =
      problem_of(Operation::neighbor_alltoall, 4, test::grid({2, 2}, {true, false}));
  EXPECT_EQ(refused(good), "");
  Problem bad = good;
  bad.operation = Operation::alltoall;
  EXPECT_EQ(refused(bad), "neighbours are given, which there are not in alltoall");
  bad = good;
  bad.neighbours.pop_back();
  EXPECT_EQ(refused(bad), "neighbours are not given for each rank in neighbor-alltoall");
  bad = good;
  bad.neighbours[1].to[0] = bad.neighbours[1].from[0] = 4;
  EXPECT_EQ(refused(bad), "rank 1 has a neighbour 4 that there is not in neighbor-alltoall");
  bad = good;
  bad.neighbours[2].from[1] = 3;
  EXPECT_EQ(refused(bad),
            "rank 2 does not have two neighbours in each dimension in neighbor-alltoall");
  bad = good;
  std::swap(bad.neighbours[0].to[2], bad.neighbours[0].to[3]);
  std::swap(bad.neighbours[0].from[2], bad.neighbours[0].from[3]);
  EXPECT_EQ(refused(bad),
            "rank 0 sends to rank 1 not as often as that receives in neighbor-alltoall");
  bad = problem_of(Operation::neighbor_allgather, 3, std::vector<Neighbours>(3));
  test::connect(bad.neighbours, 0, 2);
  EXPECT_EQ(refused(bad), "");
  bad.neighbours[1].from.push_back(0);
  EXPECT_EQ(refused(bad),
            "rank 0 sends to rank 1 not as often as that receives in neighbor-allgather");
  bad.only_rank = 2;  // what the others have is not known
  EXPECT_EQ(refused(bad), "");
  bad = good;
  test::vary(bad, [] { return std::size_t{2}; });
  EXPECT_EQ(refused(bad), "");
  Problem longer = bad;
  longer.exchanges[3].received[0] = 3;
  EXPECT_EQ(refused(longer),
            "rank 1 sends rank 3 not as much as that receives in neighbor-alltoall");
  longer = bad;
  longer.exchanges[3].sent[3] = 1;
  EXPECT_EQ(refused(longer), "rank 3 exchanges units with nobody in neighbor-alltoall");
  longer = bad;
  longer.exchanges[3].sent.pop_back();
  EXPECT_EQ(refused(longer),
            "rank 3 does not have one count for each neighbour in neighbor-alltoall");
  longer = bad;
  longer.operation = Operation::neighbor_allgather;
  EXPECT_EQ(refused(longer),
            "counts by pairs of ranks are given, which there are not in neighbor-allgather");
}

}  // namespace
}  // namespace pat
