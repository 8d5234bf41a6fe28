// The parts of the agreement protocol that need no MPI: leader, decisions on the wire.

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"
#include "libpat/decision.hpp"
#include "libpat/leader.hpp"
#include "libpat/reasons.hpp"

namespace pat {
namespace {

Report report(std::uint32_t call, double arrival_ms, double forecast_ms = -1.0,
              std::uint32_t flags = 0) {
  Report r;
  r.call = call;
  r.arrival_ns = static_cast<std::int64_t>(arrival_ms * 1e6);
  r.forecast_s = static_cast<float>(forecast_ms * 1e-3);
  r.flags = flags;
  return r;
}

TEST(Leader, UsesWhatWasReported) {
  Leader leader(3, 64);
  leader.take(0, report(5, 1010));
  leader.take(1, report(5, 1000));
  leader.take(2, report(5, 1030));
  const ArrivalPattern pattern = leader.pattern(5);
  EXPECT_NEAR(pattern.offset_s[0], 0.010, 1e-9);
  EXPECT_NEAR(pattern.offset_s[1], 0.000, 1e-9);
  EXPECT_NEAR(pattern.offset_s[2], 0.030, 1e-9);
  EXPECT_EQ(leader.first_arrival_ns(5), 1'000'000'000);
  EXPECT_FALSE(leader.first_arrival_ns(6).has_value());
}

TEST(Leader, FillsGapsFromHistory) {
  Leader leader(3, 64);
  leader.take(2, report(4, 500, 40));   // of the call before: computes 40 ms
  leader.take(0, report(5, 1010, 10));  // began at 1000
  leader.take(1, report(5, 1020, 20));  // began at 1000
  const ArrivalPattern pattern = leader.pattern(5);
  EXPECT_NEAR(pattern.offset_s[1], 0.010, 1e-6);
  EXPECT_NEAR(pattern.offset_s[2], 0.030, 1e-6) << "began at 1000 like the others, takes 40 ms";
}

TEST(Leader, KnowsNothingAndSaysSo) {
  Leader leader(2, 64);
  const ArrivalPattern pattern = leader.pattern(1);
  EXPECT_EQ(pattern.offset_s, (std::vector<double>{0.0, 0.0}));
  EXPECT_TRUE(std::isinf(pattern.half_width_s[0]));
}

TEST(Leader, MendsWhatIsNoTime) {
  Leader leader(3, 64);
  Report broken = report(1, 10);
  broken.forecast_s = NAN;
  broken.half_width_s = NAN;
  leader.take(0, broken);
  leader.take(1, report(1, -5));
  leader.take(2, report(1, 20, INFINITY));
  for (const double offset_s : leader.pattern(1).offset_s) {
    EXPECT_TRUE(std::isfinite(offset_s));
    EXPECT_GE(offset_s, 0.0);
  }
}

TEST(Leader, IgnoresOldReportsAndKeepsArrivals) {
  Leader leader(1, 64);
  leader.take(0, report(3, 100, -1, Report::arrived));
  leader.take(0, report(2, 700));
  leader.take(0, report(3, 900));
  EXPECT_EQ(leader.first_arrival_ns(3), 100'000'000);
  EXPECT_TRUE(leader.complete(3));
  EXPECT_FALSE(leader.complete(4));
}

Decision decision_at(std::vector<double> offsets_s) {
  Decision decision;
  set_pattern(decision, ArrivalPattern{std::move(offsets_s), {}, 0});
  return decision;
}

TEST(Lease, GrowsWhileThePatternIsStableUpToItsLimit) {
  Leader leader(2, 8);
  for (const std::uint32_t expected : {1u, 2u, 4u, 8u, 8u})
    EXPECT_EQ(leader.lease(decision_at({0.0, 0.010}), true), expected);
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.0101}), true), 8u) << "a move of 1 % is no change";
  EXPECT_EQ(leader.lease(decision_at({0.010, 0.0}), true), 1u) << "the order has turned";
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.020}), false), 2u) << "an algorithm that ignores it";
  for (const std::uint32_t expected : {4u, 4u, 4u})
    EXPECT_EQ(leader.lease(decision_at({0.0, 0.0}), false, false), expected) << "arrivals unknown";
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.0}), false), 8u) << "known again";
}

TEST(Decision, TravelsInOnePieceOrInMany) {
  for (const int ranks : {1, 2, 33, 2000, 5000}) {
    Decision sent;
    sent.communicator = 7;
    sent.stream = 3;
    sent.first = 41;
    sent.count = 64;
    sent.live = true;
    std::vector<double> offsets_s;
    for (int r = 0; r < ranks; ++r) offsets_s.push_back(1e-4 * ((r * 37) % 101));
    set_pattern(sent, ArrivalPattern{offsets_s, {}, 0});
    const auto messages = encode(sent, 4096);
    DecisionReader reader;
    Decision got;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_LE(messages[i].size(), 4096u);
      EXPECT_EQ(reader.read(messages[i].data(), messages[i].size(), got), i + 1 == messages.size());
    }
    EXPECT_EQ(got.ticks, sent.ticks);
    EXPECT_EQ(got.pattern().offset_s, sent.pattern().offset_s) << "to the last bit";
    EXPECT_EQ(got.first, 41u);
    EXPECT_TRUE(got.covers(41) && got.covers(104) && !got.covers(105) && !got.covers(40));
    EXPECT_TRUE(got.live);
    for (int r = 0; r < ranks; ++r)
      EXPECT_NEAR(got.pattern().offset_s[static_cast<std::size_t>(r)],
                  offsets_s[static_cast<std::size_t>(r)], 2 * got.tick_s);
  }
}

TEST(Decision, RefusesMalformedMessages) {
  Decision sent;
  set_pattern(sent, ArrivalPattern::flat(4));
  auto message = encode(sent, 4096).front();
  DecisionReader reader;
  Decision got;
  EXPECT_THROW(reader.read(message.data(), 10, got), Error);
  EXPECT_THROW(reader.read(message.data(), message.size() - 1, got), Error);
}

TEST(Reasons, ThatDifferInNumbersAreOneAndTheLatestStandsForThem) {
  Reasons reasons;
  EXPECT_TRUE(reasons.by_calls().empty());
  reasons.take_back(1);
  reasons.add("mpi: the arrival of rank 3 is not known", 1);
  reasons.add("bsls with window 2: 81.3 ms against 1.2 s of mpi; gain -3 %", 4);
  reasons.add("mpi: the arrival of rank 12 is not known", 1);
  reasons.add("bsls with window 2: 410 us against 1e+03 s of mpi; gain 12 %", 64);
  reasons.add("sls: 410 us against 2 ms of mpi; gain 12 %", 64);
  reasons.take_back(60);
  const auto list = reasons.by_calls();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].calls, 68u);
  EXPECT_EQ(list[0].latest, "bsls with window 2: 410 us against 1e+03 s of mpi; gain 12 %");
  EXPECT_EQ(list[1].calls, 4u);
  EXPECT_EQ(list[2].calls, 2u);
  EXPECT_EQ(list[2].latest, "mpi: the arrival of rank 12 is not known");
}

}  // namespace
}  // namespace pat
