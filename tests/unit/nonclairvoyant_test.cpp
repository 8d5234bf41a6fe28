// The methods of seed 002 in its model: against hand-made schedules, closed forms, Markov chains
// and the ratios that the paper proves.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/nonclairvoyant/markov.hpp"
#include "collectives/nonclairvoyant/monte_carlo.hpp"
#include "collectives/nonclairvoyant/neighbours.hpp"
#include "collectives/nonclairvoyant/static_tree.hpp"
#include "collectives/nonclairvoyant/theory.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"

using namespace pat;
using namespace pat::nonclairvoyant;

namespace {

/// More of everything in the long form of this test.
int times_longer() {
  const char* text = std::getenv("PAT_TEST_LONGER");
  return text == nullptr ? 1 : std::atoi(text);
}

std::vector<double> all(int n, double cost) {
  return std::vector<double>(static_cast<std::size_t>(n), cost);
}

double constant_time(const std::string& method, int n, double d, double c) {
  const std::vector<double> communication = all(n, d), computation = all(n, c);
  return get_method(method).make(n)->run({communication, computation});
}

double platform_time(const std::string& method, const Platform& platform) {
  const std::vector<double> ones = all(platform.processors, 1.0);
  return get_method(method).make(platform.processors)->run({ones, ones, &platform});
}

Platform one_way(int n, double up, double down, double c) {
  Platform platform{n, {}, all(n, c)};
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) platform.communication.push_back(from < to ? up : down);
  return platform;
}

Setting exponential(int n, double c, std::vector<std::string> methods, std::uint64_t runs) {
  Setting setting;
  setting.processors = n;
  setting.communication = {Distribution::exponential, 1.0, 1.0};
  setting.computation = {Distribution::exponential, c, 1.0};
  setting.methods = std::move(methods);
  setting.runs = runs;
  return setting;
}

Setting gamma(double cv, double comp_ratio, std::vector<std::string> methods, std::uint64_t runs) {
  Setting setting;
  setting.communication = {Distribution::gamma, 1.0, cv};
  setting.computation = {Distribution::gamma, comp_ratio, cv};
  setting.methods = std::move(methods);
  setting.runs = runs;
  return setting;
}

/// Mean within five standard errors, variance within eight of its own (heavy tails).
void expect_as_foretold(const Outcome& outcome, const Expectation& theory) {
  const Moments& time = outcome.time;
  EXPECT_NEAR(time.mean(), theory.mean, 5.0 * time.standard_error()) << outcome.method;
  EXPECT_NEAR(time.variance() / theory.variance, 1.0,
              8.0 * std::sqrt(8.0 / static_cast<double>(time.count())))
      << outcome.method;
}

}  // namespace

TEST(StaticTrees, AreThoseOfTheFigure) {
  EXPECT_EQ(binomial_children(8), (Children{{1, 2, 4}, {}, {3}, {}, {5, 6}, {}, {7}, {}}));
  EXPECT_EQ(fibonacci_children(8), (Children{{1, 2, 3, 5}, {}, {}, {4}, {}, {6, 7}, {}, {}}));
  EXPECT_EQ(binomial_children(5), (Children{{1, 2, 4}, {}, {3}, {}, {}}));
  const std::vector<int> sizes = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int order = 0; order < 10; ++order) {
    EXPECT_EQ(fibonacci_order(sizes[static_cast<std::size_t>(order)]), order);
    EXPECT_EQ(fibonacci_order(sizes[static_cast<std::size_t>(order)] + 1), order + 1);
  }
}

TEST(StaticTrees, EverybodySendsOnceAndNeighboursAlone) {
  for (int n = 1; n <= 100; ++n) {
    for (const Children& children : {binomial_children(n), fibonacci_children(n)}) {
      std::vector<int> last(static_cast<std::size_t>(n));  // of the values that a processor holds
      for (int p = n - 1; p >= 0; --p) {
        int& mine = last[static_cast<std::size_t>(p)];
        mine = p;
        for (const int child : children[static_cast<std::size_t>(p)]) {
          ASSERT_EQ(child, mine + 1);
          mine = last[static_cast<std::size_t>(child)];
        }
      }
      EXPECT_EQ(last[0], n - 1);
    }
  }
}

