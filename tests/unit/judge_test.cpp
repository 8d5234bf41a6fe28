// What the leader learns from calls that are over, and how it decides.

#include "libpat/agreement/judge.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "collectives/cost/learn.hpp"
#include "libpat/agreement/choice.hpp"

namespace pat::detail {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// mpi and two more ways, none of them measured.
Prices unmeasured() {
  Prices prices{{}, {}, {}};
  prices.candidates = {{.algorithm = &get_algorithm(Operation::gather, "sls"), .way = 1},
                       {.algorithm = &get_algorithm(Operation::gather, "ls"), .way = 2}};
  prices.beliefs = Beliefs({{1.0, 0.6, false}, {1.0, 0.35, false}, {1.0, 0.35, false}}, 1.0);
  take_over(prices);
  return prices;
}

TEST(Learn, FindsTheCorrectionFromCallsThatTellOfIt) {
  Prices prices = unmeasured();
  const Candidate& candidate = prices.candidates[0];
  for (int call = 0; call < 12; ++call)
    learn(prices, 1, {.run_time_s = 3e-3, .simulated_s = 2e-3 * candidate.correction});
  EXPECT_NEAR(candidate.correction, 1.5, 0.05);
  EXPECT_EQ(candidate.samples, 12);
  EXPECT_EQ(prices.candidates[1].samples, 0);
}

TEST(Learn, WhatOneWayTellsOfTheLinksHoldsForTheOthers) {
  Prices prices = unmeasured();
  const double sd = prices.candidates[0].log_sd;
  for (int call = 0; call < 4; ++call)
    learn(prices, MpiPrice::way, {.run_time_s = 0.1, .simulated_s = 0.01 * prices.mpi.correction});
  EXPECT_NEAR(prices.mpi.correction, 10.0, 1.0);
  for (const Candidate& candidate : prices.candidates) {
    EXPECT_GT(candidate.correction, 4.0);
    EXPECT_LT(candidate.correction, 8.0) << "part of it is the library's own";
    EXPECT_LT(candidate.log_sd, 1.3 * sd);
  }
  learn(prices, 1, {.run_time_s = 0.05, .simulated_s = 0.01 * prices.candidates[0].correction});
  EXPECT_LT(prices.candidates[0].log_sd, 0.25) << "both were measured";
}

TEST(Learn, WhatIsSharedIsToldByCallsThatGoWithIt) {
  // Two ways whose messages were priced well, but for cores that carry half as much as was thought:
  // together three quarters of a call go with that, with one process late a tenth of what is left.
  Prices prices = unmeasured();
  prices.shared = {0.0, 1e-9};
  prices.beliefs =
      Beliefs({{1.0, 0.6, false}, {1.0, 0.35, false}, {1.0, 0.35, false}}, 1.0, {.own_sd = 0.3});
  take_over(prices);
  const auto call = [&](std::size_t way, double correction, bool late) {
    const double own = late ? 0.9 : 0.25, both = 1.0 - own;
    const double shared = prices.beliefs.shared_correction();
    const double late_s = late ? 20e-3 : 0.0;
    learn(prices, way,
          {.run_time_s = late_s + 10e-3 * (own + 2.0 * both),
           .simulated_s = late_s + 10e-3 * correction * (own + shared * both),
           .spread_s = late_s,
           .shared_share = 10e-3 * correction * shared * both /
                           (late_s + 10e-3 * correction * (own + shared * both))});
  };
  for (int round = 0; round < 40; ++round)
    for (const std::size_t way : {0, 1}) {
      call(way, prices.beliefs.correction(way), false);
      call(way, prices.beliefs.correction(way), true);
    }
  EXPECT_NEAR(prices.beliefs.shared_correction(), 2.0, 0.4);
  EXPECT_NEAR(prices.beliefs.correction(0), 1.0, 0.15) << "what is shared is no fault of the way";
  EXPECT_NEAR(prices.candidates[0].correction, 1.0, 0.15);
  EXPECT_DOUBLE_EQ(prices.model.shared.s_per_byte, 1e-9 * prices.beliefs.shared_correction());
}

TEST(Learn, CallsOfOneKindDoNotCarryWhatIsSharedAway) {
  Prices prices = unmeasured();
  prices.shared = {1e-6, 0.0};
  prices.beliefs =
      Beliefs({{1.0, 0.6, false}, {1.0, 0.35, false}, {1.0, 0.35, false}}, 1.0, {.own_sd = 0.6});
  take_over(prices);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int call = 0; call < 20000; ++call) {
    const std::size_t way = call % 50 == 0 ? 1 : 0;
    const double shared = prices.beliefs.shared_correction();
    const double now = 0.4 + 0.6 * shared;
    learn(prices, way,
          {.run_time_s = 1e-3 * std::exp(0.15 * normal(random)),
           .simulated_s = 1e-3 * prices.beliefs.correction(way) * now,
           .shared_share = 0.6 * shared / now});
  }
  EXPECT_GT(prices.beliefs.shared_correction(), 0.5);
  EXPECT_LT(prices.beliefs.shared_correction(), 2.0);
}

