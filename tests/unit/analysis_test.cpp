// The analysis of traces that were made, whose answers are known by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>

#include "analysis/advice.hpp"
#include "analysis/findings.hpp"
#include "analysis/forecasts.hpp"
#include "analysis/headline.hpp"
#include "analysis/lateness.hpp"
#include "analysis/map.hpp"
#include "analysis/page.hpp"
#include "analysis/played.hpp"
#include "analysis/report_shape.hpp"
#include "analysis/viewers/timeline.hpp"
#include "analysis/ways.hpp"
#include "analysis/what_if.hpp"
#include "analysis/words.hpp"
#include "collectives/cost/select.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

Trace made(int ranks, std::vector<double> computing_s, const std::string& region = "somewhere") {
  Trace trace;
  trace.ranks = ranks;
  trace.region = region;
  trace.arrival_s = computing_s;
  trace.computing_s = std::move(computing_s);
  return trace;
}

/// A place in a program that runs under `pat run`.
const std::string unchanged = "allreduce, 8 bytes, after region allreduce at a.c:3 (main)";

/// Of a call in which all wait for the last.
std::vector<double> charged_by(const std::vector<double>& arrival_s) {
  std::vector<double> charged(arrival_s.size());
  charge({arrival_s, arrival_s, std::vector(arrival_s.size(), std::ranges::max(arrival_s))},
         charged);
  return charged;
}

TEST(Charge, TheLastPaysForAllThatWait) {
  EXPECT_EQ(charged_by({1.0, 1.0, 4.0}), (std::vector<double>{0.0, 0.0, 6.0}));
}

TEST(Charge, WhoComesTogetherSharesTheCharge) {
  EXPECT_EQ(charged_by({3.0, 0.0, 3.0}), (std::vector<double>{1.5, 0.0, 1.5}));
}

TEST(Charge, EachGapIsPaidByWhoHasNotCome) {
  // From 0 to 1 one waits for two (0.5 each), from 1 to 3 two wait for one (4).
  EXPECT_EQ(charged_by({0.0, 1.0, 3.0}), (std::vector<double>{0.0, 0.5, 4.5}));
}

TEST(Charge, WhoLeavesEarlyWaitsNoLonger) {
  // Rank 0 waits for two from 0 to 0.5, rank 1 for one from 1 to 3.
  std::vector<double> charged(3);
  const std::vector<double> arrival_s = {0.0, 1.0, 3.0};
  charge({arrival_s, arrival_s, std::vector<double>{0.5, 3.0, 3.0}}, charged);
  EXPECT_EQ(charged, (std::vector<double>{0.0, 0.25, 2.25}));
}

TEST(Charge, WhoWaitsInMessagesIsChargedOnceNobodyWorks) {
  // Rank 2 works until 5; rank 1 ceases at 1 and comes at 6, a second after rank 2 has ceased.
  std::vector<double> charged(3);
  const std::vector<double> works_until_s = {0.0, 1.0, 5.0}, arrival_s = {0.0, 6.0, 5.5},
                            waits_until_s = {6.0, 6.0, 6.0};
  charge({works_until_s, arrival_s, waits_until_s}, charged);
  EXPECT_EQ(charged, (std::vector<double>{0.0, 0.5 + 0.25 + 1.0, 0.5 + 4.0 + 0.25}));
}

TEST(Findings, ChargesGoToWhoComputesNotToWhoWaitsForItsMessage) {
  Trace trace = made(3, {1.0, 5.0, 5.5, 1.0, 5.0, 5.5}, unchanged);
  trace.computing_s = {1.0, 5.0, 1.0, 1.0, 5.0, 1.0};
  trace.start_s = {0.0, 6.0};
  trace.left_s = {6.0, 6.0, 6.0, 6.0, 6.0, 6.0};
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_EQ(found["culprits"][0]["rank"], 1);
  EXPECT_DOUBLE_EQ(found["culprits"][0]["charged_s"], 8.0);
  EXPECT_DOUBLE_EQ(found["culprits"][1]["charged_s"], 2.0);
}

TEST(Charge, SumsUpToTheWaiting) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> time(0.0, 1.0);
  std::vector<double> times(17 * 20);
  for (double& one : times) one = time(random);
  const Lateness lateness = lateness_of(made(17, times), {});
  EXPECT_NEAR(std::accumulate(lateness.charged_s.begin(), lateness.charged_s.end(), 0.0),
              lateness.skew_s, 1e-9);
  Trace leaving = made(17, times);
  for (const double one : times) leaving.left_s.push_back(one + 0.3 * time(random));
  const Lateness shorter = lateness_of(leaving, {});
  EXPECT_LT(shorter.skew_s, lateness.skew_s);
  EXPECT_NEAR(std::accumulate(shorter.charged_s.begin(), shorter.charged_s.end(), 0.0),
              shorter.skew_s, 1e-9);
  std::vector<double> waiting;
  for (const double one : times) waiting.push_back(0.7 * one * time(random));
  const Lateness in_messages = lateness_of(leaving, waiting);
  EXPECT_NEAR(std::accumulate(in_messages.charged_s.begin(), in_messages.charged_s.end(), 0.0),
              shorter.skew_s, 1e-9);
}

/// Rank 0 is in a gather for 4 s; rank 1 leaves it after 0.1 s.
Trace gather_that_a_leaf_leaves() {
  Trace trace = made(3, {1.0, 0.5, 4.0}, "gather, root 0, 8 bytes");
  trace.start_s = {0.0};
  trace.left_s = {5.0, 0.6, 4.5};
  return trace;
}

TEST(Lateness, WhoLeavesEarlyWaitsNoLonger) {
  const Lateness lateness = lateness_of(gather_that_a_leaf_leaves(), {});
  EXPECT_EQ(lateness.waited_s, (std::vector<double>{3.0, 0.6 - 0.5, 0.0}));
  EXPECT_DOUBLE_EQ(elapsed_s(gather_that_a_leaf_leaves()), 5.0);
}

TEST(Lateness, OfPhasesThatNoCallFollowedAllWaitForTheLast) {
  Trace trace = made(2, {1.0, 3.0}, "no call of PAT's, after region default");
  trace.left_s = trace.arrival_s;
  EXPECT_DOUBLE_EQ(lateness_of(trace, {}).skew_s, 2.0);
}

TEST(Lateness, OfRequestsNobodyWaitsFromTheirStartOn) {
  Trace trace = made(2, {1.0, 3.0}, "gather, root 0, 4 bytes, non-blocking");
  trace.left_s = trace.arrival_s;
  EXPECT_DOUBLE_EQ(lateness_of(trace, {}).skew_s, 0.0);
}

/// Two threads of both ranks, each of which is in a call for 2 s where the other computes or is.
TEST(Findings, OfSeveralThreadsCountTheTimeOfEach) {
  Trace trace = made(2, {0.0, 1.0, 0.5, 1.5}, "allreduce, 8 bytes");
  trace.start_s = {0.0, 0.0};
  trace.left_s = {2.0, 2.0, 2.5, 2.5};
  EXPECT_EQ(threads_in(trace), 2);
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_DOUBLE_EQ(found["elapsed_s"], 2.0 * 2.5);
  EXPECT_DOUBLE_EQ(found["skew_share"], 2.0 / (2.0 * 2.0 * 2.5));
  trace.start_s = {0.0, 2.0};
  EXPECT_EQ(threads_in(trace), 1) << "one after the other";
  trace.left_s.clear();
  EXPECT_EQ(threads_in(trace), 1) << "it is not known";
}

TEST(Findings, OfATraceWithItsEndsAddUp) {
  const auto found = findings_of(record_of(gather_that_a_leaf_leaves(), "sma:5"));
  EXPECT_DOUBLE_EQ(found["skew_s"], 3.1);
  EXPECT_DOUBLE_EQ(found["transfer_s"], 1.0 + 0.5);
  EXPECT_DOUBLE_EQ(found["elapsed_s"], 5.0);
  EXPECT_DOUBLE_EQ(found["wall_s"], 5.0);
  EXPECT_DOUBLE_EQ(found["places"][0]["skew_s"], 3.1);
}