TEST(Methods, ConstantCosts) {
  for (int n = 1; n <= 130; ++n) {
    for (const auto& [d, c] : {std::pair{1.0, 0.0}, {1.0, 0.25}, {1.0, 1.0}, {0.5, 3.0}}) {
      EXPECT_NEAR(constant_time("binomial-stat", n, d, c), binomial_time(n, d, c), 1e-9);
      EXPECT_NEAR(constant_time("fibonacci-stat", n, d, c), fibonacci_time(n, d, c), 1e-9) << n;
      EXPECT_LE(constant_time("tree-dyn", n, d, c), binomial_time(n, d, c) + 1e-9);
    }
  }
  for (int n = 2; n <= 256; n *= 2) {
    EXPECT_NEAR(constant_time("tree-dyn", n, 1.0, 0.5), binomial_time(n, 1.0, 0.5), 1e-9);
    EXPECT_NEAR(constant_time("non-commut-tree-dyn", n, 1.0, 0.5), binomial_time(n, 1.0, 0.5),
                1e-9);
  }
  EXPECT_EQ(fibonacci_time(8, 1.0, 1.0), 5.0);  // Fig. 2(b)
  EXPECT_EQ(binomial_time(8, 1.0, 1.0), 6.0);
}

TEST(Methods, TheFibonacciTreeOverlaps) {
  // Four processors: 0 receives from 1, 2 and 3 while it combines.
  const std::vector<double> communication = {1.0, 1.0, 1.0}, computation = {5.0, 2.0, 1.0};
  // 0 <- 1 in 0..1, combined 1..6; 0 <- 2 in 1..2, combined 6..8; 0 <- 3 in 6..7, combined 8..9.
  EXPECT_EQ(static_method({{1, 2, 3}, {}, {}, {}}, Overlap::yes)->run({communication, computation}),
            9.0);
  EXPECT_EQ(static_method({{1, 2, 3}, {}, {}, {}}, Overlap::no)->run({communication, computation}),
            11.0);
}

TEST(Methods, TheKthOperationThatBeginsCostsTheSame) {
  // Tree-dyn on 5: 1 -> 0 takes 3, 3 -> 2 takes 1, then 2 -> 4 takes 1 and, at 2, 4 waits for 0.
  const std::vector<double> communication = {3.0, 1.0, 1.0, 2.0}, none = all(5, 0.0);
  EXPECT_EQ(get_method("tree-dyn").make(5)->run({communication, none}), 5.0);
  // Values in order: 2 is idle at 1 and goes to 4, its neighbour; the rest is the same.
  EXPECT_EQ(get_method("non-commut-tree-dyn").make(5)->run({communication, none}), 5.0);
  // Binomial: 2 -> 0 waits for 1 -> 0 and is the third that begins, 4 -> 0 the fourth.
  EXPECT_EQ(get_method("binomial-stat").make(5)->run({communication, none}), 6.0);
}

TEST(Methods, OneProcessorIsDoneAtOnce) {
  for (const MethodInfo& info : methods()) {
    EXPECT_EQ(constant_time(info.name, 1, 1.0, 1.0), 0.0) << info.name;
    EXPECT_EQ(constant_time(info.name, 2, 1.0, 2.0), 3.0) << info.name;
  }
  EXPECT_THROW(get_method("nope"), Error);
}

