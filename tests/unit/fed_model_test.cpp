// When a model is fed: with what somebody wants foretold, with all of it where phases are long,
// with less where they are short against the model.

#include "libpat/agreement/fed_model.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/clock.hpp"
#include "libpat/agreement/region.hpp"

namespace pat::detail {
namespace {

/// What a model was told, in order.
struct Told {
  std::vector<double> observed_s;
  std::vector<double> with_edge_s;  // of those, whose edge was known
  std::vector<double> edges_s;      // of the phase that is not observed yet
  int forecasts = 0;
};

/// Notes what it is told, and takes its time for it.
class Recording : public Predictor {
 public:
  explicit Recording(Told& told, double cost_s = 0.0) : told_(told), cost_s_(cost_s) {}
  void observe(const Observation& observation) override {
    const std::int64_t until_ns = thread_cpu_ns() + static_cast<std::int64_t>(1e9 * cost_s_);
    while (thread_cpu_ns() < until_ns) {
    }
    told_.observed_s.push_back(observation.computing_s);
    if (!told_.edges_s.empty()) told_.with_edge_s.push_back(observation.computing_s);
    told_.edges_s.clear();
  }
  void observe_edge(double, double elapsed_s) override { told_.edges_s.push_back(elapsed_s); }
  void forget_edge() override { told_.edges_s.clear(); }
  Forecast forecast() const override {
    ++told_.forecasts;
    if (told_.observed_s.empty()) return {};
    const double last_s = told_.observed_s.back();
    return {last_s, last_s, last_s, true};
  }
  void reset() override { told_ = {}; }