TEST(Learn, ATrialShowsLessWhereMoreIsKnown) {
  Prices prices = unmeasured();
  const Candidate& candidate = prices.candidates[0];
  const auto measure = [&](std::size_t way, double& correction) {
    for (int call = 0; call < 6; ++call)
      learn(prices, way, {.run_time_s = 2e-3, .simulated_s = 2e-3 * correction});
  };
  const double at_first = candidate.log_step;
  measure(candidate.way, prices.candidates[0].correction);
  EXPECT_LT(candidate.log_step, 0.5 * at_first);
  EXPECT_GT(candidate.log_sd, 0.3) << "the library's own is not known, which no call of it shows";
  measure(MpiPrice::way, prices.mpi.correction);
  EXPECT_LT(candidate.log_step, 0.05);
  EXPECT_LE(candidate.log_step, candidate.log_sd);
}

TEST(Learn, AWayThatIsNotTakenIsKnownLessWithEachCall) {
  Prices prices = unmeasured();
  const Candidate &slow = prices.candidates[0], &taken = prices.candidates[1];
  const auto call = [&](std::size_t way, double& correction) {
    learn(prices, way, {.run_time_s = 2e-3, .simulated_s = 2e-3 * correction});
  };
  for (int i = 0; i < 6; ++i) {
    call(MpiPrice::way, prices.mpi.correction);
    call(slow.way, prices.candidates[0].correction);
  }
  const double step = slow.log_step, correction = slow.correction;
  for (int i = 0; i < 200; ++i) call(taken.way, prices.candidates[1].correction);
  EXPECT_GT(slow.log_step, 2.0 * step) << "a trial shows something again";
  EXPECT_NEAR(slow.correction, correction, 0.02);
  EXPECT_LT(taken.log_step, step);
  for (int i = 0; i < 5000; ++i) call(taken.way, prices.candidates[1].correction);
  EXPECT_LT(slow.log_sd, 0.4) << "but never as much as what was never measured";
}

TEST(Learn, WhereCallsDifferMuchAFewSayLess) {
  Prices calm = unmeasured(), rough = unmeasured();
  for (int i = 0; i < 40; ++i) {
    const double off = i % 2 == 0 ? 2.0 : 0.5;
    for (const std::size_t way : {std::size_t{0}, std::size_t{2}}) {
      const auto correction = [&](const Prices& prices) { return prices.beliefs.correction(way); };
      learn(calm, way, {.run_time_s = 2e-3, .simulated_s = 2e-3 * correction(calm)});
      learn(rough, way, {.run_time_s = 2e-3 * off, .simulated_s = 2e-3 * correction(rough)});
    }
  }
  EXPECT_DOUBLE_EQ(calm.beliefs.noise_sd(), Beliefs::least_noise_sd);
  EXPECT_GT(rough.beliefs.noise_sd(), 0.35);
  for (Prices* prices : {&calm, &rough})
    learn(*prices, 1, {.run_time_s = 2e-3, .simulated_s = 2e-3 * prices->candidates[0].correction});
  EXPECT_GT(rough.candidates[0].log_sd, 1.4 * calm.candidates[0].log_sd) << "after one call";
}

TEST(Learn, ACallIsSlowByAccidentButNotFast) {
  Prices slow = unmeasured(), fast = unmeasured();
  for (Prices* prices : {&slow, &fast}) {
    for (int i = 0; i < 8; ++i)
      learn(*prices, MpiPrice::way,
            {.run_time_s = 2e-3, .simulated_s = 2e-3 * prices->mpi.correction});
    ASSERT_NEAR(prices->mpi.correction, 1.0, 0.01);
  }
  learn(slow, MpiPrice::way, {.run_time_s = 6e-3, .simulated_s = 2e-3});
  EXPECT_LT(slow.mpi.correction, 1.15);
  learn(fast, MpiPrice::way, {.run_time_s = 2e-3 / 3.0, .simulated_s = 2e-3});
  EXPECT_NEAR(fast.mpi.correction, 1.0 / 3.0, 0.05) << "at once";
  // Of a call in which nearly all is waiting that is not concluded.
  learn(slow, MpiPrice::way,
        {.run_time_s = 1e-3, .simulated_s = 3e-3 * slow.mpi.correction, .spread_s = 2.9e-3});
  EXPECT_GT(slow.mpi.correction, 0.9);
}

/// Calls of which `waiting_s` is waiting and `own_s` goes with the price, which is `times` too low.
double learnt_from(int calls, double waiting_s, double own_s, double times) {
  Prices prices = unmeasured();
  const double run_time_s = waiting_s + times * own_s;
  for (int i = 0; i < calls; ++i) {
    const double simulated_s = waiting_s + prices.mpi.correction * own_s;
    learn(prices, MpiPrice::way, {run_time_s, simulated_s, waiting_s});
  }
  return prices.mpi.correction;
}

TEST(Learn, APriceThatWasFarTooLowIsFoundByOneCallThatTellsSo) {
  EXPECT_NEAR(learnt_from(1, 7e-3, 3e-3, 5.0), 5.0, 1.0) << "and not beyond";
  EXPECT_NEAR(learnt_from(1, 5e-3, 5e-3, 3.0), 3.0, 0.6);
  const double nearly_all_waiting = learnt_from(1, 9.5e-3, 0.5e-3, 20.0);
  EXPECT_GT(nearly_all_waiting, 10.0);
  EXPECT_LT(nearly_all_waiting, 20.0);
  EXPECT_NEAR(learnt_from(6, 9.9e-3, 0.1e-3, 100.0), 100.0, 50.0);
}