TEST(Methods, EveryValueIsCombinedOnceAndInOrder) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 3000 * times_longer(); ++trial) {
    const int n = static_cast<int>(2 + random() % 40);
    const double cv = std::pow(10.0, static_cast<double>(random() % 300) / 100.0 - 2.0);
    std::vector<double> d = all(n, 0.0), c = d;
    RandomStream stream(3, static_cast<std::uint64_t>(trial));
    stream.draw({Distribution::gamma, 1.0, cv}, d);
    stream.draw({Distribution::gamma, static_cast<double>(random() % 3), cv}, c);
    for (const MethodInfo& info : methods()) {
      std::vector<Message> messages;
      const double time = info.make(n)->run({d, c, nullptr, &messages});
      ASSERT_EQ(messages.size(), static_cast<std::size_t>(n - 1)) << info.name;
      EXPECT_GE(time, *std::max_element(d.begin(), d.begin() + n - 1)) << info.name;
      std::vector<std::set<int>> holds(static_cast<std::size_t>(n));
      for (int p = 0; p < n; ++p) holds[static_cast<std::size_t>(p)] = {p};
      for (const auto& [from, to] : messages) {
        std::set<int>&giver = holds[static_cast<std::size_t>(from)],
        &taker = holds[static_cast<std::size_t>(to)];
        ASSERT_FALSE(giver.empty() || taker.empty()) << info.name;  // nobody sends twice
        taker.merge(giver);
        ASSERT_TRUE(giver.empty());
        if (!info.ordered) continue;
        ASSERT_EQ(*taker.rbegin() - *taker.begin() + 1, static_cast<int>(taker.size()))
            << info.name << " leaves a gap";
      }
    }
  }
}

TEST(Theory, ClosedFormOfTreeDyn) {
  std::vector<int> sizes = {4, 16, 64};
  if (times_longer() > 1) sizes = {4, 6, 8, 12, 16, 32, 48, 64, 96, 128, 192, 256};
  for (const int n : sizes) {
    const Expectation closed = tree_dyn_closed_form(n, 2.0), chain = tree_dyn_chain(n, 2.0, 0.0);
    EXPECT_NEAR(closed.mean, chain.mean, 1e-9 * closed.mean);
    EXPECT_NEAR(closed.variance, chain.variance, 1e-9 * closed.variance);
    const auto runs = static_cast<std::uint64_t>(40000 * times_longer());
    const Outcome outcome = simulate(exponential(n, 0.0, {"tree-dyn"}, runs)).front();
    expect_as_foretold(outcome, tree_dyn_closed_form(n, 1.0));
  }
  EXPECT_EQ(tree_dyn_closed_form(2, 1.0).mean, 1.0);
}

TEST(Theory, ChainsForetellWhatTheClosedFormDoesNot) {
  const auto runs = static_cast<std::uint64_t>(20000 * times_longer());
  for (const double c : {0.0, 0.5, 2.0}) {
    for (const int n : {2, 3, 5, 8, 11}) {
      const std::vector<Outcome> outcomes =
          simulate(exponential(n, c, {"tree-dyn", "non-commut-tree-dyn"}, runs));
      expect_as_foretold(outcomes[0], tree_dyn_chain(n, 1.0, c));
      expect_as_foretold(outcomes[1], non_commut_chain(n, 1.0, c));
    }
    expect_as_foretold(simulate(exponential(63, c, {"tree-dyn"}, runs)).front(),
                       tree_dyn_chain(63, 1.0, c));
  }
  // By hand, three processors: one operation after the other.
  EXPECT_NEAR(non_commut_chain(3, 1.0, 0.5).mean, 3.0, 1e-12);
  EXPECT_NEAR(non_commut_chain(3, 1.0, 0.5).variance, 2.5, 1e-12);
  EXPECT_THROW(non_commut_chain(most_in_non_commut_chain + 1, 1.0, 0.0), Error);
}

TEST(Theory, ProvenRatiosHoldOnRandomPlatforms) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 3000 * times_longer(); ++trial) {
    const int n = static_cast<int>(2 + random() % 70);
    const double d = 0.1 + uniform(random), delta = 1.0 + 9.0 * uniform(random);
    const double choices[] = {0.0, d, 5.0 * d * uniform(random)};
    const double c = choices[trial % 3];
    Platform platform{n, {}, all(n, c)};
    double least = delta * d, greatest = d;
    for (int i = 0; i < n * n; ++i) {
      const double cost = d * (1.0 + (delta - 1.0) * uniform(random));
      platform.communication.push_back(cost);
      if (i % (n + 1) == 0) continue;
      least = std::min(least, cost);
      greatest = std::max(greatest, cost);
    }
    if (c == d) std::fill(platform.computation.begin(), platform.computation.end(), least);
    const double its_c = platform.c(0);
    // No schedule is faster than this: a value takes part in ceil(log2 n) steps one after another;
    // where c = d the Fibonacci tree is the best there is.
    const double bound = its_c == least ? fibonacci_time(n, least, its_c)
                                        : std::ceil(std::log2(n)) * std::max(least, its_c);
    for (const std::string method : {"binomial-stat", "fibonacci-stat", "tree-dyn"})
      EXPECT_LE(platform_time(method, platform) / bound,
                proven_ratio(method, n, greatest / least, least, its_c) * (1 + 1e-9))
          << method << " n " << n << " c " << its_c;
  }
  EXPECT_THROW(proven_ratio("non-commut-tree-dyn", 8, 2.0, 1.0, 0.0), Error);
}

