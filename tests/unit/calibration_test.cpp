// What was measured of a machine, and what it does to the prices.

#include "collectives/cost/calibration.hpp"

#include <gtest/gtest.h>

#include "collectives/cost/select.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

Problem gather_of(int ranks, std::size_t block_bytes) {
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = ranks;
  problem.units = block_bytes;
  return problem;
}

Calibration example() {
  Calibration calibration;
  calibration.messages = {{64, {1e-5, 0.0, 1e-10}}, {65536, {2e-5, 8e-9, 2e-10}}};
  calibration.rounds = {{1024, 1e-5}, {4096, 4e-5}};
  calibration.shared = {4e-6, 2e-9};
  calibration.collectives = {{Operation::gather, "mpi", 8, 1000, 1e-3},
                             {Operation::gather, "mpi", 8, 4000, 4e-3},
                             {Operation::gather, "bsls", 8, 1000, 2e-3}};
  return calibration;
}

/// What a stream has learnt of what all share goes with what it has learnt of the ways.
TEST(Calibration, WhatWasLearntOfTheSharedIsItsFirstCorrection) {
  const Problem problem = gather_of(8, 1000);
  const CostModel model{.shared = {1e-6, 1e-9}};
  Calibration calibration;
  EXPECT_EQ(price(problem, model, calibration).beliefs.shared_correction(), 1.0);
  calibration.learnt = {{Operation::gather, Calibration::Learnt::shared, 8, 1000, 0, 3.0, 0.1, 5}};
  const Calibration kept = parse_calibration(to_json(calibration));
  const Prices prices = price(problem, model, kept);
  EXPECT_DOUBLE_EQ(prices.beliefs.shared_correction(), 3.0);
  EXPECT_DOUBLE_EQ(prices.beliefs.sd(prices.beliefs.shared_way()), 0.1);
  EXPECT_DOUBLE_EQ(prices.model.shared.s_per_byte, 3e-9);
  EXPECT_FALSE(price(problem, {}, kept).model.shared.any()) << "nothing is shared";
}

const Algorithm& mpi() {
  return get_algorithm(Operation::gather, "mpi");
}

TEST(Calibration, ComesBackFromItsDocument) {
  const Calibration sent = example(), got = parse_calibration(to_json(sent));
  ASSERT_EQ(got.messages.size(), 2u);
  ASSERT_EQ(got.collectives.size(), 3u);
  ASSERT_EQ(got.rounds.size(), 2u);
  EXPECT_EQ(got.rounds[1].bytes, 4096u);
  EXPECT_EQ(got.shared.message_s, sent.shared.message_s);
  EXPECT_EQ(got.shared.s_per_byte, sent.shared.s_per_byte);
  EXPECT_EQ(got.rounds[1].round_s, 4e-5);
  EXPECT_EQ(got.messages[1].bytes, 65536u);
  EXPECT_EQ(got.messages[1].cost.beta_s_per_byte, 8e-9);
  EXPECT_EQ(got.collectives[2].algorithm, "bsls");
  EXPECT_EQ(got.collectives[2].flat_s, 2e-3);
}

TEST(Calibration, RefusesWhatIsNone) {
  for (
      const char* bad :
      {"", "nonsense", "[]", "{}", R"({"format":"pat-calibration 2"})",
       R"({"format":"pat-calibration 1","messages":[{"bytes":-1}]})",
       R"({"format":"pat-calibration 1","messages":3})",
       R"({"format":"pat-calibration 1","messages":[{"bytes":8,"alpha_s":-1,"beta_s_per_byte":0,"gamma_s_per_byte":0}]})",
       R"({"format":"pat-calibration 1","rounds":[{"bytes":8,"round_s":0}]})",
       R"({"format":"pat-calibration 1","rounds":[{"bytes":0,"round_s":1e-5}]})",
       R"({"format":"pat-calibration 1","rounds":[{"bytes":8,"round_s":1e-5},{"bytes":8,"round_s":1e-5}]})",
       R"({"format":"pat-calibration 1","collectives":[{"operation":"dance"}]})",
       R"({"format":"pat-calibration 1","collectives":[{"operation":"gather","algorithm":"ls","ranks":2,"block_bytes":8,"flat_s":0}]})"})
    EXPECT_THROW(parse_calibration(bad), Error) << bad;
}

TEST(Calibration, TakesTheCostOfTheNearestSize) {
  const LinkCost otherwise{1.0, 1.0, 1.0};
  EXPECT_EQ(example().link(100, otherwise).alpha_s, 1e-5);
  EXPECT_EQ(example().link(1 << 20, otherwise).alpha_s, 2e-5);
  EXPECT_EQ(Calibration{}.link(100, otherwise).alpha_s, 1.0);
}

TEST(Calibration, InterpolatesTheLengthOfARound) {
  const std::vector<RoundLength> measured = {{1000, 1e-5}, {4000, 4e-5}, {16000, 64e-5}};
  EXPECT_DOUBLE_EQ(length_of_round_s(measured, 10), 1e-5);
  EXPECT_DOUBLE_EQ(length_of_round_s(measured, 1000), 1e-5);
  EXPECT_NEAR(length_of_round_s(measured, 2000), 2e-5, 1e-12);
  EXPECT_NEAR(length_of_round_s(measured, 8000), 16e-5, 1e-12);
  EXPECT_NEAR(length_of_round_s(measured, 32000), 128e-5, 1e-12);
}