TEST(Learn, AFirstCallMayBeSlowForBeingTheFirst) {
  Prices known = unmeasured();
  for (int i = 0; i < 8; ++i)
    learn(known, MpiPrice::way, {.run_time_s = 2e-3, .simulated_s = 2e-3 * known.mpi.correction});
  const auto after_a_call_of = [&](double run_time_s) {
    Prices prices = known;
    learn(prices, 1,
          {.run_time_s = run_time_s, .simulated_s = 2e-3 * prices.candidates[0].correction});
    return prices;
  };
  Prices slow = after_a_call_of(5e-3);
  EXPECT_LT(slow.candidates[0].correction, 1.7);
  EXPECT_LT(slow.candidates[1].correction, 1.5) << "nor need the others be slow";
  learn(slow, 1, {.run_time_s = 2e-3, .simulated_s = 2e-3 * slow.candidates[0].correction});
  EXPECT_NEAR(slow.candidates[0].correction, 1.0, 0.15) << "as the next call shows";
  learn(slow, 1, {.run_time_s = 2e-3, .simulated_s = 2e-3 * slow.candidates[0].correction});
  EXPECT_NEAR(slow.candidates[0].correction, 1.0, 0.1);
  EXPECT_GT(after_a_call_of(2.4e-3).candidates[0].correction, 1.13) << "not all of it is chance";
}

TEST(Learn, SoItIsWhereAnEarlierRunHasMeasuredIt) {
  const auto after_a_slow_call = [](int samples) {
    Prices prices = unmeasured();
    prices.candidates[0].samples = samples;  // as a file says
    learn(prices, 1, {.run_time_s = 5e-3, .simulated_s = 2e-3});
    return prices.candidates[0].correction;
  };
  EXPECT_EQ(after_a_slow_call(9), after_a_slow_call(0));
}

TEST(Learn, WhatArrivalsExplainTellsNothing) {
  Prices prices = unmeasured();
  learn(prices, 1, {.run_time_s = 0.120, .simulated_s = 0.100, .spread_s = 0.0999});
  EXPECT_NEAR(prices.candidates[0].correction, 1.0, 0.02);
}