TEST(Findings, GroupsThatMeetAlikeAreToldApart) {
  RunTraces run;
  run.ranks = 4;
  for (const int first : {0, 2}) {
    run.traces.push_back(made(2, {1.0, 3.0}, "allreduce, 8 bytes, after region rows"));
    run.groups.push_back({first, first + 1});
  }
  const auto found = findings_of(record_of(std::move(run), "sma:5"));
  EXPECT_EQ(found["culprits"][0]["place"], "allreduce, 8 bytes, after region rows, ranks 0 and 1");
  EXPECT_EQ(found["places"][1]["place"], "allreduce, 8 bytes, after region rows, ranks 2 and 3");
}

/// Rank 1 computes for 5 s, rank 2 for 1 s and waits for a message of rank 1.
TEST(WhatIf, WhoWaitsForALateRanksMessageComesEarlierWithIt) {
  Trace trace = made(3, {1.0, 5.0, 5.5, 1.0, 5.0, 5.5}, unchanged);
  trace.computing_s = {1.0, 5.0, 1.0, 1.0, 5.0, 1.0};
  trace.start_s = {0.0, 6.0};
  trace.left_s = {6.0, 6.0, 6.0, 6.0, 6.0, 6.0};
  EXPECT_EQ(in_messages_s(trace), (std::vector<double>{0.0, 0.0, 4.5, 0.0, 0.0, 4.5}));
  EXPECT_EQ(saved_if_on_time_s(trace, in_messages_s(trace)),
            (std::vector<double>{0.0, 2 * 4.0, 0.0}));
  // Who begins late, as it was in the call before, has waited for no message.
  trace.left_s = {6.0, 6.0, 10.5, 12.0, 12.0, 12.0};
  EXPECT_EQ(in_messages_s(trace)[5], 0.0);
  EXPECT_EQ(saved_if_on_time_s(trace, in_messages_s(trace)), (std::vector<double>{0.0, 4.0, 0.0}));
}

/// Rank 1 begins its phase 4 s after the others: what it did before, the program has not said.
TEST(InMessages, WhoBeginsAPhaseOfHisOwnLateIsLate) {
  Trace trace = made(2, {1.0, 1.0, 1.0, 5.0}, "allreduce, 8 bytes, after region solve");
  trace.computing_s = {1.0, 1.0, 1.0, 1.0};
  trace.start_s = {0.0, 1.0};
  trace.left_s = {1.0, 1.0, 5.0, 5.0};
  EXPECT_TRUE(in_messages_s(trace).empty());
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_EQ(found["culprits"][0]["rank"], 1);
  EXPECT_DOUBLE_EQ(found["culprits"][0]["charged_s"], 4.0);
  EXPECT_TRUE(found["in_messages_s"].is_null());
}

