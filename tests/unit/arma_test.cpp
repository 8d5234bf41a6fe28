// ARMA and AR estimates against those of R and against processes whose coefficients are known.

#include "predictors/arma_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "predictors/ar_fit.hpp"
#include "predictors/predictor.hpp"
#include "tests/unit/textbook_series.hpp"

namespace pat {
namespace {

struct Published {
  const char* what;
  const std::vector<double>* series;
  int p, q;
  std::vector<double> coefficients;  // ar, ma, mean
  std::vector<double> errors;        // standard errors of them, as published
  double variance, log_likelihood;
};

// R 4.2.2, arima(series, order = c(p, 0, q)), the default method: conditional sum of squares to
// begin with, then exact maximum likelihood. The lh rows are also in R's manual page of arima() and
// in Venables and Ripley, Modern Applied Statistics with S, 4th ed., 14.2.
const Published published[] = {
    {"LakeHuron AR(1)",
     &test::lake_huron,
     1,
     0,
     {0.8375384689, 579.1153163},
     {0.05381356, 0.42396244},
     0.5092868966,
     -106.5979749},
    {"LakeHuron AR(2)",
     &test::lake_huron,
     2,
     0,
     {1.043613574, -0.2494976548, 579.0473216},
     {0.09828298, 0.10079220, 0.33187551},
     0.4788206233,
     -103.6332226},
    {"LakeHuron ARMA(1,1)",
     &test::lake_huron,
     1,
     1,
     {0.7448993197, 0.3205890685, 579.0554556},
     {0.07765066, 0.11352946, 0.35009871},
     0.4749398386,
     -103.2452606},
    {"LakeHuron ARMA(2,1)",
     &test::lake_huron,
     2,
     1,
     {0.7829442, -0.0342069, 0.2857087, 579.0532782},
     {0.3261639, 0.28448178, 0.31441817, 0.3467265},
     0.4748667583,
     -103.2381755},
    {"sunspot.year AR(2)",
     &test::sunspots,
     2,
     0,
     {1.388635199, -0.6906292191, 49.12826899},
     {0.04336959, 0.04333951, 3.222201},
     273.641523,
     -1222.190616},
    {"sunspot.year ARMA(2,1)",
     &test::sunspots,
     2,
     1,
     {1.457233492, -0.7470687969, -0.1311569868, 49.12802849},
     {0.0538877, 0.0489714, 0.0759002, 2.9056149},
     270.9350157,
     -1220.768689},
    {"sunspot.year AR(9)",
     &test::sunspots,
     9,
     0,
     {1.185068564, -0.4197218443, -0.1672327306, 0.1822706710, -0.1325510286, 0.0457522325,
      0.006655683184, -0.02874491243, 0.2218192384, 49.76551396},
     {0.05786592, 0.09113875, 0.09435674, 0.09480002, 0.09547316, 0.0960773, 0.09623239, 0.09249314,
      0.05884816, 7.73541514},
     221.8870907,
     -1192.73992},
    {"lh AR(1)",
     &test::luteinizing_hormone,
     1,
     0,
     {0.5739296, 2.4132880},
     {0.1161393, 0.1466135},
     0.1974895,
     -29.37904},
    {"lh AR(3)",
     &test::luteinizing_hormone,
     3,
     0,
     {0.6447965, -0.0633735, -0.2198062, 2.3931275},
     {0.1393562, 0.1667666, 0.1421103, 0.0962599},
     0.1786603,
     -27.09},
    {"lh ARMA(1,1)",
     &test::luteinizing_hormone,
     1,
     1,
     {0.4522020, 0.1981673, 2.4100596},
     {0.1768568, 0.1705200, 0.1357510},
     0.1923121,
     -28.76},
};

TEST(Arma, EstimatesAreThoseOfR) {
  for (const Published& r : published) {
    SCOPED_TRACE(r.what);
    const ArmaFit fit = fit_arma(*r.series, r.p, r.q);
    ASSERT_TRUE(fit.usable);
    std::vector<double> found = fit.coefficients.ar;
    found.insert(found.end(), fit.coefficients.ma.begin(), fit.coefficients.ma.end());
    found.push_back(fit.coefficients.mean);
    const std::vector<double> errors = arma_standard_errors(*r.series, fit);
    ASSERT_EQ(found.size(), r.coefficients.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      // R stops its search earlier than we do: agreement is asked to 2 % of a standard error.
      EXPECT_NEAR(found[i], r.coefficients[i], 0.02 * r.errors[i]) << "coefficient " << i;
      EXPECT_NEAR(errors[i], r.errors[i], 0.03 * r.errors[i]) << "standard error " << i;
    }
    EXPECT_NEAR(fit.variance / r.variance, 1.0, 1e-3);
    EXPECT_NEAR(fit.log_likelihood, r.log_likelihood, 6e-3);
  }
}

TEST(Arma, ForecastsAreThoseOfR) {
  // R 4.2.2, predict(arima(LakeHuron, order = c(1, 0, 1)), 3).
  const ArmaFit fit = fit_arma(test::lake_huron, 1, 1);
  ArmaFilter filter(fit.coefficients);
  for (const double x : test::lake_huron) filter.update(x);
  const double expected[] = {579.7333728, 579.5604357, 579.4316149};
  const double error[] = {0.6891587906, 1.0070365706, 1.1459937686};
  for (int h = 1; h <= 3; ++h) {
    EXPECT_NEAR(filter.expected(h), expected[h - 1], 1e-3);
    EXPECT_NEAR(std::sqrt(fit.variance) * filter.spread(h), error[h - 1], 1e-3);
  }
}

TEST(Ar, BurgAndYuleWalkerAreThoseOfR) {
  // R 4.2.2, ar(series, method = ..., order.max = 2, aic = FALSE)$ar.
  const auto expect = [](const ArFit& fit, double first, double second) {
    ASSERT_EQ(fit.coefficient.size(), 2u);
    EXPECT_NEAR(fit.coefficient[0], first, 1e-9);
    EXPECT_NEAR(fit.coefficient[1], second, 1e-9);
  };
  expect(fit_burg(test::lake_huron, 2), 1.0449266514, -0.2455983981);
  expect(fit_burg(test::sunspots, 2), 1.3771001813, -0.6828887727);
  expect(fit_yule_walker(test::lake_huron, 2), 1.0538248798, -0.2667516276);
  expect(fit_yule_walker(test::sunspots, 2), 1.3355613093, -0.6404667379);
}

std::vector<double> simulate_arma(const ArmaCoefficients& c, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n + 200), noise(n + 200);
  for (std::size_t t = 0; t < x.size(); ++t) {
    noise[t] = x[t] = normal(random);
    for (std::size_t i = 0; i < c.ar.size() && i < t; ++i) x[t] += c.ar[i] * x[t - 1 - i];
    for (std::size_t j = 0; j < c.ma.size() && j < t; ++j) x[t] += c.ma[j] * noise[t - 1 - j];
  }
  x.erase(x.begin(), x.begin() + 200);
  for (double& value : x) value += c.mean;
  return x;
}

TEST(Arma, RecoversASimulatedProcessWithinItsStandardErrors) {
  // Complex roots, far from the moving average's: where they nearly cancel, the likelihood is
  // skewed and standard errors say little.
  const ArmaCoefficients truth{{1.2, -0.6}, {0.4}, 10.0};
  int outside = 0, checked = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> sample = simulate_arma(truth, 2000, seed);
    const ArmaFit fit = fit_arma(sample, 2, 1);
    const std::vector<double> errors = arma_standard_errors(sample, fit);
    const double found[] = {fit.coefficients.ar[0], fit.coefficients.ar[1], fit.coefficients.ma[0],
                            fit.coefficients.mean};
    const double wanted[] = {1.2, -0.6, 0.4, 10.0};
    for (std::size_t i = 0; i < 4; ++i, ++checked) {
      const double distance = std::abs(found[i] - wanted[i]) / errors[i];
      EXPECT_LT(distance, 4.0) << "seed " << seed << ", coefficient " << i;
      outside += distance > 1.96;
    }
    EXPECT_NEAR(fit.variance, 1.0, 0.15);
  }
  EXPECT_LE(outside, checked / 8) << "one in twenty is to be expected";
}

