// What measurements share, without MPI: patterns, samples, and the engine.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>

#include "collectives/call_name.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "measure/delays.hpp"
#include "measure/engine.hpp"
#include "measure/sample.hpp"

namespace pat::measure {
namespace {

std::vector<double> many(const std::string& pattern, int ranks = 50, int iterations = 200) {
  const auto delays = make_delays(pattern, {ranks, 0, 42});
  std::vector<double> all;
  for (int i = 0; i < iterations; ++i)
    for (const double delay : delays->at(static_cast<std::uint64_t>(i))) all.push_back(delay);
  return all;
}

TEST(Delays, FixedPatternsDelayWhomTheyName) {
  using Row = std::vector<double>;
  const DelaysFor four{4, 2, 1};
  EXPECT_EQ(make_delays("none", four)->at(3), (Row{0, 0, 0, 0}));
  EXPECT_EQ(make_delays("single:1:5ms", four)->at(0), (Row{0, 5e-3, 0, 0}));
  EXPECT_EQ(make_delays("single:-1:5ms", four)->at(0), (Row{0, 0, 0, 5e-3}));
  EXPECT_EQ(make_delays("late-root:1s", four)->at(0), (Row{0, 0, 1, 0}));
  EXPECT_EQ(make_delays("alternating:1ms:2ms", four)->at(9), (Row{1e-3, 2e-3, 1e-3, 2e-3}));
}

TEST(Delays, FixedOnesAreEachRanksOwnAndStay) {
  const auto delays = make_delays("fixed:50ms", {100, 0, 1});
  const auto first = delays->at(0);
  EXPECT_EQ(delays->at(7), first);
  EXPECT_EQ(make_delays("fixed:50ms", {100, 0, 1})->at(3), first);
  EXPECT_NE(make_delays("fixed:50ms", {100, 0, 2})->at(3), first);
  EXPECT_NEAR(mean(first), 25e-3, 5e-3);
  EXPECT_LE(*std::max_element(first.begin(), first.end()), 50e-3);
  EXPECT_GT(*std::max_element(first.begin(), first.end()), 45e-3);
}

TEST(Delays, AWaveGoesRoundOnceInItsPeriod) {
  const auto delays = make_delays("wave:8ms:20", {10, 0, 1});
  const auto latest = [&](std::uint64_t iteration) {
    const auto row = delays->at(iteration);
    return std::max_element(row.begin(), row.end()) - row.begin();
  };
  for (const std::uint64_t iteration : {0, 2, 10, 18, 20, 1000010})
    EXPECT_EQ(latest(iteration), static_cast<long>(iteration % 20 / 2)) << iteration;
  const auto row = delays->at(4);
  EXPECT_DOUBLE_EQ(row[2], 8e-3);
  EXPECT_NEAR(row[7], 0.0, 1e-12);  // opposite the crest
  EXPECT_NEAR(mean(row), 4e-3, 1e-12);
  EXPECT_GT(row[3], row[4]);
}

TEST(Delays, AChangeComesAndGoes) {
  const auto delays = make_delays("change:3:single:-1:5ms", {2, 0, 1});
  for (std::uint64_t iteration = 0; iteration < 12; ++iteration)
    EXPECT_EQ(delays->at(iteration)[1], iteration / 3 % 2 == 1 ? 5e-3 : 0.0) << iteration;
  EXPECT_EQ(make_delays("change:3:uniform:5ms", {2, 0, 1})->at(4),
            make_delays("uniform:5ms", {2, 0, 1})->at(4));
}

TEST(Delays, RandomPatternsHaveTheirMoments) {
  const auto uniform = many("uniform:50ms");
  EXPECT_NEAR(mean(uniform), 25e-3, 0.5e-3);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 50e-3);
  EXPECT_NEAR(standard_deviation(uniform), 50e-3 / std::sqrt(12.0), 0.3e-3);
  const auto normal = many("normal:50ms:5ms");
  EXPECT_NEAR(mean(normal), 50e-3, 0.3e-3);
  EXPECT_NEAR(standard_deviation(normal), 5e-3, 0.2e-3);
  EXPECT_GE(quantile(many("normal:1ms:5ms"), 0.0), 0.0);
  const auto gamma = many("gamma:4:10ms");
  EXPECT_NEAR(mean(gamma), 40e-3, 1e-3);
  EXPECT_NEAR(standard_deviation(gamma), 20e-3, 1e-3);
  const auto bernoulli = many("bernoulli:0.25:8ms");
  EXPECT_NEAR(mean(bernoulli), 2e-3, 0.2e-3);
  for (const double delay : bernoulli) EXPECT_TRUE(delay == 0.0 || delay == 8e-3);
}

TEST(Delays, DependOnSeedAndIterationOnly) {
  const auto a = make_delays("uniform:1ms", {8, 0, 1});
  const auto again = make_delays("uniform:1ms", {8, 0, 1});
  const auto other = make_delays("uniform:1ms", {8, 0, 2});
  a->at(0);
  EXPECT_EQ(a->at(5), again->at(5));
  EXPECT_NE(a->at(5), a->at(6));
  EXPECT_NE(a->at(5), other->at(5));
}

TEST(Delays, TraceStartsOverAndCountsFromTheEarliest) {
  const std::string path = testing::TempDir() + "bench_delays.trace";
  Trace trace;
  trace.ranks = 2;
  trace.arrival_s = {0.5, 0.2, 0.1, 0.4};
  write_trace(trace, path);
  const auto delays = make_delays("trace:" + path, {2, 0, 1});
  EXPECT_NEAR(delays->at(0)[0], 0.3, 1e-9);
  EXPECT_EQ(delays->at(0)[1], 0.0);
  EXPECT_EQ(delays->at(3), delays->at(1));
  EXPECT_THROW(make_delays("trace:" + path, {3, 0, 1}), Error);
  EXPECT_THROW(make_delays("trace:/nowhere", {2, 0, 1}), Error);
}

TEST(Delays, OfATraceThatNamesItsCallsAreThoseOfOneOperationIfThatIsAsked) {
  const std::string path = testing::TempDir() + "delays_of_a_call.trace";
  Trace trace;
  trace.ranks = 2;
  trace.arrival_s = {0.0, 0.3, 0.2, 0.0, 0.0, 0.1};
  trace.places = {"gather, root 0, blocks of any size", "reduce-scatter, 8 bytes", "barrier"};
  trace.place = {2, 0, 1};
  write_trace(trace, path);
  const auto rows_of = [&](const char* function) {
    return make_delays("trace:" + path, {.ranks = 2, .operation = operation_of_function(function)});
  };
  EXPECT_NEAR(rows_of("MPI_Gatherv")->at(0)[0], 0.2, 1e-9);
  EXPECT_EQ(rows_of("MPI_Gather")->at(0), rows_of("MPI_Gather")->at(1));
  EXPECT_NEAR(rows_of("MPI_Reduce_scatter_block")->at(1)[1], 0.1, 1e-9);
  EXPECT_NEAR(rows_of("MPI_Barrier")->at(1)[1], 0.3, 1e-9);
  const auto of_any = make_delays("trace:" + path, {.ranks = 2});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(rows_of("MPI_Bcast")->at(i), of_any->at(i));
}

TEST(Delays, CanBeCountedInNanoseconds) {
  for (const char* pattern : {"normal:1e9s:1e9s", "gamma:1e9:1e9s", "wave:1e9s:20"})
    for (const double delay : many(pattern)) EXPECT_LE(delay, 1e9) << pattern;
}

TEST(Delays, RefuseWhatTheyCannotRead) {
  for (const char* wrong : {"",
                            "nune",
                            "none:1",
                            "single:4:1ms",
                            "single:x:1ms",
                            "single:1",
                            "uniform",
                            "uniform:5",
                            "uniform:-1ms",
                            "uniform:1e300s",
                            "gamma:0:1ms",
                            "bernoulli:1.5:1ms",
                            "normal:1ms",
                            "alternating:1ms",
                            "trace",
                            "trace:",
                            "late-root",
                            "fixed",
                            "fixed:5",
                            "wave:5ms",
                            "wave:5ms:0",
                            "wave:5ms:1.5",
                            "wave:5ms:x",
                            "change:3",
                            "change:0:none",
                            "change:3:nune",
                            "change:3:change:3:none"})
    EXPECT_THROW(make_delays(wrong, {4, 0, 1}), Error) << wrong;
}

TEST(Sample, IsComputedFromAllRanks) {
  //                        start planned arrival exit forecast
  const std::vector<RankTimes> ranks = {
      {0.0, 1.0, 1.0, 5.0, 1.5}, {0.1, 2.0, 2.2, 3.0, -1.0}, {0.0, 4.0, 4.0, 4.5, 3.0}};
  const Sample sample = evaluate(ranks);
  EXPECT_DOUBLE_EQ(sample.run_s, 4.0);
  EXPECT_DOUBLE_EQ(sample.whole_s, 5.0);
  EXPECT_DOUBLE_EQ(sample.elapsed_mean_s, (4.0 + 0.8 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(sample.elapsed_max_s, 4.0);
  EXPECT_DOUBLE_EQ(sample.imbalance_s, 3.0);
  EXPECT_DOUBLE_EQ(sample.start_skew_s, 0.1);
  EXPECT_NEAR(sample.lateness_s, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(sample.forecast_error_s, 0.75);
  ASSERT_EQ(sample.waiting_s.size(), 3u);
  EXPECT_DOUBLE_EQ(sample.waiting_s[0], 3.0);        // until the last one came
  EXPECT_DOUBLE_EQ(sample.waiting_s[1], 3.0 - 2.2);  // left before that
  EXPECT_DOUBLE_EQ(sample.waiting_s[2], 0.0);
  EXPECT_THROW(evaluate({}), Error);
}

/// An engine whose clock is counted by hand: synchronising takes 1, computing as told, operating 2.
struct FakeRank {
  double clock = 0.0;
  std::vector<std::string> log;
  double oversleeps_s = 0.0;
  int stop_after = -1, wrong_at = -1, measured = 0;

  Hooks hooks() {
    Hooks h;
    h.prepare = [this](const Entry& e, std::uint64_t i) {
      log.push_back(e.algorithm + std::to_string(i));
    };
    h.synchronise = [this] { clock += 1.0; };
    h.compute = [this](const Entry& e, std::uint64_t, RankTimes& t) {
      t.start_s = clock;
      t.planned_s = e.balanced ? 1.0 : 3.0;
      clock += t.planned_s + oversleeps_s;
    };
    h.operate = [this](const Entry&) { clock += 2.0; };
    h.check = [this](const Entry&, std::uint64_t) -> std::optional<std::string> {
      if (measured++ == wrong_at) return "rank 0 has a wrong element at index 7.";
      return std::nullopt;
    };
    h.now_s = [this] { return clock; };
    h.collect = [this](const RankTimes& t, const std::optional<std::string>& wrong) {
      return Hooks::Collected{{t}, measured == stop_after, wrong};
    };
    return h;
  }
};

Plan two_algorithms() {
  Plan plan;
  plan.entries = {{"a", false}, {"b", true}};
  plan.warmup = 1;
  plan.iterations = 3;
  return plan;
}

TEST(Engine, InterleavesAndLeavesTheWarmUpOut) {
  FakeRank rank;
  Engine engine(two_algorithms(), rank.hooks());
  const auto measured = engine.run();
  EXPECT_EQ(rank.log, (std::vector<std::string>{"a0", "b0", "b1", "a1", "a2", "b2", "b3", "a3"}));
  ASSERT_EQ(measured.size(), 2u);
  for (const Measured& m : measured) {
    ASSERT_EQ(m.samples.size(), 3u);
    EXPECT_DOUBLE_EQ(m.samples[0].run_s, 2.0);
    EXPECT_EQ(m.dropped, 0);
  }
  EXPECT_FALSE(engine.stopped());
  EXPECT_EQ(Engine::measurements(two_algorithms()), 8);
}

TEST(Engine, GivesEachItsTurnInBlocks) {
  FakeRank rank;
  Plan plan = two_algorithms();
  plan.block = 2;
  plan.iterations = 4;
  const auto measured = Engine(plan, rank.hooks()).run();
  EXPECT_EQ(rank.log,
            (std::vector<std::string>{"a0", "a1", "b0", "b1", "b2", "b3", "a2", "a3", "a4", "b4"}));
  for (const Measured& m : measured) {
    ASSERT_EQ(m.samples.size(), 4u);  // the first is the warm-up
    EXPECT_EQ(m.samples.front().iteration, 1u);
    EXPECT_EQ(m.samples.back().iteration, 4u);
  }
  EXPECT_EQ(Engine::measurements(plan), 10);
}

TEST(Engine, DropsAndCountsLateWakeUps) {
  FakeRank rank;
  rank.oversleeps_s = 0.01;
  const auto measured = Engine(two_algorithms(), rank.hooks()).run();
  EXPECT_EQ(measured[0].dropped, 3);
  EXPECT_TRUE(measured[0].samples.empty());
}

TEST(Engine, KeepsWhatItHasWhenStopped) {
  FakeRank rank;
  rank.stop_after = 5;
  Engine engine(two_algorithms(), rank.hooks());
  const auto measured = engine.run();
  EXPECT_TRUE(engine.stopped());
  EXPECT_EQ(measured[0].samples.size(), 2u);
  EXPECT_EQ(measured[1].samples.size(), 1u);
}

TEST(Engine, ShowsWhatItHasWhileItRuns) {
  FakeRank rank;
  Engine* running = nullptr;
  std::vector<std::size_t> seen;
  Hooks hooks = rank.hooks();
  hooks.progress = [&](long) { seen.push_back(running->measured()[0].samples.size()); };
  Engine engine(two_algorithms(), hooks);
  running = &engine;
  engine.run();
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 0, 1, 2, 2, 2, 3}));
}

TEST(Engine, EndsWithAWrongResult) {
  FakeRank rank;
  rank.wrong_at = 3;
  try {
    Engine(two_algorithms(), rank.hooks()).run();
    FAIL() << "the wrong result went unnoticed";
  } catch (const WrongResult& wrong) {
    const std::string sentence = wrong.what();
    EXPECT_NE(sentence.find("'a', iteration 1"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("rank 0 has a wrong element at index 7"), std::string::npos);
  }
}

TEST(Effort, IsFullForFewSamplesAndBoundedForMany) {
  const Effort full;
  std::vector<Series> all(3);
  EXPECT_EQ(quick_effort(all), full);
  for (Series& series : all) series.samples.resize(20);
  EXPECT_EQ(quick_effort(all), full);
  for (Series& series : all) series.samples.resize(3000);
  const Effort quick = quick_effort(all);
  EXPECT_LT(quick.permutations, full.permutations);
  EXPECT_LT(quick.permutations * 9000.0, 4e7);
  EXPECT_GE(quick.resamples, 20);
}

}  // namespace
}  // namespace pat::measure
