#include "predictors/predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/errors.hpp"

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

TEST(MakePredictor, RefusesWhatItDoesNotKnow) {
  for (const char* bad :
       {"", "nonsense", "sma:0", "sma:-1", "sma:2.5", "sma:x", "sma:1,2", "last:1"})
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

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const PredictorInfo& info : predictors()) list.push_back(info.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPredictor, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace pat