TEST(Theory, WorstCasesAreReached) {
  const double d = 1.0, far = 3.0;
  for (const int n : {2, 4, 8, 64, 1024}) {
    // Theorem 1: whoever sends down the numbers pays; the mirrored tree does not.
    const Platform down = one_way(n, d, far, 0.0), up = one_way(n, far, d, 0.0);
    const double best = platform_time("binomial-stat", up);
    EXPECT_NEAR(best, std::log2(n) * d, 1e-9);
    for (const std::string method : {"binomial-stat", "tree-dyn"})
      EXPECT_NEAR(platform_time(method, down) / best, far / d, 1e-9) << method;
  }
  // Theorem 4: c = d; the ratio comes near log2(golden ratio) (Delta + 1) as n grows.
  double before = 0.0;
  for (const int n : {64, 4096, 262144}) {
    const std::vector<double> expensive = all(n, far), cheap = all(n, d);
    const double best = get_method("fibonacci-stat").make(n)->run({cheap, cheap});
    const double ratio = get_method("binomial-stat").make(n)->run({expensive, cheap}) / best;
    EXPECT_NEAR(ratio, get_method("tree-dyn").make(n)->run({expensive, cheap}) / best, 1e-9);
    EXPECT_LE(ratio, proven_ratio("binomial-stat", n, far / d, d, d));
    EXPECT_GE(ratio, before);
    before = ratio;
  }
  EXPECT_NEAR(before, std::log2(0.5 * (1 + std::sqrt(5.0))) * (far / d + 1.0), 0.15);
}

TEST(Theory, FibonacciWithoutComputingTakesFourThirds) {
  // Fig. 2(b): processor 0 receives four times; the best there is takes three steps.
  const Platform far = one_way(8, 1.0, 2.0, 0.0);
  EXPECT_NEAR(platform_time("fibonacci-stat", far) / (3.0 * 1.0), 4.0 / 3.0 * 2.0, 1e-9);
}

TEST(Theory, OrderedDynamicMayTakeFourThirds) {
  // Fig. 3: 4 and 2 are done a little before 6 and 0, and begin; 6 and 0 have to wait for them.
  const double far = 2.0, soon = 1e-6;
  Platform platform = one_way(8, 1.0, far, 0.0);
  const auto set = [&](int from, int to, double cost) {
    platform.communication[static_cast<std::size_t>(8 * from + to)] = cost;
  };
  set(3, 2, far - soon);
  set(5, 4, far - 2 * soon);
  set(2, 4, far);  // whoever comes later sends, here
  set(0, 6, far);
  // 0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7, then 1 -> 3, 5 -> 7, then 3 -> 7 takes three cheap ones.
  EXPECT_NEAR(platform_time("non-commut-tree-dyn", platform) / 3.0, 4.0 / 3.0 * far, 1e-5);
}

TEST(Study, FibonacciCrossesBinomialWhereTheFormulasSay) {
  EXPECT_NEAR(fibonacci_crossing(64).value(), 0.6, 1e-12);
  EXPECT_FALSE(fibonacci_crossing(2).has_value());
  const auto ahead = [](double ratio) {
    const auto o = simulate(gamma(0.01, ratio, {"binomial-stat", "fibonacci-stat"}, 256));
    return o[0].time.mean() / o[1].time.mean();
  };
  EXPECT_LT(ahead(0.55), 1.0);
  EXPECT_GT(ahead(0.65), 1.0);
  EXPECT_GT(ahead(1.0 / 0.65), 1.0);
  EXPECT_LT(ahead(1.0 / 0.55), 1.0);
}