TEST(InMessages, ACallAtAnotherPlaceIsNone) {
  // Rank 1 is in a call of its own for 3 s before it computes for 1 s and comes.
  Trace trace = made(2, {1.0, 1.0, 1.5, 5.5}, unchanged);
  trace.computing_s = {1.0, 1.0, 1.5, 1.0};
  trace.start_s = {0.0, 1.0};
  trace.left_s = {1.0, 4.5, 5.5, 5.5};
  EXPECT_EQ(in_messages_s(trace), (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
  trace.places = {"gather, root 0, 8 bytes, after region gather at a.c:1", unchanged};
  trace.place = {0, 1};
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_DOUBLE_EQ(found["in_messages_s"], 1.0);
  EXPECT_DOUBLE_EQ(found["ranks"][1]["in_messages_s"], 1.0);
}

TEST(Kept, WhoWaitsInACallIsNotLateForTheNext) {
  // Rank 2 computes for 5 s. Rank 0, the root, waits for it in a gather; all go straight on to a
  // bcast.
  Trace trace = made(3, {1.0, 1.0, 5.0, 5.0, 1.0, 5.0});
  trace.computing_s = {1.0, 1.0, 5.0, 0.0, 0.0, 0.0};
  trace.start_s = {0.0, 0.0};
  trace.left_s = {5.0, 1.0, 5.0, 5.0, 5.0, 5.0};
  trace.places = {"gather, root 0, 8 bytes", "bcast, root 0, 8 bytes"};
  trace.place = {0, 1};
  EXPECT_EQ(kept_s(trace, {}), (std::vector<double>{0.0, 0.0, 0.0, 4.0, 0.0, 0.0}));
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_DOUBLE_EQ(found["ranks"][0]["charged_s"], 0.0);
  EXPECT_DOUBLE_EQ(found["ranks"][1]["charged_s"], 0.0);
  EXPECT_DOUBLE_EQ(found["ranks"][2]["charged_s"], 8.0);
  for (const auto& place : found["places"])
    if (place["place"].get<std::string>().starts_with("bcast")) {
      EXPECT_DOUBLE_EQ(place["saved_if_balanced_s"], 0.0);
    }
  // What lies between is work of his own.
  trace.start_s = {0.0, 5.0};
  EXPECT_EQ(kept_s(trace, {})[3], 0.0);
}

TEST(Lateness, OfTwoIterationsByHand) {
  const Lateness lateness = lateness_of(made(2, {1.0, 3.0, 5.0, 4.0}), {});
  EXPECT_DOUBLE_EQ(lateness.elapsed_s, 8.0);
  EXPECT_DOUBLE_EQ(lateness.skew_s, 3.0);
  EXPECT_EQ(lateness.waited_s, (std::vector<double>{2.0, 1.0}));
  EXPECT_EQ(lateness.times_last, (std::vector<int>{1, 1}));
  EXPECT_EQ(lateness.computing_s, (std::vector<double>{6.0, 7.0}));
}

TEST(Lateness, TimeInTwoIterationsElapsesOnce) {
  // A gather that rank 1 leaves at once, and an allreduce whose phase it then begins.
  Trace trace = made(2, {1.0, 0.2, 0.9, 0.1});
  EXPECT_DOUBLE_EQ(elapsed_s(trace), 1.9);
  trace.start_s = {0.0, 0.3};
  EXPECT_DOUBLE_EQ(elapsed_s(trace), 1.2);
  trace.start_s = {0.0, 0.05};  // over before the first is
  EXPECT_DOUBLE_EQ(elapsed_s(trace), 1.0);
  trace.start_s = {0.0, 3.0};  // what lies between is neither's
  EXPECT_DOUBLE_EQ(elapsed_s(trace), 1.9);
}

TEST(Lateness, NobodyIsLastWhereAllComeTogether) {
  EXPECT_EQ(lateness_of(made(2, {1.0, 1.0}), {}).times_last, (std::vector<int>{0, 0}));
}

TEST(Efficiency, ByHand) {
  const Efficiency found = efficiency_of(std::vector<double>{2.0, 4.0}, 5.0);
  EXPECT_DOUBLE_EQ(found.load_balance, 0.75);
  EXPECT_DOUBLE_EQ(found.communication, 0.8);
  EXPECT_DOUBLE_EQ(found.parallel, 0.6);
}

TEST(Efficiency, OfNothingIsWhole) {
  EXPECT_EQ(efficiency_of({}, 0.0).parallel, 1.0);
}

TEST(WhatIf, TheLateRankSavesDownToTheOthers) {
  const auto saved = saved_if_on_time_s(made(3, {1.0, 1.2, 4.0}), {});
  EXPECT_DOUBLE_EQ(saved[2], 2.8);  // to 1.1, but rank 1 comes at 1.2
  EXPECT_EQ(saved[0], 0.0);
  EXPECT_EQ(saved[1], 0.0);
}

TEST(WhatIf, OneOfTwoLateRanksSavesNothingAlone) {
  EXPECT_EQ(saved_if_on_time_s(made(4, {1.0, 4.0, 1.0, 4.0}), {}), std::vector<double>(4));
}

TEST(WhatIf, WhoStartedLateButComputedAsOthersIsNotToBlame) {
  Trace trace = made(3, {1.0, 1.0, 4.0});
  trace.computing_s = {1.0, 1.0, 1.0};
  EXPECT_EQ(saved_if_on_time_s(trace, {}), std::vector<double>(3));
}

TEST(WhatIf, ReplayedArrivalsHaveThatMuchLess) {
  // The formula against a plain replay: each rank's computing cut to the others' median.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> time(0.0, 1.0);
  for (const int ranks : {2, 3, 4, 7}) {
    std::vector<double> times(static_cast<std::size_t>(ranks) * 50);
    for (double& one : times) one = time(random);
    const Trace trace = made(ranks, times);
    const auto saved = saved_if_on_time_s(trace, {});
    for (int rank = 0; rank < ranks; ++rank) {
      double elapsed = 0.0;
      for (int i = 0; i < trace.iterations(); ++i) {
        std::vector<double> row(trace.row(i).begin(), trace.row(i).end()), others = row;
        others.erase(others.begin() + rank);
        std::sort(others.begin(), others.end());
        const std::size_t n = others.size();
        const double median = 0.5 * (others[(n - 1) / 2] + others[n / 2]);
        double& own = row[static_cast<std::size_t>(rank)];
        own = std::min(own, median);
        elapsed += *std::max_element(row.begin(), row.end());
      }
      EXPECT_NEAR(lateness_of(trace, {}).elapsed_s - elapsed, saved[static_cast<std::size_t>(rank)],
                  1e-9);
    }
  }
}

TEST(Findings, EfficienciesAreNotMeasuredWherePhasesWereTooShort) {
  Trace trace = made(2, {1.0, 1.0, 2.0, 2.0, 2.0, 2.0});
  trace.start_s = {0.0, 2.0, 5.0};
  trace.left_s = {2.0, 2.0, 3.0, 3.0, 3.0, 3.0};
  const auto efficiency = [&] {
    return findings_of(record_of(trace, "sma:5"))["parallel_efficiency"];
  };
  EXPECT_EQ(efficiency(), 5.0 / 8.0);
  trace.computing_s[4] = 0.0;  // 2 of 16 s
  EXPECT_TRUE(efficiency().is_null());
  trace.start_s[2] = 3.0;  // nothing lies between these calls
  EXPECT_FALSE(efficiency().is_null());
}

TEST(WhatIf, WithoutComputingTheLatenessIsTheRanksOwn) {
  Trace trace = made(3, {0.0, 0.0, 4.0});
  trace.computing_s = {0.0, 0.0, 0.0};
  EXPECT_DOUBLE_EQ(saved_if_on_time_s(trace, {})[2], 4.0);
  EXPECT_TRUE(findings_of(record_of(trace, "sma:5"))["load_balance"].is_null());
}

TEST(WhatIf, OfOneRankNothingIsSaved) {
  EXPECT_EQ(saved_if_on_time_s(made(1, {1.0, 2.0}), {}), std::vector<double>(1));
}

TEST(WhatIf, BalanceSavesComputingNotWhatOthersWaitFor) {
  // Rank 1 computes longest; ranks 0 and 2 wait for its message, so that all come together.
  Trace trace = made(3, {5.0, 5.0, 5.0});
  trace.computing_s = {1.0, 5.0, 3.0};
  EXPECT_DOUBLE_EQ(saved_if_balanced_s(trace, std::vector<double>{4.0, 0.0, 2.0}), 2.0);
  // Equal work cannot save what comes of an unequal begin.
  trace.computing_s = {1.0, 1.0, 1.0};
  trace.arrival_s = {1.0, 1.0, 4.0};
  EXPECT_DOUBLE_EQ(saved_if_balanced_s(trace, {}), 0.0);
}

TEST(WhatIf, BalanceSavesDownToTheMean) {
  EXPECT_DOUBLE_EQ(saved_if_balanced_s(made(2, {1.0, 3.0, 2.0, 2.0}), {}), 1.0);
}

TEST(WhatIf, GatherHidesAllBlocksButTheLast) {
  // Three leaves, one far later: the blocks of two travel meanwhile.
  CostModel network;
  network.alpha_s = 0.0;
  network.beta_s_per_byte = 0.01;
  const CallName gather{Operation::gather, 0, 100};
  EXPECT_NEAR(*recoverable_s(made(4, {0.0, 0.0, 0.0, 50.0}), gather, network), 2.0, 1e-9);
  EXPECT_NEAR(*recoverable_s(made(4, {0.0, 0.0, 0.0, 0.0}), gather, network), 0.0, 1e-9);
}

TEST(WhatIf, ASizeThatIsNotKnownIsNotKnownToRecover) {
  EXPECT_FALSE(
      recoverable_s(made(2, {0.0, 5.0}), {Operation::gather, 0, {}}, CostModel{}).has_value());
}

TEST(Forecasts, OfARankThatIsAlwaysTheSame) {
  const ForetoldRank found = foretell(made(1, std::vector<double>(20, 2.0)), 0, {.model = "last"});
  EXPECT_FALSE(found.forecast.front().known);
  EXPECT_TRUE(found.forecast.back().known);
  EXPECT_DOUBLE_EQ(found.mean_error_s(), 0.0);
  EXPECT_DOUBLE_EQ(found.coverage(), 1.0);
}

TEST(Forecasts, CountTheLateStart) {
  Trace trace = made(1, std::vector<double>(20, 2.0));
  for (double& arrival : trace.arrival_s) arrival += 3.0;
  EXPECT_DOUBLE_EQ(foretell(trace, 0, {.model = "last"}).forecast.back().mean_s, 5.0);
}

TEST(Forecasts, GoByTheEdgesThatWereRecorded) {
  Trace trace = made(1, std::vector<double>(20, 2.0));
  const auto last = [&](double edge) {
    return foretell(trace, 0, {.model = "edge", .edge = edge}).forecast.back().mean_s;
  };
  EXPECT_NEAR(last(0.5), 2.0, 1e-9) << "at an even pace";
  trace.edges = {{0.5, std::vector<double>(20, 1.0)}};
  trace.edges[0].time_s.back() = 1.4;  // of what was half until then
  const double later = last(0.5);
  EXPECT_GT(later, 2.2);
  EXPECT_NEAR(last(0.501), later, 0.1) << "edges count to 0.01";
  EXPECT_NEAR(last(0.25), 2.0, 1e-9) << "of which the trace holds none";
  EXPECT_NEAR(last(0.0), 2.0, 1e-9);
  trace.edges[0].time_s.back() = NAN;
  EXPECT_NEAR(last(0.5), 2.0, 1e-9);
}

TEST(Map, KeepsTheExtremes) {
  std::vector<double> times(100 * 50, 1.0);
  times[37 * 50 + 23] = 9.0;  // iteration 37, rank 23
  const LatenessMap map = map_of(made(50, times), 10, 20);
  EXPECT_EQ(map.rows, 10);
  EXPECT_EQ(map.columns, 20);
  EXPECT_DOUBLE_EQ(map.latest_s[(23 / 5) * 20 + 37 / 5], 8.0);
  EXPECT_EQ(std::count(map.latest_s.begin(), map.latest_s.end(), 0.0), 199);
}

TEST(Map, OfASmallRunIsTheRun) {
  const LatenessMap map = map_of(made(2, {1.0, 3.0, 2.0, 2.0}), 10, 10);
  EXPECT_EQ(map.latest_s, (std::vector<double>{0.0, 0.0, 2.0, 0.0}));
}

TEST(Histogram, CountsEveryArrival) {
  const Histogram found = histogram_of(made(4, {0.0, 1.0, 2.0, 4.0}), 4);
  EXPECT_DOUBLE_EQ(found.width_s, 1.0);
  EXPECT_EQ(found.counts, (std::vector<long>{1, 1, 1, 1}));
  EXPECT_EQ(histogram_of(made(2, {1.0, 1.0}), 4).counts, (std::vector<long>{2}));
}

RunRecord run_with_a_late_rank() {
  std::vector<double> times;
  for (int i = 0; i < 40; ++i) times.insert(times.end(), {0.1, 0.1, 0.5, 0.1});
  return record_of(made(4, times, "gather, root 0, 65536 bytes, after region solve"), "sma:5");
}

TEST(Findings, SkewAndTransferAreTheTimeInCollectives) {
  RunRecord run = run_with_a_late_rank();
  EXPECT_TRUE(findings_of(run)["transfer_s"].is_null());
  run.in_call_s = {17.0, 17.0, 1.0, 15.0};  // rank 3 left before the last came: it waited 15 s only
  const auto found = findings_of(run);
  EXPECT_NEAR(found["skew_s"].get<double>(), 16.0 + 16.0 + 0.0 + 15.0, 1e-9);
  EXPECT_NEAR(found["transfer_s"].get<double>(), 1.0 + 1.0 + 1.0 + 0.0, 1e-9);
  EXPECT_NEAR(found["in_collectives_s"].get<double>(), 50.0, 1e-9);
  EXPECT_NEAR(found["elapsed_s"].get<double>(), 20.0 + 0.75, 1e-9);
  EXPECT_NEAR(
      found["recoverable_skew_s"].get<double>() + found["balance_only_skew_s"].get<double>(),
      found["skew_s"].get<double>(), 1e-9);
  EXPECT_GT(found["recoverable_skew_s"].get<double>(), 0.0);
}

TEST(Findings, NameTheCulpritAndWhatHelps) {
  const auto found = findings_of(run_with_a_late_rank());
  const auto& culprit = found["culprits"][0];
  EXPECT_EQ(culprit["rank"], 2);
  EXPECT_NEAR(culprit["charged_s"].get<double>(), 48.0, 1e-9);
  EXPECT_NEAR(culprit["share"].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(culprit["saved_if_on_time_s"].get<double>(), 16.0, 1e-9);
  EXPECT_EQ(found["advice"][0]["kind"], "rank");
  EXPECT_NEAR(found["advice"][0]["saved_s"].get<double>(), 16.0, 1e-9);
  for (const auto& one : found["advice"])  // it would save 12 s, all of them the rank's
    EXPECT_NE(one["kind"], "balance") << one["sentence"];
  EXPECT_EQ(found["summary"],
            "60 % of the processes' time is waiting for who is late. Most of it, 100 %, for rank 2 "
            "at 'gather, root 0, 65536 bytes, after region solve': on time it would save 16.0 s of "
            "20.0 s.");
}

TEST(Findings, EqualWorkIsAdvisedWhereNoRankAloneIsLate) {
  std::vector<double> times;
  for (int i = 0; i < 40; ++i) times.insert(times.end(), {0.1, 0.5, 0.5, 0.1});
  const auto found = findings_of(record_of(made(4, times), "sma:5"));
  EXPECT_EQ(found["advice"][0]["kind"], "balance");
  EXPECT_NEAR(found["advice"][0]["saved_s"].get<double>(), 8.0, 1e-9);  // 0.5 to the mean 0.3
}

TEST(Findings, OneLateCallIsNoMatterOfWork) {
  std::vector<double> times;
  for (int i = 0; i < 40; ++i) times.insert(times.end(), {0.1, 0.1, i == 17 ? 15.1 : 0.1, 0.11});
  const auto found = findings_of(record_of(made(4, times, "solve"), "last"));
  const auto& culprit = found["culprits"][0];
  EXPECT_EQ(culprit["rank"], 2);
  EXPECT_EQ(culprit["latest_in_call"], 17);
  const auto& advice = found["advice"][0];
  EXPECT_EQ(advice["kind"], "stop");
  EXPECT_NEAR(advice["saved_s"].get<double>(), 15.0, 0.01);
  EXPECT_EQ(advice["sentence"],
            "rank 2 kept the others 15.0 s in call 17 of 'solve', longer than "
            "in all others: what stopped it then?");
  for (const auto& one : found["advice"]) EXPECT_NE(one["kind"], "balance") << one["sentence"];
}

TEST(Findings, FewLateCallsAreNoMatterOfWork) {
  const auto advice = [](const std::vector<int>& late, int calls) {
    std::vector<double> times;
    for (int i = 0; i < calls; ++i)
      times.insert(times.end(),
                   {0.1, 0.1, std::ranges::count(late, i) > 0 ? 0.8 + 1e-3 * i : 0.1, 0.1});
    return findings_of(record_of(made(4, times, "solve"), "last"))["advice"][0];
  };
  EXPECT_EQ(advice({50, 100, 150}, 200)["sentence"],
            "rank 2 kept the others 2.40 s in 3 of 200 calls of 'solve', longest in call 150: what "
            "keeps it then?");
  EXPECT_EQ(advice({0}, 200)["sentence"],
            "rank 2 kept the others 700 ms in the first call of 'solve': what does it do before, "
            "alone?");
}

TEST(Findings, ARankThatIsLateEverywhereIsNamed) {
  Trace trace = made(4, {});
  for (int i = 0; i < 400; ++i) {
    trace.arrival_s.insert(trace.arrival_s.end(), {0.1, 0.1, 0.1, 0.13});
    trace.place.push_back(i % 20);
  }
  trace.computing_s = trace.arrival_s;
  for (int p = 0; p < 20; ++p) trace.places.push_back("line " + std::to_string(p));
  const auto found = findings_of(record_of(trace, "last"));
  EXPECT_EQ(
      found["summary"],
      "17 % of the processes' time is waiting for who is late. Most of it, 100 %, for rank 3, "
      "at several places: on time it would save 12.0 s of 52.0 s.");
  EXPECT_EQ(found["advice"][0]["sentence"],
            "rank 3 on time at all places would save 12.0 s: give it less work, or a faster core");
}

TEST(Findings, SumUpWhoIsLate) {
  const auto summary = [](const RunRecord& run) {
    return findings_of(run)["summary"].get<std::string>();
  };
  EXPECT_EQ(summary(record_of(made(3, {}), "last")),
            "Nothing was recorded of all processes, so nobody knows who waited for whom.");
  EXPECT_EQ(summary(record_of(made(3, std::vector<double>(30, 0.1)), "last")),
            "Processes come together: 0 % of their time is waiting for who is late.");
  std::vector<double> by_turns;
  for (int i = 0; i < 40; ++i)
    for (int r = 0; r < 8; ++r) by_turns.push_back(r == i % 8 ? 0.2 : 0.1);
  EXPECT_EQ(summary(record_of(made(8, by_turns), "last")),
            "44 % of the processes' time is waiting for who is late. No rank alone makes the "
            "others wait: of the waiting at most 12 % is for one.");
}

TEST(Findings, ABalancedRunNeedsNoAdvice) {
  const auto found = findings_of(record_of(made(3, std::vector<double>(30, 0.1)), "sma:5"));
  EXPECT_TRUE(found["advice"].empty());
  EXPECT_TRUE(found["culprits"].empty());
  EXPECT_EQ(found["parallel_efficiency"], 1.0);
}

TEST(Findings, OfAnEmptyTraceAreEmpty) {
  const auto found = findings_of(record_of(made(3, {}), "sma:5"));
  EXPECT_TRUE(found["places"].empty());
  EXPECT_EQ(found["elapsed_s"], 0.0);
}

std::string headline_of(const nlohmann::ordered_json& found) {
  std::ostringstream out;
  print_headline(found, out);
  return out.str();
}

/// How many lines it has, each of which a screen is wide enough for.
std::ptrdiff_t lines_on_a_screen(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  return std::ranges::count(text, '\n');
}

TEST(Headline, NamesGiveTheTerminalNoControls) {
  const auto found = findings_of(record_of(
      made(3, {1.0, 1.0, 4.0, 1.0, 1.0, 4.0}, "allreduce, 8 bytes, after region \x1b[2Jsolve"),
      "last"));
  const std::string text = headline_of(found);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("?[2Jsolve"), std::string::npos) << text;
}

TEST(Headline, SaysOfNothingThatItWasNotMeasured) {
  const auto found = findings_of(record_of(made(3, {}), "sma:5"));
  EXPECT_TRUE(found["skew_share"].is_null());
  EXPECT_EQ(headline_of(found),
            "waiting for who is late: not measured, nothing was recorded of all processes\n");
  EXPECT_EQ(headline_of(findings_of(record_of(made(3, std::vector<double>(30, 0.1)), "sma:5")))
                .substr(0, 28),
            "waiting for who is late: 0 %");
}

TEST(ReportShape, NamesWhatIsInAnotherForm) {
  nlohmann::ordered_json report = {{"analysis", findings_of(run_with_a_late_rank())}};
  EXPECT_EQ(fault_of(report).value_or(""), "");
  EXPECT_EQ(fault_of({{"analysis", findings_of(record_of(made(3, {}), "sma:5"))}}).value_or(""),
            "");
  const auto with = [&](const char* place, const nlohmann::ordered_json& value) {
    auto changed = report;
    changed[nlohmann::ordered_json::json_pointer(place)] = value;
    return fault_of(changed).value_or("");
  };
  EXPECT_EQ(with("/analysis/skew_s", "much"), "analysis.skew_s is no number");
  EXPECT_EQ(with("/analysis/skew_s", 1e308), "analysis.skew_s is beyond any time or count");
  EXPECT_EQ(with("/analysis/culprits/0/rank", nullptr), "analysis.culprits[0].rank is no number");
  EXPECT_EQ(with("/analysis/places", 3), "analysis.places is no list");
  EXPECT_EQ(with("/analysis/places/0/forecast", 3), "analysis.places[0].forecast is no object");
  EXPECT_EQ(with("/analysis/places/0/forecast", nullptr), "");
  EXPECT_EQ(with("/analysis/advice/0", nlohmann::ordered_json::object()),
            "analysis.advice[0].sentence is missing");
  EXPECT_EQ(with("/analysis/maps/0/rows", 1e9),
            "analysis.maps.latest_s has no rows x columns numbers");
  EXPECT_EQ(with("/analysis/parallel_efficiency", nullptr),
            "analysis.parallel_efficiency is no number");
  EXPECT_EQ(with("/analysis/gained_s", 1.0), "analysis.gained_lower_s is no number");
  EXPECT_EQ(with("/process", {{{"rank", 0}}}), "process[0].streams is missing");
  report["analysis"].erase("level_changes");  // as an older report
  EXPECT_EQ(fault_of(report).value_or(""), "");
  EXPECT_EQ(fault_of(3).value_or(""), "it is no object");
}

/// Of a report: of lists the first elements stand for all.
std::vector<std::string> places_in(const nlohmann::ordered_json& report) {
  std::vector<std::string> places;
  const std::function<void(const nlohmann::ordered_json&, const std::string&)> add =
      [&](const nlohmann::ordered_json& value, const std::string& place) {
        if (!place.empty()) places.push_back(place);
        if (value.is_object())
          for (const auto& [key, inner] : value.items()) add(inner, place + "/" + key);
        else if (value.is_array() && !value.empty())
          add(value[0], place + "/0");
      };
  add(report, "");
  return places;
}

TEST(ReportShape, WhatPassesCanBeShown) {
  using Json = nlohmann::ordered_json;
  const Json report = {{"analysis", findings_of(run_with_a_late_rank())},
                       {"settings", {{{"name", "PAT_ALG"}, {"value", "gather=bsls"}}}},
                       {"environment", {{"hosts", {"node1"}}}},
                       {"process",
                        {{{"rank", 0},
                          {"streams",
                           {{{"operation", "gather"},
                             {"root", 0},
                             {"leader", 0},
                             {"calls", 4},
                             {"block_bytes", 8},
                             {"calls_by_algorithm", {{"mpi", 4}}},
                             {"reasons", {{{"calls", 4}, {"reason", "small"}}}}}}}}}}};
  const std::vector<std::string> places = places_in(report);
  EXPECT_GT(places.size(), 100u);
  int shown = 0;
  for (const std::string& place : places)
    for (const Json& other :
         {Json(nullptr), Json("x"), Json(-3.5), Json(true), Json::array(), Json::object()}) {
      Json changed = report;
      changed[Json::json_pointer(place)] = other;
      if (!is_report(changed) || fault_of(changed)) continue;
      ++shown;
      EXPECT_NO_THROW(headline_of(changed["analysis"])) << place << ": " << other;
      EXPECT_NO_THROW(page_of({{"run", changed}})) << place << ": " << other;
    }
  EXPECT_GT(shown, 100);
}

TEST(Headline, FitsAScreen) {
  RunRecord run = run_with_a_late_rank();
  run.traces.front().region += std::string(300, 'x');
  const std::string text = headline_of(findings_of(run));
  EXPECT_LE(lines_on_a_screen(text), 21);
  EXPECT_NE(text.find("rank 2 on time"), std::string::npos) << text;
}

TEST(Headline, FitsAScreenWithAllThatThereCanBe) {
  RunRecord run = run_with_a_late_rank();
  run.in_call_s = {17.0, 17.0, 1.0, 15.0};
  const std::string place = "gather, root 0, 65536 bytes, after region " + std::string(48, 'x');
  auto found = findings_of(run);
  found["gained_s"] = found["gained_lower_s"] = found["gained_upper_s"] = 1.0;
  nlohmann::ordered_json culprit = found["culprits"][0], advice = found["advice"][0];
  culprit["place"] = place;
  advice["sentence"] = "PAT_Edge(0.9) in the phase would cut the forecasts' error before '" +
                       place + "' from 12.3 ms to 1.23 ms, and so save up to 123 ms";
  found["culprits"] = std::vector(8, culprit);
  found["advice"] = std::vector(8, advice);
  EXPECT_EQ(lines_on_a_screen(headline_of(found)), 5 + 7 + 1 + 2 * 3);
  found["level_changes"] = std::vector<nlohmann::ordered_json>(3, {{"rank", 2},
                                                                   {"place", place},
                                                                   {"first_call", 20},
                                                                   {"calls", 20},
                                                                   {"size_s", 0.1},
                                                                   {"for_good", true}});
  EXPECT_EQ(lines_on_a_screen(headline_of(found)), 5 + 7 + 2 + 1 + 2 * 3);
}

TEST(Headline, TellsPlacesApart) {
  RunRecord run = run_with_a_late_rank();
  Trace other = run.traces.front();
  other.region = "gather, root 0, 131072 bytes, after region a long one of a library, solver.c:82";
  run.traces.front().region = "gather, root 0, 65536 bytes, after region default";
  run.traces.push_back(other);
  run.groups.push_back(run.groups.front());
  std::ostringstream out;
  print_headline(findings_of(run), out);
  EXPECT_NE(out.str().find("gather, root 0, 65536 B; default\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("solver.c:82\n"), std::string::npos) << out.str();
}

TEST(CutPlace, KeepsTheBeginningAndFileAndLine) {
  const std::string place =
      "allreduce, 8 B; allreduce at src/fields/solver.cpp:81 (ns::Solver<double, 3>::iterate)";
  EXPECT_EQ(cut_place(place, 100), place);
  EXPECT_EQ(cut_place(place, 80),
            "allreduce, 8 B; allreduce at src/fields/solver.cpp:81 (ns::Solver<>::iterate)");
  EXPECT_EQ(cut_place(place, 70),
            "allreduce, 8 B; allreduce at solver.cpp:81 (ns::Solver<>::iterate)");
  EXPECT_EQ(cut_place(place, 50), "allreduce, 8 B; ...solver.cpp:81 (ns::Solver<>:...");
  EXPECT_EQ(cut_place(place, 36), "allreduce...solver.cpp:81 (ns::So...");
  EXPECT_EQ(cut_place("gather, root 0; gather at program+0x11a4", 30),
            "gather, root ...program+0x11a4");
  EXPECT_EQ(cut_place(place, 14), "...lver.cpp:81");
  EXPECT_EQ(cut_place("abcdefghijklmnop", 11), "abcd...mnop");
  for (const char* name : {"operator<<", "a -> b", "read/write", "at/this.cpp:12 (Map<int>::at)"})
    for (std::size_t width = 3; width < 40; ++width) {
      const std::string cut = cut_place(name, width);
      EXPECT_LE(cut.size(), width) << name;
      EXPECT_FALSE(cut.empty()) << name;
    }
}

TEST(Findings, NoRegionNoForecast) {
  RunRecord run = run_with_a_late_rank();
  EXPECT_FALSE(findings_of(run)["places"][0]["forecast"].is_null());
  run.traces.front().computing_s.assign(run.traces.front().arrival_s.size(), 0.0);
  EXPECT_TRUE(findings_of(run)["places"][0]["forecast"].is_null());
}

TEST(Findings, WhatSavesLittleIsNoAdvice) {
  RunRecord run = run_with_a_late_rank();
  run.wall_s = 1601.0;  // of which 1 % is more than anything saves
  EXPECT_TRUE(findings_of(run)["advice"].empty());
  run.wall_s = 1500.0;
  EXPECT_EQ(findings_of(run)["advice"].size(), 1u);
  std::vector<double> times;
  for (int i = 0; i < 40; ++i) times.insert(times.end(), {1e-6, 1e-6, 5e-6, 1e-6});
  EXPECT_TRUE(findings_of(record_of(made(4, times), "sma:5"))["advice"].empty());
}

TEST(Findings, AdviceNamesTheSettingThatStandsInTheWay) {
  const auto says = [](const char* place, bool reproducible) {
    RunRecord run = run_with_a_late_rank();
    run.traces.front().region = place;
    run.reproducible = reproducible;
    const auto found = findings_of(run);
    for (const auto& one : found["advice"])
      if (one["kind"] == "algorithm")
        return one["sentence"].get<std::string>().find("PAT_REPRODUCIBLE=0") != std::string::npos;
    ADD_FAILURE() << "no algorithm is advised at " << place;
    return false;
  };
  EXPECT_TRUE(says("allreduce, 8388608 bytes", true));
  EXPECT_FALSE(says("allreduce, 8388608 bytes", false));
  EXPECT_FALSE(says("gather, root 0, 8388608 bytes", true));
}

/// Eight ranks whose arrivals are known beforehand by who takes the last, and not by equal ones:
/// two leaves that come early in rank order are late in time.
Trace late_leaves(const std::string& region, int iterations = 100) {
  std::vector<double> times;
  for (int i = 0; i < iterations; ++i)
    times.insert(times.end(), {0.10, 0.15, 0.14, 0.10, 0.11, 0.12, 0.13, 0.10});
  return made(8, times, region);
}

const char* const large_gather = "gather, root 0, 1048576 bytes, after region solve";

TEST(Played, SavesWhatTheSimulationOfEachCallSays) {
  const Trace trace = late_leaves(large_gather);
  const CallName call = *parse_call_name(trace.region);
  const CostModel network;
  const auto played = play(trace, call, "last", network);
  ASSERT_TRUE(played);
  EXPECT_EQ(played->calls, 64);
  ASSERT_FALSE(played->algorithm.empty());
  // All calls are alike and foretold exactly: one of them by hand.
  Problem problem;
  problem.operation = call.operation;
  problem.ranks = 8;
  problem.units = *call.block_bytes;
  ArrivalPattern arrivals{{trace.row(0).begin(), trace.row(0).end()}, {}, 0};
  for (double& offset_s : arrivals.offset_s) offset_s -= 0.10;
  const double mpi_s = mpi_run_time_s(price_mpi(problem, network), problem, arrivals, network);
  EXPECT_NEAR(played->as_done_s, 100 * mpi_s, 1e-6);
  const Algorithm& best = get_algorithm(Operation::gather, played->algorithm);
  const double best_s =
      simulate(build_schedule(best, problem, arrivals), arrivals, network).run_time_s();
  EXPECT_NEAR(played->saved_s, 100 * (mpi_s - best_s), 1e-6);
  EXPECT_GT(played->saved_s, 0.05 * played->as_done_s);
  EXPECT_NEAR(played->saved_if_known_s, played->saved_s, 1e-9);
}

TEST(Played, WhatDidTheCallsIsWhatIsCompared) {
  Trace trace = late_leaves(large_gather);
  const CallName call = *parse_call_name(trace.region);
  const std::string best = play(trace, call, "last", CostModel{})->algorithm;
  trace.algorithms = {"mpi", best};
  trace.algorithm.assign(100, 1);
  const auto played = play(trace, call, "last", CostModel{});
  EXPECT_EQ(played->algorithm, "") << "it did them already";
  EXPECT_EQ(played->saved_s, 0.0);
}

TEST(Played, NothingOfWhatIsNotKnown) {
  const auto play_at = [](const Trace& trace, const CallName& call) {
    return play(trace, call, "last", CostModel{}).has_value();
  };
  const CallName call = *parse_call_name(large_gather);
  EXPECT_TRUE(play_at(late_leaves(large_gather), call));
  EXPECT_FALSE(play_at(late_leaves(large_gather), {Operation::gather, 0, {}})) << "no size";
  EXPECT_FALSE(play_at(late_leaves(large_gather), {Operation::gather, 8, 64})) << "no such root";
  EXPECT_FALSE(play_at(late_leaves(large_gather, 7), call)) << "too few calls";
}

TEST(Played, WhoCannotBeForetoldHelpsLessThanWhoIsKnown) {
  std::mt19937 random(1);
  Trace trace = late_leaves(large_gather, 200);
  for (double& one : trace.arrival_s) one = 0.1 + 1e-4 * static_cast<double>(random() % 500);
  trace.computing_s = trace.arrival_s;
  const auto played = play(trace, *parse_call_name(trace.region), "last", CostModel{});
  ASSERT_TRUE(played);
  EXPECT_LT(played->saved_s, 0.9 * played->saved_if_known_s);
}

/// In bounded time: ranks stand for others, and models see some stretches.
TEST(Played, OfManyRanksAndCallsIsASample) {
  Trace trace;
  trace.ranks = 1000;
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i)
    for (int r = 0; r < trace.ranks; ++r)
      trace.arrival_s.push_back(0.1 + (r == 17 ? 0.2 : 1e-5 * static_cast<double>(random() % 100)));
  trace.computing_s = trace.arrival_s;
  trace.region = "reduce, root 0, 65536 bytes";
  const auto played = play(trace, *parse_call_name(trace.region), "last", CostModel{});
  ASSERT_TRUE(played);
  EXPECT_EQ(played->calls, 24);
  EXPECT_GE(played->as_done_s, 400 * 0.199);
  EXPECT_LE(played->saved_s, played->as_done_s - 400 * 0.199);
}

std::string sentence_of(const nlohmann::ordered_json& found, const std::string& kind) {
  for (const auto& one : found["advice"])
    if (one["kind"] == kind) return one["sentence"];
  return "";
}

TEST(Advice, NamesTheAlgorithmWithTheNumberBehindIt) {
  const auto found = findings_of(record_of(late_leaves(large_gather), "last"));
  const auto& played = found["places"][0]["played"];
  const std::string algorithm = played["algorithm"];
  EXPECT_EQ(sentence_of(found, "algorithm"),
            algorithm + " would save " + seconds_text(played["saved_s"]) + " of " +
                seconds_text(played["as_done_s"]) + " at '" + large_gather +
                "' (simulated): PAT_ALG=gather=" + algorithm);
}

TEST(Advice, NoAlgorithmWhereNoneWouldHelp) {
  const auto balanced =
      findings_of(record_of(made(4, std::vector<double>(400, 0.1), large_gather), "last"));
  EXPECT_EQ(sentence_of(balanced, "algorithm"), "");
  EXPECT_EQ(sentence_of(findings_of(record_of(late_leaves("solve"), "last")), "algorithm"), "")
      << "nobody knows what was called there";
}

/// Kinds of phases that the program announces; its ranks are taken to start together, and the calls
/// to be of a size at which knowing the arrivals pays.
Trace hinted() {
  Trace trace = read_trace(std::string(PAT_TRACES) + "/hinted/lammps-rebuild.trace");
  trace.computing_s = trace.arrival_s;
  trace.region = "allreduce, 524288 bytes";
  return trace;
}

TEST(Advice, NamesThePredictorAndTheHintsItGoesBy) {
  Trace trace = hinted();
  const auto found = findings_of(record_of(trace, "sma:5"));
  const auto& forecast = found["places"][0]["forecast"];
  const auto& better = forecast["better_model"];
  ASSERT_FALSE(better.is_null()) << forecast["mean_error_s"];
  EXPECT_LT(better["mean_error_s"].get<double>(), 0.3 * forecast["mean_error_s"].get<double>());
  EXPECT_LT(better["mean_error_s"].get<double>(),
            0.6 * better["mean_error_without_hints_s"].get<double>());
  // What another model would be worth is up to the simulation: say that it is a second.
  auto worth_it = found;
  worth_it["places"][0]["played"]["saved_if_known_s"] =
      1.0 + found["places"][0]["played"]["saved_s"].get<double>();
  worth_it["advice"] = advice_of(worth_it, false);
  const double share =
      1.0 - better["mean_error_s"].get<double>() / forecast["mean_error_s"].get<double>();
  EXPECT_EQ(sentence_of(worth_it, "predictor"),
            "PAT_PREDICTOR=" + better["model"].get<std::string>() +
                ", which goes by the program's hints, would cut the forecasts' error before "
                "'allreduce, 524288 bytes' from " +
                seconds_text(forecast["mean_error_s"]) + " to " +
                seconds_text(better["mean_error_s"]) + ", and so save up to " +
                seconds_text(share));
  // Without hints no number is claimed for them.
  trace.hints.clear();
  const auto without = findings_of(record_of(trace, "sma:5"));
  const auto& other = without["places"][0]["forecast"]["better_model"];
  EXPECT_TRUE(other.is_null() || other["mean_error_without_hints_s"].is_null());
  for (const auto& one : without["advice"])
    EXPECT_EQ(one["sentence"].get<std::string>().find("hint"), std::string::npos) << one;
}

TEST(Advice, AnEdgeWhereItCutsTheErrorOfForecasts) {
  auto found = findings_of(record_of(hinted(), "sma:5"));
  auto& place = found["places"][0];
  const double error_s = place["forecast"]["mean_error_s"];
  place["played"]["saved_if_known_s"] = 1.0 + place["played"]["saved_s"].get<double>();
  const auto said = [&](double error_with_edge_s) {
    place["forecast"]["mean_error_with_edge_s"] = error_with_edge_s;
    found["advice"] = advice_of(found, false);
    return sentence_of(found, "edge");
  };
  EXPECT_EQ(said(0.1 * error_s),
            "PAT_Edge(0.9) in the phase would cut the forecasts' error before "
            "'allreduce, 524288 bytes' from " +
                seconds_text(error_s) + " to " + seconds_text(0.1 * error_s) +
                ", and so save up to 900 ms");
  EXPECT_NE(said(0.59 * error_s), "");
  EXPECT_EQ(said(0.61 * error_s), "");  // less than two fifths
  place["played"]["saved_if_known_s"] = place["played"]["saved_s"];
  EXPECT_EQ(said(0.1 * error_s), "");  // better forecasts would be worth nothing
}

TEST(Advice, NoEdgeWhereTheProgramHasOneThatDoes) {
  const Trace without = hinted();
  Trace with = without;
  Trace::Edge half{.fraction = 0.5, .time_s = {}};
  for (const double computing_s : with.computing_s) half.time_s.push_back(0.5 * computing_s);
  with.edges.push_back(half);
  const auto forecast = [](const Trace& trace) {
    return findings_of(record_of(trace, "ensemble"))["places"][0]["forecast"];
  };
  const double told_s = forecast(with)["mean_error_s"],
               untold_s = forecast(without)["mean_error_s"],
               late_s = forecast(without)["mean_error_with_edge_s"];
  EXPECT_LT(told_s, 0.6 * untold_s);
  EXPECT_LE(late_s, told_s * 1.01);
}

TEST(Findings, TheSummarySaysWhatShareIsAtThePlaceThatItNames) {
  Trace trace = made(3, {});
  for (int i = 0; i < 40; ++i) {
    const double late_s = i % 2 == 0 ? 0.3 : 0.15;
    trace.arrival_s.insert(trace.arrival_s.end(), {0.1, 0.1, 0.1 + late_s});
    trace.place.push_back(i % 2);
  }
  trace.computing_s = trace.arrival_s;
  trace.places = {"a.c:1", "b.c:2"};
  const std::string summary = findings_of(record_of(trace, "last"))["summary"];
  EXPECT_NE(summary.find("Most of it, 100 %, for rank 2, 67 % at 'a.c:1': "), std::string::npos)
      << summary;
}

TEST(Advice, NoPredictorWhereTheRunsOwnIsAsGood) {
  Trace trace = hinted();
  EXPECT_EQ(sentence_of(findings_of(record_of(trace, "ensemble")), "predictor"), "");
}

TEST(Findings, OfATraceThatKnowsWhenCallsWereLeftHaveTransfer) {
  Trace trace = made(2, {1.0, 2.0, 1.0, 2.0});
  trace.left_s = {2.5, 2.5, 1.0, 3.0};  // rank 0 leaves the second at once
  trace.start_s = {0.0, 10.0};
  const auto found = findings_of(record_of(trace, "sma:5"));
  EXPECT_DOUBLE_EQ(found["wall_s"], 13.0);
  EXPECT_DOUBLE_EQ(found["in_collectives_s"], 1.5 + 0.5 + 1.0);
  EXPECT_DOUBLE_EQ(found["skew_s"], 1.0);  // it did not wait for the second
}

std::string page_of_trace(Trace trace) {
  return page_of({{"run", {{"analysis", findings_of(record_of(std::move(trace), "sma:5"))}}}});
}

int times(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

TEST(Page, NamesCannotBecomeMarkup) {
  const std::string page =
      page_of_trace(made(2, {1.0, 2.0}, "</script><script>alert(1)</script><!--<img src=x>"));
  const std::string usual = page_of_trace(made(2, {1.0, 2.0}, "solve"));
  EXPECT_EQ(times(page, "alert(1)"), times(page, "\\u003cscript\\u003ealert(1)"));
  EXPECT_GT(times(page, "alert(1)"), 0);
  for (const char* markup : {"<script", "</script", "<!--", "<img"})
    EXPECT_EQ(times(page, markup), times(usual, markup)) << markup;
}

TEST(Page, ShowsWhereTheRunWasAndWhichSettingsWereChanged) {
  nlohmann::ordered_json report = {
      {"mpi", "some MPI"},
      {"environment", {{"pat", "9.8.7"}, {"hosts", {"node1", "node2"}}, {"cores", 64}}},
      {"settings", {{{"name", "PAT_GAIN"}, {"value", "0.125"}}}},
      {"analysis", findings_of(record_of(made(2, {1.0, 2.0}), "last"))}};
  for (int i = 3; i <= 100; ++i)
    report["environment"]["hosts"].push_back("node" + std::to_string(i));
  const std::string page = page_of({{"run", report}});
  for (const char* shown : {R"("pat":"9.8.7")", R"("cores":64)", R"("PAT_GAIN":"0.125")",
                            R"("mpi":"some MPI")", "node16 and 84 more"})
    EXPECT_NE(page.find(shown), std::string::npos) << shown;
}

TEST(Page, TakesNamesThatAreNoUtf8) {
  EXPECT_NE(page_of_trace(made(2, {1.0, 2.0}, "so\xFFlve")).find("</html>"), std::string::npos);
}

TEST(Page, FetchesNothing) {
  const std::string page = page_of_trace(made(2, {1.0, 2.0}));
  for (const char* from_elsewhere : {" src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(from_elsewhere), std::string::npos) << from_elsewhere;
}

TEST(Page, OfAThousandRanksAndTenThousandCallsIsBelowFiveMegabytes) {
  std::mt19937 random(1);
  std::vector<double> times(1000 * 10000);
  for (double& one : times) one = 1e-3 + 1e-9 * static_cast<double>(random() % 1000000);
  const std::string page = page_of_trace(made(1000, std::move(times)));
  EXPECT_LT(page.size(), 5000000u);
  EXPECT_GT(page.size(), 300000u);  // chart library and map are in it
}

TEST(Words, RanksAreWrittenShortly) {
  EXPECT_EQ(in_words({3}), "rank 3");
  EXPECT_EQ(in_words({0, 1}), "ranks 0 and 1");
  EXPECT_EQ(in_words({0, 1, 2, 4, 6, 7, 8, 9}), "ranks 0-2, 4 and 6-9");
}

TEST(Words, HaveThreeDigits) {
  EXPECT_EQ(seconds_text(0.01234), "12.3 ms");
  EXPECT_EQ(seconds_text(1.5e-6), "1.50 us");
  EXPECT_EQ(seconds_text(0.0), "0 s");
  EXPECT_EQ(seconds_text(250.4), "250 s");
  EXPECT_EQ(percent_text(0.314), "31 %");
  EXPECT_EQ(percent_text(0.0042), "0.4 %");
  EXPECT_EQ(cut("abcdef", 5), "ab...");
  EXPECT_EQ(cut("ab\xC3\xA4\xC3\xA4", 6), "ab\xC3\xA4\xC3\xA4");
}

TEST(Timelines, GoOnlyForward) {
  Trace trace;
  trace.ranks = 2;
  trace.arrival_s = {1, 4, 1, 2};
  trace.computing_s = {1, 3, 1, 2};
  trace.left_s = {2, 6, 3, 3};
  trace.start_s = {0, 5};  // rank 1 is still in its first call then
  Timeline timeline(trace);
  ASSERT_TRUE(timeline.next());
  EXPECT_EQ(timeline.last(), 1);
  EXPECT_EQ(timeline.steps()[0].released_s, 2.0);  // it leaves before the last has come
  EXPECT_EQ(timeline.steps()[1].computing_s, 1.0);
  EXPECT_EQ(timeline.steps()[1].left_s, 6.0);
  ASSERT_TRUE(timeline.next());
  EXPECT_EQ(timeline.begin_s(), 5.0);
  EXPECT_EQ(timeline.steps()[1].computing_s, 6.0);  // not before it has left
  EXPECT_EQ(timeline.steps()[0].released_s, 7.0);
  EXPECT_EQ(timeline.steps()[0].left_s, 8.0);
  EXPECT_FALSE(timeline.next());
}

TEST(Timelines, OfOldTracesHaveOneCallAfterTheOther) {
  Trace trace;
  trace.ranks = 2;
  trace.arrival_s = {1, 4, 1, 2};
  Timeline timeline(trace);
  ASSERT_TRUE(timeline.next());
  EXPECT_EQ(timeline.steps()[0].left_s, 4.0);
  ASSERT_TRUE(timeline.next());
  EXPECT_EQ(timeline.begin_s(), 4.0);
  EXPECT_EQ(timeline.steps()[0].arrival_s, 5.0);
  EXPECT_EQ(timeline.steps()[0].left_s, 6.0);
  EXPECT_EQ(timeline.algorithm(), "");
}

// ---------------------------------------------------------------- what did the calls

/// Three ranks of which the last comes at 3 ms; `mpi` takes 10 ms from there, `sls` 4, `lin` 12,
/// each with up to 1 ms of noise. Every fourth call is one of `lin`'s, if there are any.
Trace done_by(int mpi_calls, int sls_calls, int lin_calls) {
  Trace trace;
  trace.ranks = 3;
  trace.region = "gather, root 0, 8 bytes";
  trace.algorithms = {"sls", "mpi", "lin"};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0.0, 1e-3);
  const auto add = [&](int which, int calls, double takes_s) {
    for (int i = 0; i < calls; ++i) {
      trace.algorithm.push_back(which);
      for (const double arrival : {1e-3, 3e-3, 2e-3}) trace.arrival_s.push_back(arrival);
      for (const double left : {0.3, 1.0, 0.9})
        trace.left_s.push_back(3e-3 + left * (takes_s + noise(random)));
    }
  };
  add(1, mpi_calls, 10e-3);
  add(0, sls_calls, 4e-3);
  add(2, lin_calls, 12e-3);
  trace.computing_s = trace.arrival_s;
  return trace;
}

TEST(Ways, WhatWasGainedAgainstMpi) {
  const std::vector<Way> ways = ways_of(done_by(20, 60, 0));
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].algorithm, "sls");
  EXPECT_EQ(ways[0].calls, 60);
  EXPECT_NEAR(ways[0].after_last_s, 4.5e-3, 0.2e-3);
  ASSERT_TRUE(ways[0].gained_s);
  EXPECT_NEAR(ways[0].gained_s->value_s, 60 * 6e-3, 60 * 0.3e-3);
  EXPECT_GT(ways[0].gained_s->lower_s, 60 * 5e-3);
  EXPECT_LT(ways[0].gained_s->upper_s, 60 * 7e-3);
  EXPECT_LT(ways[0].gained_s->lower_s, ways[0].gained_s->value_s);
  EXPECT_FALSE(ways[1].gained_s) << "mpi against itself";
}

TEST(Ways, NothingIsSaidOfWhatWasNotMeasured) {
  EXPECT_FALSE(ways_of(done_by(5, 60, 0))[0].gained_s) << "too few of mpi";
  EXPECT_FALSE(ways_of(done_by(20, 5, 0))[1].gained_s);
  EXPECT_FALSE(ways_of(done_by(0, 60, 9))[0].gained_s);
  Trace unknown = done_by(20, 20, 0);
  unknown.left_s.clear();
  EXPECT_TRUE(ways_of(unknown).empty());
  unknown = done_by(20, 20, 0);
  unknown.algorithm.clear();
  EXPECT_TRUE(ways_of(unknown).empty());
}

TEST(Ways, TheReportHasThemAndTheHeadlineSaysTheSum) {
  const auto said = [](const Trace& trace) {
    std::ostringstream text;
    print_headline(findings_of(record_of(trace, "last")), text);
    return text.str();
  };
  const auto found = findings_of(record_of(done_by(20, 60, 10), "last"));
  EXPECT_EQ(found["places"][0]["algorithms"].size(), 3u);
  EXPECT_NEAR(found["gained_s"].get<double>(), 0.36 - 0.02, 0.03);
  EXPECT_NE(said(done_by(20, 60, 0)).find("against MPI's own collectives: gained 3"),
            std::string::npos)
      << said(done_by(20, 60, 0));
  EXPECT_NE(said(done_by(20, 0, 60)).find("against MPI's own collectives: lost 1"),
            std::string::npos)
      << said(done_by(20, 0, 60));
  EXPECT_EQ(said(done_by(0, 60, 0)).find("against MPI"), std::string::npos);
}

/// Two halves of the same: the interval must hold 0 in nearly all of many draws.
TEST(Ways, NoGainIsSeldomTakenForOne) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> takes(-6.0, 0.8);
  int wrong = 0;
  constexpr int draws = 2000;
  for (int draw = 0; draw < draws; ++draw) {
    Trace trace;
    trace.ranks = 1;
    trace.algorithms = {"mpi", "ring"};
    for (int i = 0; i < 40; ++i) {
      trace.algorithm.push_back(i % 2);
      trace.arrival_s.push_back(0.0);
      trace.left_s.push_back(takes(random));
    }
    for (const Way& way : ways_of(trace))
      wrong += way.gained_s && (way.gained_s->lower_s > 0.0 || way.gained_s->upper_s < 0.0);
  }
  EXPECT_LT(wrong, draws / 20);
}

}  // namespace
}  // namespace pat
