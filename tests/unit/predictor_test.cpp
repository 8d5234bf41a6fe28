#include "predictors/predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/errors.hpp"
#include "tests/unit/held_bytes.hpp"

namespace pat {
namespace {

void feed(Predictor& model, std::initializer_list<double> values) {
  for (const double x : values) model.observe({x, {}});
}

TEST(Last, RepeatsTheLastValue) {
  const auto model = make_predictor("last");
  EXPECT_FALSE(model->forecast().known);
  feed(*model, {1.0, 3.0});
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 3.0);
}

TEST(Sma, AveragesItsWindow) {
  const auto model = make_predictor("sma:3");
  feed(*model, {10.0, 1.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 2.0);
  EXPECT_DOUBLE_EQ(
      [] {
        const auto five = make_predictor("sma");
        feed(*five, {100.0, 1.0, 2.0, 3.0, 4.0, 5.0});
        return five->forecast().mean_s;
      }(),
      3.0);
}

TEST(Edge, ExtrapolatesAndForgets) {
  const auto model = make_predictor("edge");
  model->observe_edge(0.5, 2.0);
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 4.0);
  feed(*model, {5.0});
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 5.0);
  for (const double bad : {0.0, 1.0, -1.0, 2.0, std::nan("")}) model->observe_edge(bad, 1.0);
  model->observe_edge(0.5, -1.0);
  model->observe_edge(0.5, INFINITY);
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 5.0);
}

TEST(Ewma, WeightsFallGeometrically) {
  const auto model = make_predictor("ewma:0.5");
  feed(*model, {4.0, 8.0, 2.0});  // the first weights are 1 and 1/2
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 0.5 * 2.0 + 0.5 * (0.5 * 8.0 + 0.5 * 4.0));
}

TEST(Holt, FollowsALine) {
  const auto model = make_predictor("holt");
  for (int i = 0; i < 200; ++i) model->observe({1.0 + 0.01 * i, {}});
  EXPECT_NEAR(model->forecast().mean_s, 3.0, 1e-3);
  EXPECT_NEAR(model->forecast_ahead(10).mean_s, 3.09, 1e-3);
}

TEST(Median, IgnoresSpikes) {
  const auto model = make_predictor("median:5");
  feed(*model, {1.0, 1.1, 50.0, 1.2, 0.9});
  EXPECT_DOUBLE_EQ(model->forecast().mean_s, 1.1);
}

TEST(Seasonal, FindsThePeriodAndLooksAhead) {
  const double shape[] = {1.0, 1.2, 3.0, 0.8, 1.1, 0.7, 2.0};
  const auto model = make_predictor("seasonal");
  for (int i = 0; i < 140; ++i) model->observe({shape[i % 7], {}});
  for (int ahead = 1; ahead <= 7; ++ahead)
    EXPECT_NEAR(model->forecast_ahead(ahead).mean_s, shape[(139 + ahead) % 7], 1e-9) << ahead;
}

TEST(Ar, ForecastsAnAlternation) {
  const auto model = make_predictor("ar:1");
  for (int i = 0; i < 100; ++i) model->observe({i % 2 == 0 ? 1.0 : 2.0, {}});
  EXPECT_NEAR(model->forecast().mean_s, 1.0, 0.05);
  EXPECT_NEAR(model->forecast_ahead(2).mean_s, 2.0, 0.05);
}

TEST(Blend, TrustsWhatHasBeenRight) {
  // Edges that say nothing about the phase: the history decides. And the other way round.
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto by_history = make_predictor("blend"), by_edge = make_predictor("blend");
  for (int i = 0; i < 200; ++i) {
    by_history->observe_edge(0.5, 0.5 + 0.1 * normal(random));
    by_history->observe({1.0, {}});
    const double x = 1.0 + 0.2 * std::abs(normal(random));
    by_edge->observe_edge(0.5, 0.5 * x);
    by_edge->observe({x, {}});
  }
  by_history->observe_edge(0.5, 0.55);
  EXPECT_NEAR(by_history->forecast().mean_s, 1.0, 0.01);
  by_edge->observe_edge(0.5, 0.8);
  EXPECT_NEAR(by_edge->forecast().mean_s, 1.6, 0.02);
}

TEST(Blend, BelievesAnEdgeThatContradicts) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const auto model = make_predictor("blend");
  for (int i = 0; i < 100; ++i) {
    const double x = 1.0 + 0.001 * normal(random);
    model->observe_edge(0.5, 0.5 * x * (1.0 + 0.03 * normal(random)));
    model->observe({x, {}});
  }
  model->observe_edge(0.5, 0.52);
  EXPECT_NEAR(model->forecast().mean_s, 1.0, 0.01) << "the edge is as uncertain as ever";
  model->observe_edge(0.5, 2.0);
  EXPECT_NEAR(model->forecast().mean_s, 4.0, 0.2) << "this phase is another one";
}