TEST(Learn, AnAccidentAndAPoorClockMoveItLittle) {
  Prices prices = unmeasured();
  for (int call = 0; call < 30; ++call) learn(prices, 1, {.run_time_s = 2e-3, .simulated_s = 2e-3});
  learn(prices, 1, {.run_time_s = 2.0, .simulated_s = 2e-3});
  EXPECT_LT(prices.candidates[0].correction, 1.15);
  Prices tiny = unmeasured();
  learn(tiny, 1, {.run_time_s = 9e-6, .simulated_s = 3e-6, .error_s = 10e-6});
  EXPECT_LT(tiny.candidates[0].correction, 1.2);
  for (const double nonsense : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    learn(tiny, 1, {.run_time_s = nonsense, .simulated_s = 1e-3});
  EXPECT_EQ(tiny.candidates[0].samples, 1);
}

/// What another stream has learnt of sls, in blocks of so many bytes.
Calibration::Learnt of_sls(std::size_t bytes, double correction, int samples = 5) {
  return {.operation = Operation::gather,
          .algorithm = "sls",
          .ranks = 8,
          .block_bytes = bytes,
          .correction = correction,
          .log_sd = 0.05,
          .samples = samples};
}

Problem gather_of(std::size_t bytes) {
  Problem problem;
  problem.operation = Operation::gather;
  problem.ranks = 8;
  problem.units = bytes;
  return problem;
}

TEST(Learn, TheShareOfWhatIsSharedIsByHowMuchACallGoesWithIt) {
  Problem problem = gather_of(1000);
  problem.operation = Operation::allgather;
  const ArrivalPattern together = ArrivalPattern::flat(8);
  const auto share = [&](double s_per_byte, const ArrivalPattern& arrivals) {
    const CostModel model{.alpha_s = 0.0, .beta_s_per_byte = 1e-9, .shared = {0.0, s_per_byte}};
    const Planned plan(get_algorithm(Operation::allgather, "ring"), problem, arrivals, model);
    return plan.shared_share(arrivals, plan.run_time_s(arrivals));
  };
  EXPECT_NEAR(share(1e-8, together), 1.0, 1e-6) << "eight messages at once wait for nothing else";
  EXPECT_EQ(share(1e-11, together), 0.0) << "links keep them back for longer";
  EXPECT_EQ(share(0.0, together), 0.0) << "nothing is";
  ArrivalPattern late = together;
  late.offset_s[3] = 1.0;
  EXPECT_GT(share(1e-8, late), 0.0);
  EXPECT_LT(share(1e-8, late), 0.01) << "most of it is waiting";
}

TEST(Hear, MovesAWayTheMoreTheNearerTheSizeIs) {
  double before = 2.0, sd_before = 0.0;
  for (const std::size_t bytes : {65536u, 131072u, 262144u, 524288u}) {
    Prices prices = unmeasured();
    std::set<std::size_t> heard;
    hear(prices, gather_of(65536), {of_sls(bytes, 2.0)}, heard);
    const bool too_far = bytes == 524288u;
    EXPECT_EQ(heard.empty(), too_far) << bytes;
    const double correction = prices.candidates[0].correction;
    if (too_far) {
      EXPECT_EQ(correction, 1.0);
      continue;
    }
    EXPECT_LT(correction, before) << bytes;
    EXPECT_GT(correction, 1.5) << bytes;
    EXPECT_GT(prices.beliefs.sd(1), sd_before) << bytes;
    EXPECT_EQ(prices.candidates[0].samples, 0) << "no call of it was made here";
    before = correction;
    sd_before = prices.beliefs.sd(1);
  }
}

TEST(Hear, OnceAndOfTheNearest) {
  Prices prices = unmeasured();
  std::set<std::size_t> heard;
  const std::vector<Calibration::Learnt> others = {of_sls(32768, 0.5), of_sls(65536, 2.0),
                                                   of_sls(65536, 8.0, 0)};
  EXPECT_GT(hear(prices, gather_of(65536), others, heard), 0.5);
  EXPECT_GT(prices.candidates[0].correction, 1.5);
  EXPECT_EQ(hear(prices, gather_of(65536), others, heard), 0.0);
}

TEST(Hear, WhatAllShareBesideTheWays) {
  // It is a fifth of what was measured, and the way is as priced: without that the way would seem
  // to cost five times what it does.
  Calibration::Learnt shared = of_sls(65536, 0.2);
  shared.algorithm = Calibration::Learnt::shared;
  for (const bool any : {true, false}) {
    Prices prices = unmeasured();
    if (any) prices.shared = {0.0, 1e-9};
    prices.beliefs = Beliefs({{1.0, 0.6, false}, {1.0, 0.35, false}, {1.0, 0.35, false}}, 1.0,
                             {.own_sd = any ? 0.6 : 0.0});
    std::set<std::size_t> heard;
    hear(prices, gather_of(65536), {shared, of_sls(65536, 1.0)}, heard);
    EXPECT_NEAR(prices.beliefs.shared_correction(), any ? 0.2 : 1.0, 0.05);
    EXPECT_NEAR(prices.candidates[0].correction, 1.0, 0.1);
    EXPECT_NEAR(prices.model.shared.s_per_byte, any ? 0.2e-9 : 0.0, 0.05e-9);
  }
}

TEST(Hear, NothingOfTheLibraryWhereItRunsAnotherAlgorithm) {
  Calibration::Learnt mpi = of_sls(65536, 3.0);
  mpi.algorithm = "mpi";
  for (const char* stand_in : {"ls", "bnom"}) {
    Prices prices = unmeasured();
    prices.mpi.stand_in = &get_algorithm(Operation::gather, "ls");
    mpi.stand_in = stand_in;
    std::set<std::size_t> heard;
    hear(prices, gather_of(65536), {mpi}, heard);
    EXPECT_EQ(prices.mpi.correction > 2.0, std::string(stand_in) == "ls") << stand_in;
  }
}

Report over(std::uint32_t call, std::int64_t arrival_ns, std::int64_t exit_ns) {
  Report report;
  report.call = call + 1;
  report.past_call = call;
  report.past_arrival_ns = arrival_ns;
  report.past_exit_ns = exit_ns;
  return report;
}

TEST(Leader, KnowsHowACallWentOnceAllHaveToldIt) {
  Leader leader(3, 64);
  EXPECT_FALSE(leader.measured());
  leader.take(0, over(4, 100 * ms, 120 * ms));
  leader.take(1, over(4, 105 * ms, 118 * ms));
  EXPECT_FALSE(leader.measured());
  leader.take(2, over(3, 20 * ms, 30 * ms));
  EXPECT_FALSE(leader.measured()) << "of another call";
  leader.take(2, over(4, 102 * ms, 121 * ms));
  const auto call = leader.measured();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->call, 4u);
  EXPECT_NEAR(call->run_time_s, 0.021, 1e-12);
  EXPECT_NEAR(call->arrivals.offset_s[1], 0.005, 1e-12);
  EXPECT_FALSE(leader.measured()) << "given once";
  leader.take(0, over(5, 200 * ms, 190 * ms));
  leader.take(1, Report{});
  EXPECT_FALSE(leader.measured()) << "no times, no call";
}

TEST(Leader, KnowsHowACallWentThoughSomeHaveGoneOn) {
  Leader leader(3, 64);
  leader.take(0, over(4, 100 * ms, 120 * ms));
  leader.take(1, over(4, 105 * ms, 118 * ms));
  leader.take(1, over(5, 121 * ms, 125 * ms));
  leader.take(2, over(4, 102 * ms, 140 * ms));  // the others have come to the next call by then
  const auto call = leader.measured();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->call, 4u);
  EXPECT_NEAR(call->run_time_s, 0.040, 1e-12);
  leader.take(0, over(5, 123 * ms, 150 * ms));
  leader.take(0, over(6, 160 * ms, 170 * ms));
  leader.take(2, over(5, 141 * ms, 155 * ms));
  leader.take(2, over(5, 141 * ms, 155 * ms));  // as each of its reports says
  const auto next = leader.measured();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->call, 5u);
  EXPECT_NEAR(next->run_time_s, 0.034, 1e-12);
  EXPECT_NEAR(next->arrivals.offset_s[2], 0.020, 1e-12);
  for (std::uint32_t far = 6; far < 20; ++far)
    leader.take(1, over(far, far * 10 * ms, far * 11 * ms));
  leader.take(2, over(6, 161 * ms, 171 * ms));
  EXPECT_FALSE(leader.measured()) << "longer ago than it remembers";
}