 private:
  Told& told_;
  const double cost_s_;
};

constexpr double long_s = 10.0;

void end_phases(FedModel& model, int count, double length_s) {
  for (int i = 0; i < count; ++i) model.note_end(length_s, length_s, {}, {});
}

TEST(FedModel, DoesNothingWhileNobodyAsks) {
  Told told;
  FedModel model(std::make_unique<Recording>(told));
  for (int i = 0; i < 10000; ++i)
    model.note_end(long_s, long_s, {{"n", 1.0}}, EdgeReading{0.5, 5.0});
  EXPECT_TRUE(told.observed_s.empty());
  EXPECT_TRUE(told.edges_s.empty());
  EXPECT_EQ(told.forecasts, 0);
  EXPECT_FALSE(model.last().known);
}

TEST(FedModel, SeesTheLatestPhasesInOrderWhenAsked) {
  Told told;
  FedModel model(std::make_unique<Recording>(told));
  constexpr int phases = 100, waiting = static_cast<int>(FedModel::most_waiting);
  for (int i = 0; i < phases; ++i) model.note_end(long_s + i, long_s + i, {}, {});
  EXPECT_EQ(model.foretell({}, {}).mean_s, long_s + phases - 1);
  ASSERT_EQ(told.observed_s.size(), FedModel::most_waiting);
  for (int i = 0; i < waiting; ++i)
    EXPECT_EQ(told.observed_s[static_cast<std::size_t>(i)], long_s + phases - waiting + i);
  model.foretell({}, {});
  EXPECT_EQ(told.observed_s.size(), FedModel::most_waiting) << "each once";
}

/// A batch is worth what its phases one by one are, with edges and hints.
TEST(FedModel, SaysTheSameInBatchesAsOneByOneWherePhasesAreLong) {
  for (const char* name : {"ensemble", "blend", "edge", "regression", "arma:2,1"}) {
    const auto alone = make_predictor(name);
    FedModel model(make_predictor(name));
    for (int i = 0; i < 400; ++i) {
      const double length_s = long_s + i % 7 + 0.1 * (i % 3);
      const Hints hints = {{"kind", static_cast<double>(i % 7)}};
      const EdgeReading edge{0.5, 0.5 * length_s + 0.01 * (i % 5)};
      alone->observe_hint(hints[0].first, hints[0].second);
      alone->observe_edge(edge.fraction, edge.elapsed_s);
      const Forecast expected = alone->forecast();
      if (i % 50 == 49) {
        const Forecast made = model.foretell(hints, edge);
        EXPECT_EQ(made.known, expected.known) << name << " " << i;
        EXPECT_DOUBLE_EQ(made.mean_s, expected.mean_s) << name << " " << i;
        EXPECT_DOUBLE_EQ(made.upper_s, expected.upper_s) << name << " " << i;
      }
      alone->observe({length_s, hints});
      model.note_end(length_s, length_s, hints, edge);
    }
  }
}

/// Processor time decides, so a busy machine changes nothing.
TEST(FedModel, TakesAShareOfShortPhasesAndNoMore) {
  constexpr double phase_s = 1e-3, cost_s = 100e-6;
  constexpr int phases = 4000;
  Told told;
  FedModel model(std::make_unique<Recording>(told, cost_s));
  for (int i = 0; i < phases; ++i) {
    end_phases(model, 1, phase_s);
    model.foretell({}, {});
  }
  const double most = (FedModel::share * phases * phase_s + FedModel::most_saved_s) / cost_s;
  EXPECT_LE(static_cast<double>(told.observed_s.size()), most + 1);
  EXPECT_GE(static_cast<double>(told.observed_s.size()), 0.2 * most) << "and takes it";
}

/// Of phases that alternate it sees both kinds, and that one follows the other.
TEST(FedModel, ThinnedSeesSomePhasesInARow) {
  constexpr double phase_s = 1e-3;
  Told told;
  FedModel model(std::make_unique<Recording>(told, 100e-6));
  constexpr int phases = 4000;
  for (int i = 0; i < phases; ++i) {
    model.note_end(i * 1e-9 + phase_s, phase_s, {}, {});
    model.foretell({}, {});
  }
  const auto number = [&](std::size_t at) {
    return static_cast<int>((told.observed_s[at] - phase_s) * 1e9 + 0.5);
  };
  std::size_t seen = told.observed_s.size(), in_a_row = 0, odd = 0;
  ASSERT_LT(seen, phases / 2) << "it is thinned";
  for (std::size_t i = 1; i < seen; ++i) {
    in_a_row += number(i) == number(i - 1) + 1;
    odd += number(i) % 2;
  }
  EXPECT_GE(in_a_row, seen / 3);
  EXPECT_GE(odd, seen / 5);
  EXPECT_LE(odd, seen - seen / 5);
}

TEST(FedModel, SeesAllAgainWhenPhasesAreLongAgain) {
  Told told;
  FedModel model(std::make_unique<Recording>(told, 100e-6));
  for (int i = 0; i < 500; ++i) {
    end_phases(model, 1, 1e-6);
    model.foretell({}, {});
  }
  const std::size_t before = told.observed_s.size();
  for (int i = 0; i < 50; ++i) {
    end_phases(model, 1, long_s);
    EXPECT_EQ(model.foretell({}, {}).mean_s, long_s);
  }
  EXPECT_GE(told.observed_s.size(), before + 50);
}

TEST(FedModel, SeesAllThatWaitsWhenTheProgramAsks) {
  Told told;
  FedModel model(std::make_unique<Recording>(told, 100e-6));
  for (int i = 0; i < 50; ++i) {
    model.note_end(1e-6 * i, 1e-6, {}, {});
    EXPECT_EQ(model.foretell_from_all({}, {}).mean_s, 1e-6 * i);
  }
}

TEST(FedModel, EdgesAreTheirPhases) {
  Told told;
  FedModel model(std::make_unique<Recording>(told));
  model.note_end(1.0, long_s, {}, EdgeReading{0.5, 0.5});
  model.note_end(2.0, long_s, {}, {});
  model.note_end(3.0, long_s, {}, EdgeReading{0.5, 1.5});
  model.foretell({}, EdgeReading{0.5, 2.0});
  EXPECT_EQ(told.with_edge_s, (std::vector{1.0, 3.0}));
  EXPECT_EQ(told.edges_s, (std::vector{2.0})) << "of the present phase";
  model.note_end(4.0, long_s, {}, EdgeReading{0.75, 3.0});
  model.foretell({}, {});
  EXPECT_EQ(told.with_edge_s, (std::vector{1.0, 3.0, 4.0}));
  EXPECT_TRUE(told.edges_s.empty());
}

/// The model knew the edge of a phase, which it then does not see.
TEST(FedModel, AnEdgeOfAPhaseThatIsPassedOverIsForgotten) {
  Told told;
  FedModel model(std::make_unique<Recording>(told));
  model.note_end(0.0, long_s, {}, {});
  model.foretell({}, EdgeReading{0.5, 0.5});
  for (std::size_t i = 0; i < 1 + FedModel::most_waiting; ++i)
    model.note_end(1.0, long_s, {}, i == 0 ? std::optional<EdgeReading>({0.5, 0.5}) : std::nullopt);
  model.foretell({}, {});
  EXPECT_EQ(told.observed_s.size(), 1 + FedModel::most_waiting);
  EXPECT_TRUE(told.with_edge_s.empty());
}

// ---------------------------------------------------------------- regions

ProgressEvent event(ProgressEvent::Kind kind, double at_s, std::uint32_t phase, float share = 0) {
  return {1 + static_cast<std::int64_t>(at_s * 1e9), {{share, phase, 0}}, kind};
}

TEST(ForecastErrors, AreOfThosePhasesThatWereForetold) {
  RegionState region(0, "solver");
  region.begin("last");
  for (std::uint32_t i = 0; i < 10; ++i) {
    region.take(event(ProgressEvent::Kind::start, 10.0 * i, i));
    if (i == 4 || i == 7) region.foretell();
    region.take(event(ProgressEvent::Kind::end, 10.0 * i + (i == 7 ? 3.0 : 1.0), i));
  }
  EXPECT_EQ(region.totals.phases, 10u);
  EXPECT_EQ(region.totals.errors.count, 2u);
  EXPECT_NEAR(region.totals.errors.mean_absolute_s(), 1.0, 1e-9);
}

TEST(ForecastErrors, HoldWhatWasSaidBetweenTwoPhasesOfTheNext) {
  RegionState region(0, "solver");
  region.begin("last");
  region.take(event(ProgressEvent::Kind::start, 0.0, 0));
  region.take(event(ProgressEvent::Kind::end, 1.0, 0));
  region.foretell_from_all();
  region.take(event(ProgressEvent::Kind::start, 2.0, 1));
  region.take(event(ProgressEvent::Kind::end, 5.0, 1));
  EXPECT_EQ(region.totals.errors.count, 1u);
  EXPECT_NEAR(region.totals.errors.mean_absolute_s(), 2.0, 1e-9);
}

}  // namespace
}  // namespace pat::detail