TEST(Regression, LearnsWhatAPhaseCostsPerElement) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> size(1e5, 1e6);
  std::normal_distribution<double> normal;
  for (const char* name : {"regression", "ensemble"}) {
    const auto model = make_predictor(name);
    for (int i = 0; i < 300; ++i) {
      const double particles = size(random), cells = size(random);
      const double x = 0.01 + 2e-7 * particles + 5e-8 * cells + 1e-4 * normal(random);
      model->observe_hint("particles", particles);
      model->observe_hint("cells", cells);
      model->observe({x, {{"particles", particles}, {"cells", cells}}});
    }
    model->observe_hint("particles", 5e5);
    model->observe_hint("cells", 2e5);
    EXPECT_NEAR(model->forecast().mean_s, 0.12, 5e-4) << name;
    model->observe_hint("particles", 1e6);
    EXPECT_NEAR(model->forecast().mean_s, 0.22, 5e-4) << name;
  }
}

// What the covariates do not say drifts: the last phase tells it.
TEST(Regression, GoesByTheLastPhaseToo) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> size(1.0, 3.0);
  std::normal_distribution<double> normal;
  const auto model = make_predictor("regression");
  double level_s = 1.0, error_s = 0.0, level_error_s = 0.0;
  for (int i = 0; i < 400; ++i) {
    level_s += 0.01 * normal(random);
    const double cells = size(random), x = level_s + 0.01 * cells;
    model->observe_hint("cells", cells);
    if (i >= 50) error_s += std::abs(x - model->forecast().mean_s);
    if (i >= 50) level_error_s += std::abs(level_s - 1.0);
    model->observe({x, {{"cells", cells}}});
  }
  EXPECT_LT(error_s, 0.3 * level_error_s);
}

/// A program of two kinds of phases that says before each of which kind it is; the second kind
/// comes seldom, and not at regular distances. How far off the third announced one is, in seconds.
double error_at_third_announcement(int calm_phases_before) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  const auto model = make_predictor("ensemble");
  double error_s = 0.0;
  const auto phase = [&](double kind) {
    const double x = 0.1 + 0.4 * kind + 0.002 * normal(random);
    model->observe_hint("rebuild", kind);
    error_s = std::abs(x - model->forecast().mean_s);
    model->observe({x, {{"rebuild", kind}}});
  };
  for (const int calm : {calm_phases_before, 11, 7}) {
    for (int i = 0; i < calm; ++i) phase(0.0);
    phase(1.0);
  }
  return error_s;
}

TEST(Ensemble, BelievesWhatIsAnnounced) {
  for (const int calm : {20, 40, 200}) EXPECT_LT(error_at_third_announcement(calm), 0.04) << calm;
}

/// Computing times of 0.1 s, of 0.5 s after each of the distances.
std::vector<double> with_slow_phases(const std::vector<int>& distances) {
  std::vector<double> times;
  for (const int distance : distances) {
    times.insert(times.end(), static_cast<std::size_t>(distance) - 1, 0.1);
    times.push_back(0.5);
  }
  return times;
}

TEST(Recurrence, KnowsWhenASlowPhaseIsDue) {
  // Distances of 8 mostly, of 9 now and then, and once of 7.
  const auto model = make_predictor("recurrence");
  for (const double x : with_slow_phases({8, 8, 9, 8, 7, 8, 8, 9, 8, 8, 8, 9, 8, 8}))
    model->observe({x, {}});
  for (int since = 1; since <= 9; ++since) {
    // At 7 it is not likely enough, at 8 it is; if it has not come then, it must come at 9.
    EXPECT_NEAR(model->forecast().mean_s, since >= 8 ? 0.5 : 0.1, 1e-6) << since;
    if (since == 3) {  // two have passed since the last slow one
      for (const int ahead : {1, 5, 6, 7, 256})
        EXPECT_NEAR(model->forecast_ahead(ahead).mean_s, ahead == 6 ? 0.5 : 0.1, 1e-6) << ahead;
    }
    model->observe({since == 9 ? 0.5 : 0.1, {}});
  }
}

TEST(Recurrence, FollowsBothKindsAndKeepsItsDistancesThroughAChange) {
  const auto model = make_predictor("recurrence");
  const std::vector<double> times = with_slow_phases(std::vector<int>(30, 5));
  for (const double x : times) model->observe({x, {}});
  for (const double x : times) model->observe({2.0 * x, {}});
  for (int since = 1; since <= 5; ++since) {
    EXPECT_NEAR(model->forecast().mean_s, since == 5 ? 1.0 : 0.2, 0.01) << since;
    model->observe({since == 5 ? 1.0 : 0.2, {}});
  }
  model->reset();
  for (int i = 0; i < 4; ++i) model->observe({0.1, {}});
  EXPECT_NEAR(model->forecast().mean_s, 0.1, 1e-9) << "nothing is due after a reset";
}

