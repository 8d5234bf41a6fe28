// What steps take by whether PAT does the calls: programs whose steps the test makes up.

#include "libpat/agreement/periods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "libpat/agreement/judge.hpp"

namespace pat::detail {
namespace {

/// A program whose calls go as Periods wants, and are PAT's otherwise; a decision covers `lease`
/// of them, and of these the middle one is measured.
class Program {
 public:
  using Step = std::function<double(std::uint32_t call, bool library)>;
  explicit Program(Step step, std::uint32_t lease = 1) : step_(std::move(step)), lease_(lease) {}

  void run(std::uint32_t calls) {
    for (const std::uint32_t end = call_ + calls; call_ < end;) decide();
  }
  const Periods& periods() const { return periods_; }
  std::uint32_t by_library() const { return by_library_; }

 private:
  void decide() {
    if (periods_.is_due(call_)) periods_.compare(call_);
    const bool library = periods_.wants_library(call_);
    std::uint32_t count = lease_;
    if (const auto left = periods_.compared_calls_left(call_); left > 0)
      count = library ? left : std::min(left, count);
    periods_.go(call_, library);
    const std::uint32_t middle = call_ + (count - 1) / 2;
    for (; count > 0; --count, ++call_) {
      now_s_ += step_(call_, library);
      by_library_ += library;
      if (call_ == middle) periods_.over(call_, now_s_);
    }
  }

  Step step_;
  const std::uint32_t lease_;
  Periods periods_;
  std::uint32_t call_ = 0, by_library_ = 0;
  double now_s_ = 0.0;
};

/// 20 ms, give or take a fiftieth of it.
class Noise {
 public:
  explicit Noise(unsigned seed, double sd = 0.4e-3) : random_(seed), steps_(20e-3, sd) {}
  double operator()() { return steps_(random_); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> steps_;
};

TEST(Periods, TheLibraryIsTakenWhereStepsAreShorterWithIt) {
  for (const std::uint32_t lease : {1u, 3u, 16u, 64u}) {
    Noise noise(1);
    Program program([&](std::uint32_t, bool library) { return noise() * (library ? 0.95 : 1.0); },
                    lease);
    program.run(2000);
    EXPECT_GT(program.by_library(), 1000u) << "leases of " << lease;
    EXPECT_TRUE(program.periods().library_is_better());
    EXPECT_NEAR(program.periods().library_s() / program.periods().pat_s(), 0.95, 0.02);
  }
}

TEST(Periods, WhereStepsAreLongerWithItFewCallsAreTheLibrarys) {
  Noise noise(2);
  Program program([&](std::uint32_t, bool library) { return noise() * (library ? 1.2 : 1.0); });
  program.run(100);
  EXPECT_EQ(program.by_library(), 0u) << "so early nothing is compared";
  program.run(9900);
  const std::uint32_t compared = program.by_library() / Periods::calls_of_a_comparison;
  EXPECT_GE(compared, 5u);
  EXPECT_LE(compared, 6u) << "each time after four times as many calls, but for the last ones";
}

TEST(Periods, ComesBackWhereTheProgramChanges) {
  Noise noise(3);
  Program program([&](std::uint32_t call, bool library) {
    const bool shorter = call < 3000 ? library : !library;
    return noise() * (shorter ? 0.9 : 1.0);
  });
  program.run(3000);
  EXPECT_TRUE(program.periods().library_is_better());
  program.run(6000);
  EXPECT_FALSE(program.periods().library_is_better());
}

/// Of so many programs in how many the library is taken in the end.
int taken(int programs, const std::function<Program::Step(unsigned seed)>& make) {
  int changed = 0;
  for (int i = 0; i < programs; ++i) {
    Program program(make(static_cast<unsigned>(i)));
    program.run(1500);
    changed += program.by_library() > 100;
  }
  return changed;
}

TEST(Periods, ChanceChangesLittle) {
  EXPECT_LT(taken(300,
                  [](unsigned seed) -> Program::Step {
                    return [noise = Noise(seed, 2e-3)](std::uint32_t, bool) mutable {
                      return noise();
                    };
                  }),
            12)
      << "equal steps";
  EXPECT_LT(taken(300,
                  [](unsigned seed) -> Program::Step {
                    return [noise = Noise(seed)](std::uint32_t call, bool) mutable {
                      return noise() * (1.0 - 2e-4 * call);
                    };
                  }),
            12)
      << "steps that shrink";
  EXPECT_LT(taken(300,
                  [](unsigned seed) -> Program::Step {
                    return [noise = Noise(seed), seed](std::uint32_t call, bool) mutable {
                      return noise() + ((call + seed) % 50 == 0 ? 0.5 : 0.0);
                    };
                  }),
            12)
      << "a long step now and then";
}

/// Calls of PAT's take 10 ms and the library's 13, but outside of them a step with PAT's takes
/// `more_s` longer. Returns how many of `calls` are the library's.
int calls_by_the_library(double more_s, int calls, double* lost_s = nullptr) {
  const Config config;
  const Calibration calibration;
  StreamKind kind;
  kind.signature.operation = Operation::reduce;
  kind.signature.block_bytes = 1 << 20;
  kind.signature.unit_bytes = 8;
  kind.ranks = 8;
  Judge judge(
      config, calibration, kind, +[]() -> std::int64_t { return 0; });
  Leader leader(8, 1);
  const ArrivalPattern flat = ArrivalPattern::flat(8);
  Decision decision;
  double now_s = 1.0;
  int by_library = 0;
  for (std::uint32_t call = 1; call <= static_cast<std::uint32_t>(calls); ++call) {
    if (!decision.covers(call)) {
      decision = {};
      decision.first = call;
      judge.decide(flat, {}, 0, static_cast<std::int64_t>(now_s * 1e9), decision);
      judge.set_lease(leader, flat, decision);
    }
    const bool library = decision.chosen().name == "mpi";
    const double call_s = library ? 13e-3 : 10e-3;
    now_s += 80e-3 + call_s + (library ? 0.0 : more_s);
    by_library += library;
    judge.learn({call, flat, call_s, now_s}, {});
  }
  if (lost_s != nullptr) *lost_s = judge.lost_to_trials_s();
  return by_library;
}

TEST(Periods, TheJudgeGoesByWholeSteps) {
  EXPECT_GT(calls_by_the_library(6e-3, 1000), 700) << "3 ms are gained in calls, 6 ms lost";
  double lost_s = 0.0;
  EXPECT_LT(calls_by_the_library(1e-3, 1000, &lost_s), 60);
  EXPECT_LT(lost_s, 0.01 * 1000 * 91e-3);
}

}  // namespace
}  // namespace pat::detail
