// What is known of regions without MPI: phases with pauses, places that are used again, mistakes.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "libpat/agreement/mistakes.hpp"
#include "libpat/agreement/region.hpp"
#include "libpat/agreement/region_places.hpp"
#include "libpat/agreement/region_sums.hpp"

namespace pat::detail {
namespace {

using Kind = ProgressEvent::Kind;

/// A region whose program says something at times in milliseconds.
class Told {
 public:
  explicit Told(const std::string& predictor = "last") { region.begin(predictor); }

  bool tell(Kind kind, double at_ms, double fraction = 0.0) {
    const std::uint32_t iteration = phase_;
    if (kind == Kind::end) ++phase_;
    return region.take({1 + static_cast<std::int64_t>(at_ms * 1e6),
                        {{static_cast<float>(fraction), iteration, region.id}},
                        kind});
  }
  /// A phase of 10 ms computing with a pause after 4 ms of them.
  void phase(double begin_ms, double pause_ms) {
    tell(Kind::start, begin_ms);
    tell(Kind::pause, begin_ms + 4);
    tell(Kind::resume, begin_ms + 4 + pause_ms);
    tell(Kind::end, begin_ms + 10 + pause_ms);
  }

  RegionState region{0, "solver"};

 private:
  std::uint32_t phase_ = 0;
};

TEST(Pauses, AreNoComputing) {
  Told told;
  told.phase(0, 30);
  EXPECT_NEAR(told.region.record.computing_s(), 0.010, 1e-9);
  EXPECT_NEAR(told.region.totals.computing_s, 0.010, 1e-9);
  EXPECT_NEAR(told.region.totals.paused_s, 0.030, 1e-9);
  told.region.foretell();
  EXPECT_NEAR(told.region.forecast.mean_s, 0.010, 1e-9) << "what the model has learnt";
}

TEST(Pauses, ThatNoEventToldOfYetAreExpectedToo) {
  Told told;
  told.tell(Kind::start, 0);
  told.region.untold_pauses_ns = 7'000'000;
  EXPECT_NEAR(told.region.expected_pause_s(), 0.007, 1e-9);
}

TEST(Phases, ThatDoNotEndAreNoneOnceTheProgramHasGoneElsewhere) {
  Told told;
  told.phase(0, 0);
  told.tell(Kind::start, 20);
  ASSERT_TRUE(told.region.is_computing());
  told.tell(Kind::leave, 50);
  EXPECT_FALSE(told.region.is_computing());
  told.tell(Kind::start, 60);  // the same iteration again
  told.tell(Kind::end, 70);
  told.region.foretell();
  EXPECT_EQ(told.region.totals.phases, 2U);
  EXPECT_NEAR(told.region.totals.computing_s, 0.020, 1e-9);
  EXPECT_NEAR(told.region.forecast.mean_s, 0.010, 1e-9);
}

TEST(Phases, ThatHaveEndedStayAsTheyAreWhenTheProgramGoesElsewhere) {
  Told told;
  told.phase(0, 0);
  told.tell(Kind::leave, 50);
  EXPECT_NEAR(told.region.record.computing_s(), 0.010, 1e-9);
  EXPECT_EQ(told.region.totals.phases, 1U);
}

TEST(Pauses, SeveralInAPhaseAddUpAndTheEndEndsTheLast) {
  Told told;
  told.tell(Kind::start, 0);
  told.tell(Kind::pause, 1);
  told.tell(Kind::resume, 3);
  told.tell(Kind::pause, 4);
  told.tell(Kind::end, 9);
  EXPECT_NEAR(told.region.record.computing_s(), 0.002, 1e-9);
  EXPECT_NEAR(told.region.totals.paused_s, 0.007, 1e-9);
  told.tell(Kind::start, 20);
  EXPECT_TRUE(told.tell(Kind::edge, 21, 0.5)) << "it is not paused any more";
}

TEST(Pauses, AreExpectedAsInRecentPhases) {
  Told told;
  told.phase(0, 30);
  told.tell(Kind::start, 100);
  told.region.foretell();
  EXPECT_NEAR(told.region.forecast.mean_s, 0.010, 1e-9);
  EXPECT_NEAR(told.region.until_arrival().mean_s, 0.040, 1e-9) << "computing and pause";
  EXPECT_NEAR(told.region.until_arrival().half_width_s(), told.region.forecast.half_width_s(),
              1e-12);
  told.tell(Kind::pause, 104);
  EXPECT_FALSE(told.tell(Kind::resume, 114)) << "as expected: nothing to report";
  EXPECT_NEAR(told.region.until_arrival().mean_s, 0.040, 1e-9);
  told.tell(Kind::pause, 115);
  EXPECT_TRUE(told.tell(Kind::resume, 165)) << "longer than expected: the arrival moves";
  EXPECT_NEAR(told.region.until_arrival().mean_s, 0.070, 1e-9);
}

TEST(Pauses, ExpectedFollowWhatThePhasesDo) {
  Told told;
  double begin_ms = 0;
  const auto phases = [&](int count, double pause_ms) {
    for (int i = 0; i < count; ++i, begin_ms += 1000) told.phase(begin_ms, pause_ms);
  };
  phases(4, 20);
  EXPECT_NEAR(told.region.expected_pause_s(), 0.020, 1e-9);
  phases(60, 5);
  EXPECT_NEAR(told.region.expected_pause_s(), 0.005, 1e-4);
}

TEST(Pauses, DoNotCountForTheShareThatIsDone) {
  Told told("edge");
  told.phase(0, 0);
  told.tell(Kind::start, 100);
  told.tell(Kind::pause, 101);
  EXPECT_FALSE(told.tell(Kind::edge, 102, 0.1)) << "an edge inside a pause says nothing";
  told.tell(Kind::resume, 151);
  EXPECT_TRUE(told.tell(Kind::edge, 155, 0.5));
  told.region.foretell();
  EXPECT_NEAR(told.region.forecast.mean_s, 0.010, 1e-3) << "half of it took 5 ms";
}

TEST(Edges, OfThePhaseThatHasEndedAreKept) {
  Told told;
  const auto expect = [&](std::vector<std::pair<int, float>> wanted_ms) {
    const auto kept = told.region.last_edges.all();
    ASSERT_EQ(kept.size(), wanted_ms.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(kept[i].percent, wanted_ms[i].first);
      EXPECT_NEAR(kept[i].time_s, 1e-3F * wanted_ms[i].second, 1e-6F);
    }
  };
  told.tell(Kind::start, 0);
  told.tell(Kind::edge, 2, 0.2);
  told.tell(Kind::pause, 3);
  told.tell(Kind::resume, 8);
  told.tell(Kind::edge, 10, 0.499);
  told.tell(Kind::edge, 11, 0.501);  // the same share, later
  expect({});
  told.tell(Kind::end, 15);
  expect({{20, 2.0F}, {50, 6.0F}});  // without the pause
  told.tell(Kind::start, 20);
  for (int e = 1; e <= 20; ++e) told.tell(Kind::edge, 20 + e, 0.04 * e);
  expect({{20, 2.0F}, {50, 6.0F}});
  told.tell(Kind::end, 50);
  expect({{4, 1}, {8, 2}, {12, 3}, {16, 4}, {20, 5}, {24, 6}, {28, 7}, {32, 8}});
  told.phase(60, 0);
  expect({});
}

TEST(Places, AreUsedAgainAndNothingOfTheOldRegionIsLeftButTotals) {
  RegionState place(3, "solver");
  place.begin("last");
  place.take({1000, {{0.0f, 0, 3}}, Kind::start});
  place.hints.emplace_back("elements", 1.0);
  place.take({2000, {{1.0f, 0, 3}}, Kind::end});
  place.foretell();
  place.pattern = ArrivalPattern::flat(4);
  const std::uint32_t generation = place.generation;
  place.started_ns = 5;  // a session may end inside a phase
  place.free();
  EXPECT_EQ(place.started_ns, 0) << "who looks on would take it for a phase that lasts";
  EXPECT_NE(place.generation, generation);
  EXPECT_FALSE(place.take({3000, {{0.0f, 1, 3}}, Kind::start})) << "there is no region";
  place.begin("last");
  EXPECT_FALSE(place.forecast.known);
  EXPECT_FALSE(place.is_computing());
  EXPECT_TRUE(place.last_hints.empty());
  EXPECT_EQ(place.pattern.ranks(), 0);
  EXPECT_EQ(place.totals.regions, 2u);
  EXPECT_EQ(place.totals.phases, 1u);
}

TEST(Places, DoNotTakeAnEdgeOfTheRegionBefore) {
  RegionState place(0, "solver");
  place.begin("edge");
  place.take({1000, {{0.0f, 6, 0}}, Kind::start});
  place.take({2000, {{1.0f, 6, 0}}, Kind::end});
  place.free();
  place.begin("edge");
  place.take({9000, {{0.0f, 7, 0}}, Kind::start});
  EXPECT_FALSE(place.take({9500, {{0.5f, 6, 0}}, Kind::edge}));
  EXPECT_EQ(place.record.edges, 0u);
}

TEST(Places, StayWhereTheyAreWhileOthersAreAdded) {
  constexpr std::uint32_t count = 5000;
  RegionPlaces places;
  RegionState* const first = &places.add("first");
  std::thread reader([&] {
    for (std::uint32_t seen = 0; seen < count;) {
      seen = places.size();
      EXPECT_EQ(places.find(0), first);
      EXPECT_EQ(places.find(seen - 1)->id, seen - 1);
    }
  });
  for (std::uint32_t id = 1; id < count; ++id) places.add(std::to_string(id));
  reader.join();
  for (std::uint32_t id = 1; id < count; ++id) ASSERT_EQ(places.find(id)->name, std::to_string(id));
  EXPECT_EQ(places.find(count), nullptr);
}

TEST(Mistakes, AreCountedByKindAndRegion) {
  Mistakes mistakes;
  using Say = Mistakes::Say;
  EXPECT_EQ(mistakes.add("edge", "solver", "the first"), Say::it);
  EXPECT_EQ(mistakes.add("edge", "solver", "the second"), Say::nothing);
  EXPECT_EQ(mistakes.add("edge", "mesh", "elsewhere"), Say::it);
  EXPECT_EQ(mistakes.add("end", "solver", "of another kind"), Say::it);
  const std::vector<Mistake> all = mistakes.all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].region, "solver");
  EXPECT_EQ(all[1].times, 2u);
  EXPECT_EQ(all[1].first, "the first");
}

/// A program that gives each region a name of its own fills neither a log nor memory.
TEST(Mistakes, OfManyNamesAreSaidOfTheFirstFew) {
  Mistakes mistakes;
  std::vector<Mistakes::Say> said;
  for (int i = 0; i < 5000; ++i) {
    const auto say = mistakes.add("edge", "region " + std::to_string(i), "outside");
    if (say != Mistakes::Say::nothing) said.push_back(say);
  }
  ASSERT_EQ(said.size(), Mistakes::most_said);
  EXPECT_EQ(said.front(), Mistakes::Say::it);
  EXPECT_EQ(said.back(), Mistakes::Say::that_it_is_the_last);
  EXPECT_EQ(mistakes.add("end", "region 4999", "of another kind"), Mistakes::Say::it);
  std::uint64_t times = 0;
  for (const Mistake& one : mistakes.all()) times += one.times;
  EXPECT_EQ(times, 5001u);
  EXPECT_LE(mistakes.all().size(), RegionSums::most_names + 2);
}

}  // namespace
}  // namespace pat::detail