TEST(Leader, GivesSeveralCallsInTheirOrder) {
  Leader leader(2, 64);
  const std::uint32_t last = 4294967295u;  // after which the count begins anew
  for (const int rank : {1, 0}) {
    std::int64_t arrival_ns = 10 * ms;
    for (const std::uint32_t call : {last - 1, last, 0u}) {
      arrival_ns += 20 * ms;
      if (rank == 0 || call != last) leader.take(rank, over(call, arrival_ns, arrival_ns + 9 * ms));
    }
  }
  for (const std::uint32_t call : {last - 1, 0u}) {
    const auto measured = leader.measured();
    ASSERT_TRUE(measured);
    EXPECT_EQ(measured->call, call);
  }
  leader.take(1, over(last, 50 * ms, 60 * ms));
  EXPECT_FALSE(leader.measured()) << "that one is too old now";
}

/// A stream of calls that go as the test says.
class Stream {
 public:
  explicit Stream(Config config = {}, Operation operation = Operation::reduce,
                  Calibration calibration = {}, double crowd = 1.0, std::size_t bytes = 1 << 20)
      : config_(std::move(config)), calibration_(std::move(calibration)) {
    kind_.signature.operation = operation;
    kind_.signature.block_bytes = bytes;
    kind_.signature.unit_bytes = 8;
    kind_.ranks = 8;
    kind_.crowd = crowd;
    thought_ns = 0;
    judge_.emplace(
        config_, calibration_, kind_, +[] { return thought_ns += thought_each_ns; });
  }

  /// Decides call `next` and lets it take what `run_time_s` says of the decision; all arrive
  /// together.
  template <class Time>
  Decision call(std::int64_t interval_ns, const Time& run_time_s) {
    return call(interval_ns, run_time_s, ArrivalPattern::flat(kind_.ranks));
  }
  /// They arrive as forecast.
  template <class Time>
  Decision call(std::int64_t interval_ns, const Time& run_time_s, const ArrivalPattern& forecast) {
    now_ns_ += interval_ns;
    if (!decision_.covers(next_)) {
      decision_ = {};
      decision_.first = next_;
      judge_->decide(forecast, {}, 0, now_ns_, decision_);
      judge_->set_lease(leader_, forecast, decision_);
      trials_ += judge_->tries();
    }
    judge_->learn({next_, forecast, run_time_s(decision_)}, {});
    ++next_;
    return decision_;
  }

  /// Before anything is decided, by the library.
  void first_call(double run_time_s) {
    judge_->learn({0, ArrivalPattern::flat(kind_.ranks), run_time_s}, {});
  }

  Judge& judge() { return *judge_; }
  int trials() const { return trials_; }
  static inline std::int64_t thought_ns = 0, thought_each_ns = 0;

 private:
  const Config config_;
  const Calibration calibration_;
  StreamKind kind_;
  std::optional<Judge> judge_;
  Leader leader_{8, 1};  // each call is decided, but for those of a trial
  Decision decision_;
  std::uint32_t next_ = 1;
  std::int64_t now_ns_ = ms;
  int trials_ = 0;
};

TEST(Judge, FindsTheBestWayByWhatCallsTake) {
  Stream stream;
  const auto times = [](const Decision& made) {
    return made.chosen().name == "ring" ? 10e-3 : 30e-3;
  };
  std::string last;
  for (int i = 0; i < 300; ++i) last = stream.call(100 * ms, times).chosen().name;
  EXPECT_EQ(last, "ring");
  EXPECT_GT(stream.trials(), 0);
}

/// A reduction of 1 MiB on 8 nodes of 1 Gbit/s that share two cores, as measured (docs/regret.md,
/// "Shared cores"): 20 calls together and then 20 whose last process comes 20 ms late. How many of
/// these go by `clairvoyant`, which is best there.
int calls_by_the_best_where_one_is_late(const SharedCost& shared) {
  Calibration calibration;
  calibration.messages = {{65536, {50e-6, 8.4e-9, 0.25e-9}}};
  calibration.eager_bytes = 65024;
  calibration.shared = shared;
  const std::map<std::string, std::array<double, 2>> measured = {
      {"mpi", {29.2e-3, 48.0e-3}},      {"clairvoyant", {20.9e-3, 31.4e-3}},
      {"two-tree", {18.9e-3, 39.7e-3}}, {"k-chain", {17.0e-3, 39.3e-3}},
      {"pipeline", {18.2e-3, 40.0e-3}}, {"ring", {23.1e-3, 40.5e-3}}};
  Stream stream({}, Operation::reduce, calibration, 4.0);
  int best = 0;
  for (int i = 0; i < 40; ++i) {
    const bool late = i >= 20;
    ArrivalPattern forecast = ArrivalPattern::flat(8);
    if (late) forecast.offset_s.back() = 20e-3;
    forecast.half_width_s.assign(8, 0.2e-3);
    const auto times = [&](const Decision& made) {
      const auto found = measured.find(made.chosen().name);
      return found == measured.end() ? (late ? 45e-3 : 25e-3) : found->second[late];
    };
    const bool is_best = stream.call(100 * ms, times, forecast).chosen().name == "clairvoyant";
    best += late && is_best;
  }
  return best;
}