TEST(Study, SwappedCostsAreAlike) {
  // Figs. 5 and 6 have the same picture for mu_c / mu_d and its inverse.
  const auto runs = static_cast<std::uint64_t>(4000 * times_longer());
  for (const double cv : {0.1, 1.0}) {
    Setting one = gamma(cv, 0.3, {}, runs), other = one;
    for (const MethodInfo& info : methods())
      if (info.of_paper) one.methods.push_back(info.name);
    other.methods = one.methods;
    std::swap(other.communication, other.computation);
    other.seed = 2;
    const std::vector<Outcome> a = simulate(one), b = simulate(other);
    for (std::size_t m = 0; m < a.size(); ++m)
      EXPECT_NEAR(a[m].time.mean(), b[m].time.mean(),
                  5.0 * std::hypot(a[m].time.standard_error(), b[m].time.standard_error()))
          << a[m].method;
  }
}

TEST(Study, WhoIsAheadAsThePaperSays) {
  const std::vector<std::string> four = {"binomial-stat", "fibonacci-stat", "tree-dyn",
                                         "non-commut-tree-dyn"};
  const auto means = [&](double cv, double ratio) {
    std::vector<double> mean;
    for (const Outcome& outcome : simulate(gamma(cv, ratio, four, 2048)))
      mean.push_back(outcome.time.mean());
    return mean;
  };
  for (const double cv : {0.05, 0.5, 1.0, 3.0}) {  // Fig. 4: Tree-dyn first, Fibonacci last
    const std::vector<double> m = means(cv, 0.0);
    EXPECT_EQ(std::min_element(m.begin(), m.end()) - m.begin(), 2) << cv;
    EXPECT_EQ(std::max_element(m.begin(), m.end()) - m.begin(), 1) << cv;
  }
  EXPECT_LT(means(0.5, 0.0)[3],
            means(0.5, 0.0)[0]);  // beyond 30 % the ordered dynamic one is second
  EXPECT_GT(means(0.2, 0.0)[3], means(0.2, 0.0)[0]);
  EXPECT_LT(means(0.05, 1.0)[1], means(0.05, 1.0)[2]);  // Fig. 5: computing as long, little spread
  EXPECT_LT(means(2.0, 1.0)[3], means(2.0, 1.0)[1]);    // Fig. 6: large spread
}

TEST(Study, TheBetterOrderedMethod) {
  const std::vector<std::string> names = {"non-commut-tree-dyn", "non-commut-tree-dyn+"};
  const auto gain = [&](double cv, double ratio) {
    const auto o = simulate(gamma(cv, ratio, names, 4096));
    return o[1].time.mean() / o[0].time.mean();
  };
  EXPECT_LT(gain(0.01, 0.0), 0.9);  // patience
  EXPECT_LT(gain(0.3, 1.0), 0.8);   // overlap
  EXPECT_LT(gain(1.0, 1.0), 0.9);
  EXPECT_LT(gain(1.0, 0.0), 1.03);  // and hardly any loss where neither helps
}

TEST(MonteCarlo, IsTheSameForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  const Setting setting = gamma(1.0, 0.5, {"tree-dyn", "fibonacci-stat"}, 3001);
  omp_set_num_threads(1);
  const std::vector<Outcome> one = simulate(setting);
  omp_set_num_threads(5);
  const std::vector<Outcome> again = simulate(setting);
  omp_set_num_threads(threads);
  Setting other = setting;
  other.seed = 2;
  const std::vector<Outcome> third = simulate(other);
  for (std::size_t m = 0; m < one.size(); ++m) {
    EXPECT_EQ(one[m].time.count(), 3001u);
    EXPECT_EQ(one[m].time.mean(), again[m].time.mean());
    EXPECT_EQ(one[m].time.variance(), again[m].time.variance());
    EXPECT_EQ(one[m].quantile(0.9), again[m].quantile(0.9));
    EXPECT_NE(one[m].time.mean(), third[m].time.mean());
  }
}

TEST(MonteCarlo, StopsAndKeepsWhatItHas) {
  std::uint64_t asked = 0;
  const std::vector<Outcome> outcomes =
      simulate(gamma(1.0, 0.0, {"tree-dyn"}, 1000000), [&](std::uint64_t done) {
        asked = done;
        return false;
      });
  EXPECT_GT(asked, 0u);
  EXPECT_LT(asked, 1000000u);
  EXPECT_EQ(outcomes.front().time.count(), asked);
  EXPECT_EQ(outcomes.front().quantiles.count(), asked);
}