// Covariates that say nothing must not spoil what history knows.
TEST(Ensemble, LearnsThatCovariatesSayNothing) {
  std::mt19937 random(10);
  std::normal_distribution<double> normal;
  const auto with = make_predictor("ensemble"), without = make_predictor("ensemble");
  double x = 1.0, with_s = 0.0, without_s = 0.0;
  for (int i = 0; i < 600; ++i) {
    x = 1.0 + 0.9 * (x - 1.0) + 0.02 * normal(random);
    with->observe_hint("phase of the moon", normal(random));
    if (i >= 50) with_s += std::abs(x - with->forecast().mean_s);
    if (i >= 50) without_s += std::abs(x - without->forecast().mean_s);
    with->observe({x, {}});
    without->observe({x, {}});
  }
  EXPECT_LT(with_s, 1.05 * without_s);
}

TEST(Regression, SurvivesCovariatesThatMakeNoSense) {
  const auto model = make_predictor("regression");
  for (int i = 0; i < 200; ++i) {
    model->observe_hint("nan", NAN);
    model->observe_hint("huge", i % 2 == 0 ? 1e149 : 1e-200);
    model->observe_hint("constant", 3.0);
    model->observe_hint("name " + std::to_string(i), i);  // more names than are followed
    model->observe({0.5, {}});
    ASSERT_TRUE(model->forecast().valid());
  }
  EXPECT_NEAR(model->forecast().mean_s, 0.5, 0.05);
}

TEST(HistoryModel, DropsWhatWasBeforeAChange) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  const auto model = make_predictor("sma:50");
  for (int i = 0; i < 100; ++i) model->observe({1.0 + 0.01 * normal(random), {}});
  const double width = model->forecast().half_width_s();
  for (int i = 0; i < 5; ++i) model->observe({2.0 + 0.01 * normal(random), {}});
  EXPECT_NEAR(model->forecast().mean_s, 2.0, 0.05) << "the average holds the new phase only";
  EXPECT_GT(model->forecast().half_width_s(), 3.0 * width) << "and says that it is less sure";
  for (int i = 0; i < 30; ++i) model->observe({2.0 + 0.01 * normal(random), {}});
  EXPECT_LT(model->forecast().half_width_s(), 3.0 * width);
  model->observe({9.0, {}});  // one spike is no change
  EXPECT_LT(model->forecast().mean_s, 3.0);
}

TEST(MakePredictor, RefusesWhatItDoesNotKnow) {
  for (const char* bad :
       {"",           "nonsense", "sma:0",   "sma:-1",       "sma:2.5",   "sma:x",
        "sma:1,2",    "last:1",   "ewma:0",  "ewma:2",       "ewma:nan",  "holt:0.3,0",
        "median:0",   "ar:0",     "ar:17",   "arma:0,0",     "arma:11,0", "arma:1,2,3",
        "seasonal:1", "edge:1",   "blend:0", "regression:1", "ensemble:1"})
    EXPECT_THROW(make_predictor(bad), Error) << bad;
}

class EveryPredictor : public testing::TestWithParam<std::string> {};

TEST_P(EveryPredictor, NeverSaysWhatIsNoTime) {
  const auto model = make_predictor(GetParam());
  EXPECT_FALSE(model->forecast().known);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const double strange[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e-300, 1e300};
  for (int i = 0; i < 400; ++i) {
    if (uniform(random) < 0.3)
      model->observe_edge(uniform(random) * 1.4 - 0.2, uniform(random) * 2 - 0.5);
    model->observe({uniform(random) < 0.2 ? strange[random() % 7] : uniform(random), {}});
    const Forecast forecast = model->forecast();
    ASSERT_TRUE(!forecast.known || forecast.valid()) << i;
  }
}

TEST_P(EveryPredictor, LearnsAConstantAndForgetsOnReset) {
  const auto model = make_predictor(GetParam());
  for (int i = 0; i < 100; ++i) model->observe({0.25, {}});
  ASSERT_TRUE(model->forecast().known);
  EXPECT_NEAR(model->forecast().mean_s, 0.25, 1e-6);
  EXPECT_LT(model->forecast().half_width_s(), 0.05);
  model->reset();
  EXPECT_FALSE(model->forecast().known);
}

// However long a program runs, a model holds little, for it is held for each process and region.
TEST_P(EveryPredictor, HoldsBoundedMemory) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  Observation observation{0.0, {{"particles", 0.0}, {"cells", 0.0}}};
  const long before = held_bytes;
  const auto model = make_predictor(GetParam());
  const auto most_held = [&](int phases) {
    long most = 0;
    for (int i = 0; i < phases; ++i) {
      observation.computing_s = std::abs((i % 700 < 350 ? 0.1 : 0.3) + 0.02 * normal(random));
      for (auto& [name, value] : observation.hints) value = normal(random);
      if (i % 2 == 0) model->observe_edge(0.25 + 0.25 * (i % 3), 0.5 * observation.computing_s);
      model->observe(observation);
      most = std::max(most, held_bytes - before);
    }
    return most;
  };
  const long soon = most_held(2000), later = most_held(20000);
  EXPECT_GT(soon, 0);
  EXPECT_LE(later, soon + soon / 4);
  EXPECT_LE(later, 48 * 1024);
  RecordProperty("bytes", static_cast<int>(later));
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const PredictorInfo& info : predictors()) list.push_back(info.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPredictor, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace pat