TEST(Judge, KnowsWhyAWayIsSlowTogetherAndFastWhereOneIsLate) {
  EXPECT_GE(calls_by_the_best_where_one_is_late({5e-6, 2.2e-9}), 12);
  EXPECT_GE(calls_by_the_best_where_one_is_late({8e-6, 2.9e-9}), 12) << "a third too much";
  EXPECT_GE(calls_by_the_best_where_one_is_late({2e-6, 1.7e-9}), 12) << "a quarter too little";
  EXPECT_LT(calls_by_the_best_where_one_is_late({}), 12) << "one factor holds for both";
}

TEST(Judge, ATrialIsNotPutOffWhileAChoiceHolds) {
  // The first forecasts are poor and the first way that is tried is slow: the library is taken
  // again, and nothing that is measured then says anything else.
  const auto forecast = [](int call) {
    ArrivalPattern pattern = ArrivalPattern::flat(8);
    pattern.offset_s.back() = 20e-3;
    pattern.half_width_s.assign(8, call < 4 ? 40e-3 : 0.2e-3);
    return pattern;
  };
  const auto times = [](const Decision& made) {
    if (made.chosen().name == "mpi") return 49e-3;
    return made.chosen().name == "clairvoyant" && !made.blind ? 31e-3 : 52e-3;
  };
  Stream stream;
  stream.first_call(54e-3);
  int tried = -1;
  for (int i = 1; i < 30 && tried < 0; ++i) {
    const Decision made = stream.call(100 * ms, times, forecast(i));
    if (made.chosen().name == "clairvoyant" && !made.blind) tried = i;
  }
  EXPECT_GT(tried, 0);
  EXPECT_LE(tried, 10);
}

TEST(Judge, AScheduleWithoutTheForecastSaysLittleOfTheOneThatGoesByIt) {
  // The first forecasts are poor, so that clairvoyant is tried without them.
  const auto forecast = [](int call) {
    ArrivalPattern pattern = ArrivalPattern::flat(8);
    pattern.offset_s.back() = 20e-3;
    pattern.half_width_s.assign(8, call < 8 ? 40e-3 : 0.2e-3);
    return pattern;
  };
  const auto times = [](const Decision& made) {
    if (made.chosen().name == "mpi") return 48e-3;
    return made.chosen().name == "clairvoyant" && !made.blind ? 30e-3 : 41e-3;
  };
  Stream stream;
  int blind = 0, best = 0;
  for (int i = 0; i < 120; ++i) {
    const Decision made = stream.call(100 * ms, times, forecast(i));
    blind += made.chosen().name == "clairvoyant" && made.blind;
    best += i >= 60 && made.chosen().name == "clairvoyant" && !made.blind;
  }
  EXPECT_GT(blind, 0);
  EXPECT_GT(best, 50);
}

TEST(Judge, BeginsWhereAnEarlierOneEndedByWhatThatLearnt) {
  const auto times = [](const Decision& made) {
    return made.chosen().name == "ring" ? 10e-3 : 30e-3;
  };
  Stream first;
  EXPECT_TRUE(first.judge().learnt().empty()) << "it has seen nothing";
  for (int i = 0; i < 600; ++i) first.call(100 * ms, times);
  Calibration learnt;
  learnt.learnt = first.judge().learnt();
  ASSERT_FALSE(learnt.learnt.empty());
  Stream second({}, Operation::reduce, parse_calibration(to_json(learnt)));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(second.call(100 * ms, times).chosen().name, "ring") << i;
  EXPECT_EQ(second.trials(), 0);
}

/// Calls by trials of a stream, half as large, of a program whose calls of 1 MiB have gone on for
/// long, and how often `best` did the last 20 of `calls`. Null: it hears nothing.
struct Second {
  int trials = 0, calls_by_best = 0;
};
template <class Time>
Second second_stream(const Judge* first, const std::string& best, int calls, const Time& times) {
  Stream stream({}, Operation::reduce, {}, 1.0, 1 << 19);
  Second second;
  for (int i = 0; i < calls; ++i) {
    if (first != nullptr) stream.judge().tell(first->learnt());
    second.calls_by_best += stream.call(100 * ms, times).chosen().name == best && i >= calls - 20;
  }
  second.trials = stream.trials();
  return second;
}

TEST(Judge, TriesFewerWaysWhereAnotherSizeHasShownThem) {
  const auto times = [](const Decision& made) {
    return made.chosen().name == "ring" ? 10e-3 : 30e-3;
  };
  Stream first;
  for (int i = 0; i < 600; ++i) first.call(100 * ms, times);
  const auto half = [&](const Decision& made) { return 0.5 * times(made); };
  const Second alone = second_stream(nullptr, "ring", 200, half);
  const Second told = second_stream(&first.judge(), "ring", 200, half);
  EXPECT_LT(told.trials, alone.trials);
  EXPECT_GE(told.calls_by_best, 19);
  const Second at_once = second_stream(&first.judge(), "ring", 24, half);
  EXPECT_GE(at_once.calls_by_best, 15) << "of the first 24 calls";
}

TEST(Judge, UnlearnsWhatAWrongNeighbourTold) {
  Stream first;
  for (int i = 0; i < 600; ++i)
    first.call(100 * ms,
               [](const Decision& made) { return made.chosen().name == "ring" ? 10e-3 : 30e-3; });
  // Here the same way is by far the worst.
  const Second second = second_stream(&first.judge(), "ring", 300, [](const Decision& made) {
    return made.chosen().name == "ring" ? 40e-3 : 10e-3;
  });
  EXPECT_EQ(second.calls_by_best, 0);
}

