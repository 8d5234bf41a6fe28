// What steps take by whether PAT does the calls: programs whose steps the test makes up.

#include "libpat/agreement/periods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "libpat/agreement/judge.hpp"

namespace pat::detail {
namespace {

/// A program whose calls go as Periods wants, and are PAT's otherwise; a decision covers `lease`
/// of them, and of these the middle one is measured. That is told before the next decision, or,
/// where a process is slow, after it.
class Program {
 public:
  using Step = std::function<double(std::uint32_t call, bool library)>;
  enum class Told { before, after };
  explicit Program(Step step, std::uint32_t lease = 1, Told told = Told::before)
      : step_(std::move(step)), lease_(lease), told_(told) {}

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
    tell();
    const std::uint32_t middle = call_ + (count - 1) / 2;
    for (; count > 0; --count, ++call_) {
      now_s_ += step_(call_, library);
      by_library_ += library;
      if (call_ == middle) measured_ = {call_, now_s_};
    }
    if (told_ == Told::before) tell();
  }

  void tell() {
    if (measured_) periods_.over(measured_->first, measured_->second);
    measured_.reset();
  }

  Step step_;
  const std::uint32_t lease_;
  const Told told_;
  Periods periods_;
  std::optional<std::pair<std::uint32_t, double>> measured_;  ///< not told yet
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
  for (const auto told : {Program::Told::before, Program::Told::after})
    for (const std::uint32_t lease : {1u, 3u, 16u, 64u}) {
      Noise noise(1);
      const auto step = [&](std::uint32_t, bool library) {
        return noise() * (library ? 0.95 : 1.0);
      };
      Program program(step, lease, told);
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

/// Of 300 programs in how many the library is taken.
int taken(const std::function<Program::Step(unsigned seed)>& make, std::uint32_t lease = 1) {
  int changed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Program program(make(seed), lease);
    program.run(1500);
    changed += program.by_library() > 100;
  }
  return changed;
}

TEST(Periods, ChanceChangesLittle) {
  for (const std::uint32_t lease : {1u, 2u, 16u, 64u}) {
    const int changed = taken(
        [](unsigned seed) -> Program::Step {
          return [noise = Noise(seed, 2e-3)](std::uint32_t, bool) mutable { return noise(); };
        },
        lease);
    EXPECT_LT(changed, 18) << "equal steps, leases of " << lease;
  }
  EXPECT_LT(taken([](unsigned seed) -> Program::Step {
              return [noise = Noise(seed)](std::uint32_t call, bool) mutable {
                return noise() * (1.0 - 2e-4 * call);
              };
            }),
            12)
      << "steps that shrink";
}

TEST(Periods, LongStepsByTurnsChangeNothing) {
  for (const unsigned every : {2u, 3u, 5u, 8u, 10u, 50u})
    for (const std::uint32_t lease : {1u, 2u}) {
      const int changed = taken(
          [=](unsigned seed) -> Program::Step {
            return [noise = Noise(seed), seed, every](std::uint32_t call, bool library) mutable {
              return noise() * (library ? 1.05 : 1.0) + ((call + seed) % every == 0 ? 40e-3 : 0.0);
            };
          },
          lease);
      EXPECT_LT(changed, 6) << "every " << every << " calls, leases of " << lease;
    }
}

/// A stream of calls, decided by a judge: PAT's take 10 ms and the library's 13, but outside of
/// them a step with PAT's takes longer by what the test says, and may stop for some time.
class Judged {
 public:
  struct Course {
    std::function<double(std::uint32_t call)> more_s = [](std::uint32_t) { return 0.0; };
    std::uint32_t hiccup = 0;  ///< a call that takes a second
  };

  explicit Judged(Course course) : course_(std::move(course)) {
    StreamKind kind;
    kind.signature.operation = Operation::reduce;
    kind.signature.block_bytes = 1 << 20;
    kind.signature.unit_bytes = 8;
    kind.ranks = ranks;
    judge_.emplace(
        config_, calibration_, kind, +[]() -> std::int64_t { return 0; });
  }

  /// How many calls of the next `calls` are the library's.
  int run(std::uint32_t calls) {
    int by_library = 0;
    for (const std::uint32_t end = call_ + calls; call_ < end; ++call_) by_library += make_call();
    return by_library;
  }
  double lost_s() const { return judge_->lost_to_trials_s(); }
  double elapsed_s() const { return now_s_; }

 private:
  static constexpr int ranks = 8;

  bool make_call() {
    if (!decision_.covers(call_)) {
      decision_ = {};
      decision_.first = call_;
      judge_->decide(flat_, {}, 0, static_cast<std::int64_t>(now_s_ * 1e9), decision_);
      judge_->set_lease(leader_, flat_, decision_);
    }
    const bool library = decision_.chosen().name == "mpi";
    const double call_s = (library ? 13e-3 : 10e-3) + (call_ == course_.hiccup ? 1.0 : 0.0);
    now_s_ += 80e-3 + call_s + (library ? 0.0 : course_.more_s(call_));
    judge_->learn({call_, flat_, call_s, now_s_}, {});
    return library;
  }

  const Config config_;
  const Calibration calibration_;
  const ArrivalPattern flat_ = ArrivalPattern::flat(ranks);
  const Course course_;
  std::optional<Judge> judge_;
  Leader leader_{ranks, 1};
  Decision decision_;
  std::uint32_t call_ = 1;
  double now_s_ = 1.0;
};

TEST(Periods, TheJudgeGoesByWholeSteps) {
  Judged lost({.more_s = [](std::uint32_t) { return 6e-3; }});
  EXPECT_GT(lost.run(2000), 1300) << "3 ms are gained in calls, 6 ms lost";
  Judged gained({.more_s = [](std::uint32_t) { return 1e-3; }});
  EXPECT_LT(gained.run(1000), 60);
  EXPECT_LT(gained.lost_s(), 0.02 * gained.elapsed_s());
}

TEST(Periods, TheJudgeComesBackToWaysOfPats) {
  Judged program({.more_s = [](std::uint32_t call) { return call < 1000 ? 6e-3 : 0.0; }});
  program.run(1000);
  program.run(3000);
  EXPECT_LT(program.run(1000), 60);
}

TEST(Periods, OneSlowCallDoesNotEndComparisons) {
  for (std::uint32_t hiccup = 125; hiccup < 160; hiccup += 5) {
    Judged program(
        {.more_s = [](std::uint32_t call) { return call < 300 ? 0.0 : 17e-3; }, .hiccup = hiccup});
    program.run(3000);
    EXPECT_GT(program.run(1000), 800) << "call " << hiccup << " was slow";
  }
}

}  // namespace
}  // namespace pat::detail
