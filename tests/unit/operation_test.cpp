// The rows of the operations: buffers, promises and names, and that what they name is registered.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/problem.hpp"
#include "tests/unit/patterns.hpp"

namespace pat {
namespace {

/// Problems of an operation with equal counts, and with unequal ones where it has a v-form.
std::vector<Problem> problems_of(Operation operation) {
  std::vector<Problem> problems;
  for (int ranks = 1; ranks <= 6; ++ranks)
    for (int root = 0; root < (row(operation).rooted ? ranks : 1); ++root)
      for (std::size_t units = 0; units < 4; ++units) {
        Problem problem;
        problem.operation = operation;
        problem.ranks = ranks;
        problem.root = root;
        problem.units = units;
        problems.push_back(problem);
        if (!row(operation).has_v_form()) continue;
        // Zero at the ends and in the middle, too.
        test::vary(problem, [next = units]() mutable { return (next += 2) % 3; });
        problems.push_back(problem);
        if (!row(operation).in_pairs()) continue;
        problem.exchanges.clear();
        problem.counts.assign(static_cast<std::size_t>(ranks), units);
        problem.counts[0] = 2;
        problems.push_back(problem);
      }
  return problems;
}

/// What a buffer holds, unit by unit: for each unit its contributions in rank order, each as the
/// rank and the unit of its send buffer.
using Units = std::vector<std::vector<std::pair<int, std::size_t>>>;

struct Expected {
  std::size_t sent;
  Units received;
};

Units block_of(int from, std::size_t first, std::size_t length) {
  Units units;
  for (std::size_t unit = 0; unit < length; ++unit) units.push_back({{from, first + unit}});
  return units;
}

Units all_blocks(const Problem& problem) {
  Units units;
  for (int from = 0; from < problem.ranks; ++from)
    for (std::size_t unit = 0; unit < problem.block(from); ++unit) units.push_back({{from, unit}});
  return units;
}

/// Of ranks 0 to `end`, without the last.
Units combined(const Problem& problem, int end) {
  Units units(problem.units);
  for (std::size_t unit = 0; unit < problem.units; ++unit)
    for (int from = 0; from < end; ++from) units[unit].push_back({from, unit});
  return units;
}
Units combined(const Problem& problem) {
  return combined(problem, problem.ranks);
}

int left_of(const Problem& problem, int rank) {
  return rank == 0 ? problem.ranks - 1 : rank - 1;
}
int right_of(const Problem& problem, int rank) {
  return rank == problem.ranks - 1 ? 0 : rank + 1;
}

/// MPI's own words for each operation, without a row.
Expected expected(const std::string& operation, const Problem& p, int rank) {
  const bool is_root = rank == p.root;
  if (operation == "gather") return {p.block(rank), is_root ? all_blocks(p) : Units()};
  if (operation == "scatter")
    return {is_root ? p.total() : 0, block_of(p.root, p.block_offset(rank), p.block(rank))};
  if (operation == "bcast")
    return {is_root ? p.units : 0, is_root ? Units() : block_of(p.root, 0, p.units)};
  if (operation == "reduce") return {p.units, is_root ? combined(p) : Units()};
  if (operation == "allgather") return {p.block(rank), all_blocks(p)};
  if (operation == "alltoall") {
    const auto between = [&](int from, int to) {
      return p.exchanges.empty() ? p.block(to) : p.exchanges[from].sent[to];
    };
    Units mine;
    std::size_t sent = 0;
    for (int other = 0; other < p.ranks; ++other) {
      sent += between(rank, other);
      std::size_t before = 0;
      for (int to = 0; to < rank; ++to) before += between(other, to);
      for (std::size_t unit = 0; unit < between(other, rank); ++unit)
        mine.push_back({{other, before + unit}});
    }
    return {sent, mine};
  }
  if (operation == "neighbor-allgather") {
    // The left neighbour of a ring, and the right one.
    Units mine = block_of(left_of(p, rank), 0, p.block(left_of(p, rank)));
    const Units right = block_of(right_of(p, rank), 0, p.block(right_of(p, rank)));
    mine.insert(mine.end(), right.begin(), right.end());
    return {p.block(rank), mine};
  }
  if (operation == "neighbor-alltoall") {
    // The left one sends its second block here, the right one its first.
    const int left = left_of(p, rank), right = right_of(p, rank);
    const auto between = [&](int from, int side) {
      if (!p.exchanges.empty()) return p.exchanges[from].sent[side];
      return p.block(side == 0 ? left_of(p, from) : right_of(p, from));
    };
    Units mine = block_of(left, between(left, 0), between(left, 1));
    const Units second = block_of(right, 0, between(right, 0));
    mine.insert(mine.end(), second.begin(), second.end());
    return {between(rank, 0) + between(rank, 1), mine};
  }
  if (operation == "allreduce") return {p.units, combined(p)};
  if (operation == "reduce-scatter") {
    Units mine;
    for (std::size_t unit = 0; unit < p.block(rank); ++unit) {
      mine.emplace_back();
      for (int from = 0; from < p.ranks; ++from)
        mine.back().push_back({from, p.block_offset(rank) + unit});
    }
    return {p.total(), mine};
  }
  if (operation == "scan") return {p.units, combined(p, rank + 1)};
  if (operation == "exscan") return {p.units, rank == 0 ? Units() : combined(p, rank)};
  EXPECT_EQ(operation, "barrier") << "say here what it does";
  return {0, {}};
}

TEST(CallName, NamesARootOnlyWhereThereIsOne) {
  EXPECT_EQ(text_of({Operation::gather, 3, 64}), "gather, root 3, 64 bytes");
  EXPECT_EQ(text_of({Operation::allreduce, 0, 8}), "allreduce, 8 bytes");
  EXPECT_EQ(text_of({Operation::allgather, 0, std::nullopt}), "allgather, blocks of any size");
  EXPECT_EQ(text_of({Operation::barrier, 0, 0}), "barrier");
  for (const Operation operation : all_operations()) {
    const auto read = parse_call_name(text_of({operation, 0, 64}) + ", after region a, b");
    ASSERT_TRUE(read) << name(operation);
    EXPECT_EQ(read->operation, operation);
    if (row(operation).has_bytes()) {
      EXPECT_EQ(read->block_bytes, 64u) << name(operation);
    }
  }
  // As older traces name it.
  EXPECT_EQ(parse_call_name("allreduce, root 0, 8 bytes")->block_bytes, 8u);
  EXPECT_TRUE(parse_call_name("barrier, root 0, 0 bytes, after region x"));
  EXPECT_FALSE(parse_call_name("gather, 64 bytes"));
  EXPECT_FALSE(parse_call_name("gather"));
  EXPECT_FALSE(parse_call_name("before MPI_Allreduce"));
  for (const auto& [place, operation] : std::initializer_list<std::pair<const char*, Operation>>{
           {"before MPI_Allreduce", Operation::allreduce},
           {"before PAT_Gather, ranks 0-3", Operation::gather},
           {"before MPI_Ialltoallw", Operation::alltoall},
           {"before MPI_Scatterv_init", Operation::scatter},
           {"before PAT_Neighbor_allgatherv_c", Operation::neighbor_allgather},
           {"before MPI_Ireduce_scatter_block", Operation::reduce_scatter},
           {"scan of any kind, after region x", Operation::scan},
           {"bcast, root 0, 8 bytes, after region x", Operation::bcast}})
    EXPECT_EQ(operation_of_place(place), operation) << place;
  for (const char* place :
       {"", "generated", "before noon", "before MPI_Init", "reduce of all kinds"})
    EXPECT_FALSE(operation_of_place(place)) << place;
}

TEST(Row, SaysWhatEachRankSendsAndIsPromised) {
  for (const Operation operation : all_operations())
    for (const Problem& problem : problems_of(operation))
      for (int rank = 0; rank < problem.ranks; ++rank) {
        const Expected want = expected(std::string(name(operation)), problem, rank);
        SCOPED_TRACE(std::string(name(operation)) + " P=" + std::to_string(problem.ranks) +
                     " root=" + std::to_string(problem.root) + " rank=" + std::to_string(rank));
        EXPECT_EQ(send_units(problem, rank), want.sent);
        ASSERT_EQ(recv_units(problem, rank), want.received.size());
        for (std::size_t unit = 0; unit < want.received.size(); ++unit) {
          const Promised promised = row(operation).promised(problem, rank, unit);
          std::vector<std::pair<int, std::size_t>> parts;
          for (int from = promised.first; from < promised.last; ++from)
            parts.push_back({from, promised.unit});
          EXPECT_EQ(parts, want.received[unit]) << "unit " << unit;
        }
      }
}

TEST(Row, PromisesWhatIsThere) {
  for (const Operation operation : all_operations())
    for (const Problem& problem : problems_of(operation))
      for (int rank = 0; rank < problem.ranks; ++rank)
        for (std::size_t unit = 0; unit < recv_units(problem, rank); ++unit) {
          const Promised promised = row(operation).promised(problem, rank, unit);
          ASSERT_LT(promised.first, promised.last) << name(operation);
          ASSERT_TRUE(row(operation).combines || promised.last == promised.first + 1)
              << name(operation);
          for (int from = promised.first; from < promised.last; ++from)
            ASSERT_LT(promised.unit, send_units(problem, from)) << name(operation);
        }
}

TEST(Row, IsFoundByItsName) {
  EXPECT_TRUE(operation_names().starts_with("gather, scatter, reduce, ")) << operation_names();
  EXPECT_EQ(operation_rows().size(), operation_count);
  for (const Operation operation : all_operations()) {
    EXPECT_EQ(row(operation).operation, operation) << name(operation);
    EXPECT_EQ(find_operation(name(operation)), operation) << name(operation);
  }
  EXPECT_EQ(find_operation(""), std::nullopt);
  EXPECT_EQ(find_operation("gathe"), std::nullopt);
  const auto scattered = [](const OperationRow& one) { return one.one_to_many(); };
  const auto both = [](const OperationRow& one) { return one.one_to_many() || one.many_to_one(); };
  EXPECT_EQ(operation_names_where(scattered, " or "), "scatter");
  EXPECT_EQ(operation_names_where(both, " or "), "gather or scatter");
}

bool has_schedule(Operation operation) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& one) {
    return one.operation == operation && one.build != nullptr;
  });
}