TEST(Judge, SaysWhatTrialsCostAndWhatWasNextBest) {
  Stream stream;
  EXPECT_EQ(stream.judge().chosen(), nullptr);
  double lost_s = 0.0;
  for (int i = 0; i < 300; ++i) {
    stream.call(100 * ms,
                [](const Decision& made) { return made.chosen().name == "mpi" ? 5e-3 : 30e-3; });
    EXPECT_GE(stream.judge().lost_to_trials_s(), 0.0);
    lost_s = stream.judge().lost_to_trials_s();
  }
  ASSERT_GT(stream.trials(), 0);
  EXPECT_EQ(stream.judge().trial_calls(),
            static_cast<std::uint64_t>(stream.trials()) * Trials::calls_of_a_trial);
  EXPECT_NEAR(lost_s, stream.judge().trial_calls() * 25e-3, 0.3 * lost_s);
  const Selection* chosen = stream.judge().chosen();
  ASSERT_NE(chosen, nullptr);
  EXPECT_NE(chosen->runner_up, "");
  EXPECT_GT(chosen->runner_up_s, 0.0);
  EXPECT_GT(chosen->mpi_s, 0.0);
}

TEST(Judge, TellsTheWindowsOfAnAlgorithmApart) {
  for (const std::uint32_t best : {0u, 1u}) {
    Stream stream({}, Operation::gather);
    const auto is_best = [&](const Decision& made) {
      return made.chosen().name == "sls" && made.window == best;
    };
    const auto times = [&](const Decision& made) { return is_best(made) ? 10e-3 : 30e-3; };
    int right = 0;
    for (int i = 0; i < 600; ++i) right += is_best(stream.call(100 * ms, times)) && i >= 300;
    EXPECT_GE(right, 280) << "window " << best;
  }
}

TEST(Judge, ComesBackToTheLibraryWhenItIsBest) {
  Stream stream;
  const auto times = [](const Decision& made) {
    return made.chosen().name == "mpi" ? 5e-3 : 30e-3;
  };
  int others = 0;
  for (int i = 0; i < 400; ++i) others += stream.call(100 * ms, times).chosen().name != "mpi";
  // Each trial loses at most what a slow way takes, and all of them a hundredth of the time.
  EXPECT_LT(others * 25e-3, 2 * 0.01 * 400 * 0.1 + 0.1);
}

/// Of calls of 10 ms in all ways, but the library's, which take `library_s` from call `slow` on and
/// 13 ms before.
int calls_by_the_library(double library_s, int slow, int calls) {
  Stream stream;
  int by_the_library = 0;
  for (int i = 0; i < calls; ++i) {
    const auto times = [&](const Decision& made) {
      if (made.chosen().name != "mpi") return 10e-3;
      return i < slow ? 13e-3 : library_s;
    };
    by_the_library += stream.call(100 * ms, times).chosen().name == "mpi" && i >= slow;
  }
  return by_the_library;
}

TEST(Judge, TriesTheLibraryAgainWhoseFirstCallsWereSlow) {
  EXPECT_GT(calls_by_the_library(6e-3, 8, 600), 250) << "its first calls alone were slow";
  const int in_vain = calls_by_the_library(13e-3, 8, 600);
  EXPECT_GT(in_vain, 0);
  EXPECT_LT(in_vain, 20) << "it is looked at ever more rarely";
}

TEST(Judge, TheFirstCallTellsWhatTheLibraryTakesAtMost) {
  Stream usual, fast, slow;
  const auto price = [](Stream& stream) {
    stream.call(100 * ms, [](const Decision&) { return 20e-3; });
    return stream.judge().chosen()->mpi_s;
  };
  const double expected_s = price(usual);
  fast.first_call(0.5 * expected_s);
  EXPECT_LT(price(fast), 0.8 * expected_s);
  slow.first_call(10.0 * expected_s);
  EXPECT_DOUBLE_EQ(price(slow), expected_s) << "it opened connections";
}

TEST(Judge, TriesNothingWhereTheUserForbidsIt) {
  Config config;
  config.explore = false;
  Stream stream(config);
  for (int i = 0; i < 200; ++i) stream.call(100 * ms, [](const Decision&) { return 20e-3; });
  EXPECT_EQ(stream.trials(), 0);
}

TEST(Judge, LeasesLastAsLongAsDecidingIsDear) {
  const auto times = [](const Decision&) { return 20e-6; };
  Stream slow, fast;
  for (int i = 0; i < 50; ++i) slow.call(100 * ms, times);
  for (int i = 0; i < 50; ++i) fast.call(ms / 50, times);
  EXPECT_EQ(slow.judge().longest_lease(), 1u) << "what changes is seen at the next call";
  EXPECT_GT(fast.judge().longest_lease(), 64u);
}

TEST(Judge, CallsThatDecidingDisturbsAreMeasuredInPeace) {
  Stream small({}, Operation::gather, {}, 4.0, 2048), large({}, Operation::gather);
  // The library is quick, but for the calls that are decided for; the others are slower than that.
  const auto small_times = [](const Decision& made) {
    return made.chosen().name == "mpi" ? 400e-6 : 550e-6;
  };
  std::uint32_t decided_for = ~0u;
  int by_library = 0;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Decision made = small.call(24 * ms, [&](const Decision& decision) {
      const bool first = decision.first != std::exchange(decided_for, decision.first);
      return small_times(decision) + (first ? 600e-6 : 0.0);
    });
    EXPECT_TRUE(made.chosen().uses_pattern || made.count >= Judge::calls_with_a_quiet_one) << i;
    by_library += made.chosen().name == "mpi";
  }
  EXPECT_GT(by_library, 370);
  EXPECT_EQ(large.call(100 * ms, [](const Decision&) { return 60e-3; }).count, 1u);
  Config config;
  config.lease_max = 1;
  Stream one_by_one(config, Operation::gather, {}, 4.0, 2048);
  EXPECT_EQ(one_by_one.call(24 * ms, small_times).count, 1u) << "the user says so";
}

