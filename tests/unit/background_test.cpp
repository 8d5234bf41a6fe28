// The thread of the daemon, without MPI to talk to: who wakes it, and what that costs.

#include "libpat/session/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/clock.hpp"

namespace pat::detail {
namespace {

using namespace std::chrono_literals;

void burn(std::int64_t cpu_ns) {
  const std::int64_t until_ns = thread_cpu_ns() + cpu_ns;
  while (thread_cpu_ns() < until_ns) {
  }
}

/// Rounds of so much processor time that leave the daemon at rest.
struct Resting {
  explicit Resting(std::int64_t cpu_ns)
      : background(
            [this, cpu_ns] {
              burn(cpu_ns);
              ++rounds;
              return pace::Round{.resting = true};
            },
            [](int) {}, -1) {}
  std::atomic<int> rounds{0};
  Background background;
};

/// It fails by its own time limit where a call is lost.
TEST(Background, ThatRestsIsWoken) {
  Resting daemon(0);
  for (int i = 0; i < 5; ++i) {
    const int before = daemon.rounds;
    daemon.background.wake();
    while (daemon.rounds == before) std::this_thread::sleep_for(100us);
  }
}

TEST(Background, ThatRestsIsNotWokenMoreOftenThanItHasEarned) {
  constexpr std::int64_t cost_ns = 50'000;
  const std::int64_t begin_ns = now_ns();
  Resting daemon(cost_ns);
  while (now_ns() - begin_ns < 500'000'000) {
    daemon.background.wake();
    std::this_thread::sleep_for(50us);
  }
  daemon.background.stop();
  const auto wall_ns = static_cast<double>(now_ns() - begin_ns);
  const double earned_ns = pace::share * wall_ns + static_cast<double>(pace::most_saved_cpu_ns);
  EXPECT_LE(daemon.rounds, 2 + earned_ns / cost_ns);
  EXPECT_GE(daemon.rounds, 2) << "it is woken";
}

TEST(Background, StopsWhileItIsInDebt) {
  Resting daemon(5'000'000);
  while (daemon.rounds == 0) std::this_thread::sleep_for(100us);
  daemon.background.stop();
  EXPECT_GE(daemon.background.cpu_s(), 0.005);
}

}  // namespace
}  // namespace pat::detail