TEST(Arma, StaysStationaryAndInvertible) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> walk(300), difference(300);
  for (std::size_t t = 1; t < walk.size(); ++t) {
    const double step = normal(random);
    walk[t] = walk[t - 1] + step;
    difference[t] = step - (t > 1 ? walk[t - 1] - walk[t - 2] : 0.0);
  }
  for (const std::vector<double>* sample : {&walk, &difference}) {
    const ArmaFit fit = fit_arma(*sample, 1, 1);
    EXPECT_LT(std::abs(fit.coefficients.ar[0]), 1.0);
    EXPECT_LE(std::abs(fit.coefficients.ma[0]), 1.0);
    ArmaFilter filter(fit.coefficients);
    for (const double x : *sample) ASSERT_TRUE(std::isfinite(filter.update(x).value));
    EXPECT_TRUE(std::isfinite(filter.expected(200)));
  }
}

TEST(Arma, ChoosesTheOrderByAicc) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ArmaFit fit = fit_arma_aicc(simulate_arma({{1.2, -0.5}, {}, 0.0}, 400, seed), 3, 2);
    right += fit.coefficients.ar.size() == 2 && fit.coefficients.ma.empty();
  }
  EXPECT_GE(right, 6) << "AICc picks a larger model now and then, seldom a smaller one";
}

TEST(Arma, RefusesWhatSaysNothing) {
  EXPECT_FALSE(fit_arma(std::vector<double>(100, 2.0), 2, 1).usable);
  EXPECT_FALSE(fit_arma(std::vector<double>{1.0, 2.0, 3.0}, 2, 1).usable);
  EXPECT_FALSE(fit_arma({}, 1, 0).usable);
}

TEST(Arma, PredictsNearlyAsWellAsTheTruth) {
  const ArmaCoefficients truth{{0.7}, {0.4}, 20.0};
  const std::vector<double> sample = simulate_arma(truth, 3000, 5);
  ArmaFilter oracle(truth);
  const auto model = make_predictor("arma:1,1");
  double model_squares = 0.0, oracle_squares = 0.0;
  for (std::size_t t = 0; t < sample.size(); ++t) {
    if (t >= 200) {
      model_squares += std::pow(sample[t] - model->forecast().mean_s, 2);
      oracle_squares += std::pow(sample[t] - oracle.expected(1), 2);
    }
    model->observe({sample[t], {}});
    oracle.update(sample[t]);
  }
  EXPECT_LT(model_squares / oracle_squares, 1.05);
}

}  // namespace
}  // namespace pat