TEST(Row, NamesAlgorithmsThatThereAreAndThatDoWhatItSays) {
  for (const OperationRow& one : operation_rows()) {
    SCOPED_TRACE(std::string(one.name));
    EXPECT_NE(find_algorithm(one.operation, "mpi"), nullptr);
    EXPECT_EQ(one.combines, !one.fixed_order->empty());
    if (one.combines) {
      const Algorithm& fixed = get_algorithm(one.operation, one.fixed_order);
      EXPECT_FALSE(fixed.needs_commutative || fixed.uses_pattern);
      EXPECT_EQ(is_library(fixed), !has_schedule(one.operation));
    }
    EXPECT_EQ(one.v_plain->empty(), one.v_aware->empty());
    EXPECT_EQ(one.v_plain->empty(), !one.has_v_form() || one.counts_are_known());
    for (const bool aware : {false, true}) {
      const std::string_view star = aware ? one.v_aware : one.v_plain;
      if (star.empty()) continue;
      const Algorithm& algorithm = get_algorithm(one.operation, star);
      EXPECT_FALSE(algorithm.needs_all_counts || algorithm.background);
      EXPECT_EQ(algorithm.uses_pattern, aware);
    }
    const StudiedPair& study = one.study;
    EXPECT_EQ(study.informed.empty(), !follows_arrivals(one.operation));
    if (study.informed.empty()) continue;
    EXPECT_TRUE(get_algorithm(one.operation, study.informed).uses_pattern);
    EXPECT_FALSE(get_algorithm(one.operation, study.plain).uses_pattern);
  }
}

TEST(Row, ThereIsNoneWhereNobodySaidWhich) {
  EXPECT_EQ(Problem().operation, no_operation);
  EXPECT_THROW(row(Problem().operation), std::out_of_range);
  EXPECT_THROW(static_cast<void>(name(no_operation)), std::out_of_range);
}

TEST(Row, LandsEarlyWhatIsOnlyMoved) {
  for (const OperationRow& one : operation_rows())
    EXPECT_EQ(one.lands_early, one.has_bytes() && !one.combines) << std::string(one.name);
}

}  // namespace
}  // namespace pat