TEST(MonteCarlo, ConstantCostsHaveOneQuantile) {
  const Outcome outcome = simulate(gamma(0.0, 0.0, {"binomial-stat"}, 300)).front();
  EXPECT_EQ(outcome.quantile(0.1), 6.0);
  EXPECT_EQ(outcome.quantile(0.9), 6.0);
  EXPECT_EQ(outcome.time.variance(), 0.0);
}

TEST(Draws, HaveTheirMoments) {
  for (const CostLaw& law : {CostLaw{Distribution::gamma, 2.0, 0.1},
                             {Distribution::gamma, 2.0, 1.0},
                             {Distribution::gamma, 0.5, 3.0},
                             {Distribution::exponential, 3.0, 0.0},
                             {Distribution::constant, 4.0, 1.0}}) {
    RandomStream stream(1, 7);
    std::vector<double> costs(200000);
    stream.draw(law, costs);
    const double cv = law.distribution == Distribution::exponential ? 1.0
                      : law.distribution == Distribution::constant  ? 0.0
                                                                    : law.cv;
    EXPECT_NEAR(mean(costs), law.mean, 5.0 * law.mean * cv / std::sqrt(2e5) + 1e-12);
    EXPECT_NEAR(standard_deviation(costs), law.mean * cv, 0.05 * law.mean * cv + 1e-9);
  }
  std::vector<double> nothing(3, 1.0);
  RandomStream(1, 1).draw({Distribution::gamma, 0.0, 1.0}, nothing);
  EXPECT_EQ(nothing, (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_THROW(distribution_of("normal"), Error);
}

TEST(Sketch, QuantilesAreWithinAThousandth) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> draw(0.0, 4.0);
  std::vector<double> values;
  QuantileSketch whole, left, right;
  for (int i = 0; i < 100001; ++i) {
    values.push_back(i % 10 == 0 ? 0.0 : draw(random));
    whole.add(values.back());
    (i % 3 == 0 ? left : right).add(values.back());
  }
  left.merge(right);
  for (const double q : {0.0, 0.05, 0.11, 0.5, 0.9, 0.999, 1.0}) {
    const double exact = quantile(values, q);
    EXPECT_NEAR(whole.quantile(q), exact, 1.001e-3 * exact) << q;
    EXPECT_EQ(left.quantile(q), whole.quantile(q));
  }
  EXPECT_EQ(QuantileSketch().quantile(0.5), 0.0);
}

TEST(MomentsOfParts, AreThoseOfTheWhole) {
  Moments whole, left, right;
  for (int i = 0; i < 100; ++i) {
    whole.add(i * i);
    (i < 37 ? left : right).add(i * i);
  }
  left.merge(right);
  left.merge(Moments());
  EXPECT_EQ(left.count(), 100u);
  EXPECT_NEAR(left.mean(), whole.mean(), 1e-9);
  EXPECT_NEAR(left.variance(), whole.variance(), 1e-6);
  EXPECT_EQ(left.least(), 0.0);
  EXPECT_EQ(left.greatest(), 99.0 * 99.0);
}

TEST(Costs, AreReadFromText) {
  const Platform platform = parse_platform("# d\n- 1, 2\n3 - 4\n\n5\t6 0\n7 8 9  # c\n");
  EXPECT_EQ(platform.processors, 3);
  EXPECT_EQ(platform.d(0, 2), 2.0);
  EXPECT_EQ(platform.d(2, 1), 6.0);
  EXPECT_EQ(platform.c(1), 8.0);
  EXPECT_EQ(parse_platform("0 1\n1 0").c(0), 0.0);
  for (const char* wrong : {"", "# nothing", "0 1\n1", "0 1", "0 1\n1 0\n1 1\n1 1", "0 -1\n1 0",
                            "0 x\n1 0", "0 inf\n1 0", "0 -\n1 0", "0 nan\n1 0"})
    EXPECT_THROW(parse_platform(wrong), Error) << wrong;
}