/// By the library, in long leases and without trials, where all that it takes after the last
/// arrival is little beside the computing before it; the same calls are looked after where that is
/// short.
TEST(Judge, WhatIsShortBesideComputingIsLeftToTheLibrary) {
  const auto times = [](const Decision& made) {
    return made.chosen().name == "mpi" ? 900e-6 : 400e-6;
  };
  Stream rare({}, Operation::gather, {}, 4.0, 2048), frequent({}, Operation::gather, {}, 4.0, 2048);
  rare.judge().expect_computing(80e-3);
  frequent.judge().expect_computing(5e-3);
  std::uint32_t decisions = 0, last = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Decision made = rare.call(81 * ms, times);
    EXPECT_EQ(made.chosen().name, "mpi");
    EXPECT_GE(made.count, Judge::negligible_calls);
    decisions += std::exchange(last, made.first) != made.first;
    frequent.call(6 * ms, times);
  }
  EXPECT_EQ(rare.trials(), 0);
  EXPECT_LE(decisions, 7u);
  EXPECT_NE(rare.judge().chosen()->reason.find("of computing before it"), std::string::npos);
  EXPECT_GT(frequent.trials(), 0);
}

TEST(Judge, NoMoreIsSpentOnACallThanItCouldSave) {
  Stream small({}, Operation::gather, {}, 1.0, 8), large({}, Operation::gather);
  for (int i = 0; i < 50; ++i) {
    small.call(100 * ms, [](const Decision&) { return 20e-6; });
    large.call(100 * ms, [](const Decision&) { return 60e-3; });
  }
  while (large.judge().tries()) large.call(100 * ms, [](const Decision&) { return 60e-3; });
  EXPECT_EQ(large.judge().longest_lease(), 1u);
  EXPECT_GT(small.judge().longest_lease(), 4u) << "at most 20 us are saved by 72 us of deciding";
  EXPECT_TRUE(large.judge().may_recall(6000 * ms, 8));
  EXPECT_FALSE(small.judge().may_recall(6000 * ms, 8));
  EXPECT_TRUE(small.judge().may_recall(6000 * ms, 1000));
}

TEST(Judge, WhereProcessesShareACoreDecidingIsHeldAgainstTheTimeInCalls) {
  const auto times = [](const Decision&) { return 1e-3; };
  Stream alone, crowded({}, Operation::reduce, {}, 2.0);
  for (int i = 0; i < 50; ++i) {
    alone.call(100 * ms, times);
    crowded.call(100 * ms, times);
  }
  EXPECT_EQ(alone.judge().longest_lease(), 1u) << "it goes on beside computing";
  EXPECT_GT(crowded.judge().longest_lease(), 16u) << "100 us of deciding for calls of 1 ms";
}

TEST(Judge, ThinksWithinItsBudget) {
  Stream stream;
  Stream::thought_each_ns = 5 * ms;  // each look at the clock: a thought takes as long
  for (int i = 0; i < 1000; ++i) stream.call(ms, [](const Decision&) { return 1e-3; });
  Stream::thought_each_ns = 0;
  // A second has passed: of which a hundredth may go into choosing, half of one into learning, and
  // 20 ms at first into each.
  const double thoughts = static_cast<double>(Stream::thought_ns) / (5.0 * ms) / 2.0;
  EXPECT_LE(thoughts * 5.0, 2 * 20.0 + 0.015 * 1000.0 + 4 * 5.0);
  EXPECT_GE(thoughts, 3.0);
}

TEST(Judge, ThinksAFewTimesAtFirstWhereACallTakesLonger) {
  const auto thoughts_of = [](double call_s) {
    Stream stream;
    Stream::thought_each_ns = 30 * ms;
    for (int i = 0; i < 20; ++i)
      stream.call(150 * ms, [&](const Decision& made) {
        return made.chosen().name == "ring" ? 0.5 * call_s : call_s;
      });
    Stream::thought_each_ns = 0;
    return Stream::thought_ns / (2 * 30 * ms);  // of choosing and of learning
  };
  EXPECT_GE(thoughts_of(0.1), 6);
  EXPECT_LE(thoughts_of(0.01), 5) << "20 ms and a hundredth of 3 s";
}

TEST(Judge, LearnsAlsoAfterADearChoice) {
  Stream stream;
  const auto times = [](const Decision&) { return 1e-3; };
  Stream::thought_each_ns = 10'000 * ms;  // what may be thought in a quarter of an hour
  stream.call(ms, times);
  Stream::thought_each_ns = 0;
  for (int i = 0; i < 20; ++i) stream.call(ms, times);
  const auto learnt = stream.judge().learnt();
  ASSERT_FALSE(learnt.empty());
  EXPECT_EQ(learnt.front().samples, 20);
}

}  // namespace
}  // namespace pat::detail