TEST(Calibration, InterpolatesBetweenMeasuredSizesOnly) {
  const Calibration calibration = example();
  EXPECT_DOUBLE_EQ(calibration.flat_s(mpi(), gather_of(8, 1000)), 1e-3);
  EXPECT_NEAR(calibration.flat_s(mpi(), gather_of(8, 2000)), 2e-3, 1e-9);
  EXPECT_NEAR(calibration.flat_s(mpi(), gather_of(8, 6000)), 6e-3, 1e-9);
  EXPECT_NEAR(calibration.flat_s(mpi(), gather_of(8, 600)), 1e-3, 1e-9);
  EXPECT_EQ(calibration.flat_s(mpi(), gather_of(8, 9000)), 0.0) << "too far from 4000";
  EXPECT_EQ(calibration.flat_s(mpi(), gather_of(7, 1000)), 0.0) << "other number of ranks";
  EXPECT_EQ(calibration.flat_s(get_algorithm(Operation::gather, "ls"), gather_of(8, 1000)), 0.0);
}

TEST(Calibration, KnowsWhatABarrierTakes) {
  Calibration calibration;
  calibration.collectives = {{Operation::barrier, "mpi", 8, 0, 5e-5},
                             {Operation::gather, "mpi", 8, 1000, 1e-3}};
  const Calibration read = parse_calibration(to_json(calibration));
  Problem problem;
  problem.operation = Operation::barrier;
  problem.ranks = 8;
  const Algorithm& barrier = get_algorithm(Operation::barrier, "mpi");
  EXPECT_EQ(read.flat_s(barrier, problem), 5e-5);
  problem.ranks = 9;
  EXPECT_EQ(read.flat_s(barrier, problem), 0.0);
}

TEST(Calibration, PricesTheLibraryAndTheCandidatesByWhatTheyTook) {
  const Problem problem = gather_of(8, 1000);
  const CostModel model;
  const Prices prices = price(problem, model, example());
  EXPECT_DOUBLE_EQ(prices.mpi.flat_s, 1e-3);
  bool seen = false;
  for (const Candidate& candidate : prices.candidates) {
    if (candidate.algorithm->name != "bsls") {
      EXPECT_GE(candidate.correction, 1.0) << candidate.algorithm->name << " was not measured";
      continue;
    }
    seen = true;
    Problem own = problem;
    const ArrivalPattern flat = ArrivalPattern::flat(8);
    const double simulated_s = simulate(build_schedule(*candidate.algorithm, own, flat), flat,
                                        corrected(model, candidate.correction))
                                   .run_time_s();
    if (candidate.window == 0) {
      EXPECT_NEAR(simulated_s, 2e-3, 1e-9);
    }
  }
  EXPECT_TRUE(seen);
}

TEST(Calibration, AnAlgorithmThatMeasuredSlowIsNotChosen) {
  const Problem problem = gather_of(8, 100'000);
  const CostModel model;
  ArrivalPattern pattern = ArrivalPattern::flat(8);
  for (int r = 0; r < 8; ++r) pattern.offset_s[static_cast<std::size_t>(7 - r)] = 1e-3 * r;
  const auto selected = [&](const Calibration& calibration) {
    const Prices prices = price(problem, model, calibration);
    return select(problem, pattern, model, prices.mpi, prices.candidates);
  };
  Calibration slow, hopeful;
  const double mpi_s = price(problem, model, {}).mpi.flat_s;
  for (const char* algorithm : {"mpi", "bsls"})
    hopeful.collectives.push_back({Operation::gather, algorithm, 8, 100'000, mpi_s});
  ASSERT_EQ(selected(hopeful).algorithm->name, "bsls") << selected(hopeful).reason;
  slow.collectives.push_back({Operation::gather, "mpi", 8, 100'000, mpi_s});
  for (const Candidate& candidate : candidates_for(problem))
    slow.collectives.push_back(
        {Operation::gather, candidate.algorithm->name, 8, 100'000, 10 * mpi_s});
  EXPECT_EQ(selected(slow).algorithm->name, "mpi") << selected(slow).reason;
}

TEST(Calibration, ABalancedCallGoesToWhatMeasuredFaster) {
  const Problem problem = gather_of(8, 100'000);
  const CostModel model;
  const ArrivalPattern flat = ArrivalPattern::flat(8);
  const auto selected = [&](double bsls_over_mpi) {
    Calibration measured;
    const double mpi_s = 1.5 * price(problem, model, {}).mpi.flat_s;
    measured.collectives = {{Operation::gather, "mpi", 8, 100'000, mpi_s},
                            {Operation::gather, "bsls", 8, 100'000, bsls_over_mpi * mpi_s}};
    for (const Candidate& one : candidates_for(problem))
      if (one.algorithm->name != "bsls")
        measured.collectives.push_back(
            {Operation::gather, one.algorithm->name, 8, 100'000, 2.0 * mpi_s});
    const Prices prices = price(problem, model, measured);
    return select(problem, flat, model, prices.mpi, prices.candidates);
  };
  EXPECT_EQ(selected(0.7).algorithm->name, "bsls") << selected(0.7).reason;
  EXPECT_EQ(selected(0.99).algorithm->name, "mpi") << selected(0.99).reason;
  EXPECT_EQ(selected(1.3).algorithm->name, "mpi") << selected(1.3).reason;
}

}  // namespace
}  // namespace pat
