// What a process holds of a stream of calls is linear in the number of processes, with the
// constants that docs/architecture.md tells. No MPI.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "collectives/algorithm.hpp"
#include "libpat/agreement/judge.hpp"
#include "libpat/agreement/kept_program.hpp"
#include "libpat/agreement/leader.hpp"
#include "tests/unit/held_bytes.hpp"

namespace pat::detail {
namespace {

constexpr std::array numbers_of_ranks = {64, 200, 1000, 4096};

/// What `make(ranks)` holds, bytes.
template <class Make>
long held_by(const Make& make, int ranks) {
  const long before = held_bytes;
  const auto made = make(ranks);
  return held_bytes - before;
}

/// Beside `fixed` bytes it is at most `a_rank` for each process, and no less than half of that.
template <class Make>
void expect_linear(const char* what, const Make& make, long fixed, double a_rank) {
  held_by(make, 2);  // what is made once for all
  for (const int ranks : numbers_of_ranks) {
    const long held = held_by(make, ranks);
    std::printf("%-28s P %5d: %8ld bytes, %6.1f a rank\n", what, ranks, held,
                static_cast<double>(held) / ranks);
    EXPECT_LE(static_cast<double>(held), static_cast<double>(fixed) + a_rank * ranks)
        << what << ", " << ranks << " ranks";
  }
  const double grown = static_cast<double>(held_by(make, numbers_of_ranks.back()) -
                                           held_by(make, numbers_of_ranks.front()));
  EXPECT_GE(grown, 0.5 * a_rank * (numbers_of_ranks.back() - numbers_of_ranks.front())) << what;
}

/// Another one for each call.
ArrivalPattern arrivals_of(int ranks, int call) {
  ArrivalPattern pattern{std::vector<double>(static_cast<std::size_t>(ranks)), {}, 0};
  for (int r = 0; r < ranks; ++r)
    pattern.offset_s[static_cast<std::size_t>(r)] = 1e-4 * ((r * 7 + call * 13) % 50);
  pattern.half_width_s.assign(pattern.offset_s.size(), 1e-5);
  return pattern;
}

Decision decision_of(int ranks, int call, const Algorithm& algorithm) {
  Decision decision;
  decision.first = static_cast<std::uint32_t>(call);
  decision.count = 1;
  decision.choose(algorithm);
  set_pattern(decision, arrivals_of(ranks, call));
  return decision;
}

TEST(MemoryARank, OfADecision) {
  const Algorithm& algorithm = get_algorithm(Operation::reduce, "clairvoyant");
  expect_linear(
      "a decision",
      [&](int ranks) { return std::make_unique<Decision>(decision_of(ranks, 1, algorithm)); }, 500,
      2.0);
}

/// After calls of which all have told.
TEST(MemoryARank, OfALeader) {
  const Algorithm& algorithm = get_algorithm(Operation::reduce, "clairvoyant");
  const auto make = [&](int ranks) {
    auto leader = std::make_unique<Leader>(ranks, 1024);
    for (std::uint32_t call = 1; call <= 8; ++call) {
      for (int rank = 0; rank < ranks; ++rank) {
        Report report;
        report.call = call + 1;
        report.past_call = call;
        report.past_arrival_ns = 1'000'000'000ll * call + rank;
        report.past_exit_ns = report.past_arrival_ns + 1'000'000;
        report.arrival_ns = report.past_arrival_ns + 1'000'000'000;
        leader->take(rank, report);
      }
      leader->measured();
      leader->lease(decision_of(ranks, static_cast<int>(call), algorithm), true);
    }
    return leader;
  };
  expect_linear("the leader's reports", make, 1000, 164.0);
}

/// After more decisions by `auto` than it remembers.
TEST(MemoryARank, OfAJudge) {
  const Config config;
  const Calibration calibration;
  const auto make = [&](int ranks) {
    StreamKind kind;
    kind.signature.operation = Operation::reduce;
    kind.signature.block_bytes = 1 << 20;
    kind.signature.unit_bytes = 8;
    kind.ranks = ranks;
    auto judge = std::make_unique<Judge>(config, calibration, kind);
    Leader leader(ranks, 1024);
    for (int call = 1; call <= 12; ++call) {
      const ArrivalPattern pattern = arrivals_of(ranks, call);
      Decision decision;
      decision.first = static_cast<std::uint32_t>(call);
      judge->decide(pattern, {}, 0, 1'000'000'000ll * call, decision);
      judge->set_lease(leader, pattern, decision);
    }
    return judge;
  };
  expect_linear("the leader's judge", make, 20'000, 34.0);
}

/// The program of one rank, as a stream keeps it: uncut, with the decision that it was made by.
auto program_of(Operation operation, const char* name, int rank) {
  return [operation, name, rank](int ranks) {
    const Algorithm& algorithm = get_algorithm(operation, name);
    Problem problem;
    problem.operation = operation;
    problem.ranks = ranks;
    problem.unit_bytes = 8;
    problem.units = 1 << 17;
    problem.only_rank = rank;
    problem.segments = 1;
    auto program = std::make_unique<KeptProgram>();
    program->get(problem, decision_of(ranks, 1, algorithm), nullptr);
    return program;
  };
}

TEST(MemoryARank, OfAProgramOfATree) {
  expect_linear("a tree's program", program_of(Operation::bcast, "knomial", 1), 2000, 2.0);
}

TEST(MemoryARank, OfAProgramOfAStar) {
  expect_linear("a star's leaf", program_of(Operation::gather, "bsls", 1), 2000, 2.0);
  expect_linear("a star's root", program_of(Operation::gather, "bsls", 0), 4000, 320.0);
}

TEST(MemoryARank, OfAProgramOfARing) {
  expect_linear("a ring's program", program_of(Operation::allreduce, "ring", 1), 4000, 950.0);
}

}  // namespace
}  // namespace pat::detail
