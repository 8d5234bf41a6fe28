// All generators give the same schedules. PAT_TEST_INSTANCES sets how many random instances are
// compared (default 1000).

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "collectives/check/rounds.hpp"
#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/rivals.hpp"
#include "core/errors.hpp"
#include "tests/unit/clairvoyant_cases.hpp"

namespace pat::clairvoyant {
namespace {

int instances() {
  const char* text = std::getenv("PAT_TEST_INSTANCES");
  return text ? std::atoi(text) : 1000;
}

TEST(Generators, AreIdenticalOnRandomInstances) {
  const std::uint64_t seed = 20261121;
  std::mt19937_64 random(seed);
  MessageList reference, list;  // used again, so that stale memory would show
  std::size_t messages = 0;
  for (int trial = 0; trial < instances(); ++trial) {
    const Instance instance = test::random_case(random, 64, 64);
    generators_with_rivals().front().generate(instance, reference);
    messages += reference.messages.size();
    for (const Generator& generator : generators_with_rivals().subspan(1)) {
      generator.generate(instance, list);
      ASSERT_EQ(list, reference) << generator.name << ", seed " << seed << ", instance " << trial
                                 << ": " << test::show(instance);
    }
  }
  EXPECT_GT(messages, 40u * instances());
}

// Idle rounds that are played change no schedule, as nobody has anything to exchange in them.
TEST(Generators, AreIdenticalWithIdleRoundsPlayed) {
  std::mt19937_64 random(11);
  MessageList reference, list;
  for (int trial = 0; trial < 300; ++trial) {
    const Instance instance = test::random_case(random, 24, 24);
    linear(instance, reference);
    for (const Generator& generator : generators_with_idle_rounds()) {
      generator.generate(instance, list);
      ASSERT_EQ(list, reference) << generator.name << ": " << test::show(instance);
    }
  }
}

// Seed 000, Lemma 1. Every process sends each of its N segments, and leaves the heaps of those that
// it holds each time: N (N + 1) / 2 erases, and one insert less each time to come back.
TEST(Generators, HeapOperationsGrowAsLemmaOneSays) {
  MessageList list;
  for (const int n : {4, 8, 16, 32}) {
    const int p = 8 * n;  // one a round: its second half needs P > N
    std::vector<double> arrivals(p);
    for (int i = 0; i < p; ++i) arrivals[i] = i;
    const Instance instance = make_instance(n, 0, arrivals, 1.0, Order::paper);
    const double bound = 1.0 * p * n * n;
    for (const auto& count : {pairing_heap_erasing, pairing_heap_filtering}) {
      const HeapOperations operations = count(instance, list, true);
      EXPECT_LE(operations.erases, operations.inserts);
      EXPECT_GT(static_cast<double>(operations.inserts), 0.3 * bound) << p << " x " << n;
      EXPECT_LT(static_cast<double>(operations.inserts), 1.5 * bound) << p << " x " << n;
    }
  }
}

TEST(Generators, AreIdenticalOnEveryInstructionSet) {
  std::mt19937_64 random(7);
  MessageList reference, list;
  for (int trial = 0; trial < 300; ++trial) {
    const Instance instance = test::random_case(random, 40, 150);
    linear(instance, reference);
    for (const std::string_view isa : isas()) {
      use_isa(isa);
      fast(instance, list);
      ASSERT_EQ(list, reference) << isa << ": " << test::show(instance);
      segment_tree(instance, list);
      ASSERT_EQ(list, reference) << isa << ": " << test::show(instance);
    }
  }
  use_isa(isas().front());
  EXPECT_THROW(use_isa("none"), Error);
}

TEST(Generators, AreIdenticalOnLargerInstances) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  MessageList reference, list;
  for (const auto& [ranks, segments] :
       {std::pair(200, 100), std::pair(400, 30), std::pair(130, 200), std::pair(1500, 40),
        std::pair(700, 90), std::pair(450, 150), std::pair(4096, 64), std::pair(30, 600),
        std::pair(600, 900), std::pair(20, 1100)})
    for (const Order order : {Order::paper, Order::latest_first})
      for (const double spread : {0.0, 0.3, 1.0, 3.0}) {
        std::vector<double> arrivals(ranks);
        for (double& arrival : arrivals) arrival = spread * ranks * unit(random);
        const Instance instance = make_instance(segments, static_cast<int>(random() % ranks),
                                                arrivals, 0.05 + 0.9 * unit(random), order);
        segment_tree(instance, reference);
        fast(instance, list);
        ASSERT_EQ(list, reference) << ranks << " x " << segments << " " << spread;
        const Verdict verdict = check::check_rounds(instance, list);
        ASSERT_TRUE(verdict) << verdict.problem;
      }
}

// fast() looks at 64 segments at a time while rounds are regular. Latecomers hold the first
// segments when the others are far beyond them, so that its window is the wrong one for most, and
// rounds become irregular and regular again.
TEST(Generators, AreIdenticalWhenSomeComeLate) {
  std::mt19937_64 random(9);
  MessageList reference, list;
  for (const auto& [ranks, segments] : {std::pair(3, 300), std::pair(70, 150), std::pair(300, 200),
                                        std::pair(40, 700), std::pair(600, 130)})
    for (const int late : {1, 2, ranks / 3})
      for (const double rounds : {40.5, 0.7 * segments})
        for (const Order order : {Order::paper, Order::latest_first}) {
          std::vector<double> arrivals(ranks, 0.0);
          for (int i = 0; i < late; ++i) arrivals[random() % ranks] = rounds + 60 * i;
          const int root = static_cast<int>(random() % ranks);
          const Instance instance = make_instance(segments, root, arrivals, 1.0, order);
          segment_tree(instance, reference);
          for (const std::string_view isa : isas()) {
            use_isa(isa);
            fast(instance, list);
            ASSERT_EQ(list, reference) << isa << ": " << ranks << " x " << segments << ", " << late
                                       << " late by " << rounds << ", root " << root;
          }
          use_isa(isas().front());
        }
}

}  // namespace
}  // namespace pat::clairvoyant
