// Where a thread of this process is, asked by another one; and when it is not asked.

#include "libpat/report/stack_line.hpp"

#include "libpat/report/site.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

namespace pat::detail {
namespace {

using namespace std::chrono_literals;

/// A thread that does that until `stop`.
class Worker {
 public:
  explicit Worker(const std::function<void(const std::atomic<bool>&)>& work)
      : thread_([this, work] {
          id_ = gettid();
          work(stop_);
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Worker() { end(); }
  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::int32_t id() const { return id_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::int32_t> id_{0};
  std::thread thread_;
};

[[gnu::noinline]] void solve_here(const std::atomic<bool>& stop) {
  while (!stop) {
  }
}

/// On a machine without a free processor the thread may take longer than anybody waits for it.
std::string patiently(const StackLine& line, std::int32_t thread) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  std::string place = line.of(thread);
  while (place.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(5ms);
    place = line.of(thread);
  }
  return place;
}

bool names_this_file(const std::string& place) {
#ifdef PAT_HAS_LIBDW
  // Little optimised, the flag is read in functions of the header <atomic>.
  return place.starts_with("stack_line_test.cpp:") && place.ends_with(" (pat::detail::solve_here)");
#else
  return place.starts_with("stack_line_test+0x");
#endif
}

TEST(StackLine, SaysWhereAThreadComputes) {
  const StackLine line;
  Worker worker(solve_here);
  EXPECT_PRED1(names_this_file, patiently(line, worker.id()));
  worker.end();
  EXPECT_EQ(line.of(worker.id()), "");  // no such thread
  EXPECT_EQ(line.of(0), "");
}

/// Its first instruction reads the flag, in <atomic>: there is no line of its own before it.
TEST(StackLine, CountsWhatBeginsAFunctionToTheFunction) {
  const void* const first = reinterpret_cast<const char*>(&solve_here) + 1;  // behind it
  EXPECT_FALSE(is_in_a_system_header(first));
  EXPECT_PRED1(names_this_file, place_of_site(first));
}

TEST(StackLine, AsksAgainAndAgain) {
  const StackLine line;
  Worker one(solve_here), other(solve_here);
  for (int i = 0; i < 20; ++i) {
    EXPECT_PRED1(names_this_file, patiently(line, one.id()));
    EXPECT_PRED1(names_this_file, patiently(line, other.id()));
  }
}

/// A signal would end the call.
TEST(StackLine, InterruptsNobodyWhoWaitsInTheSystem) {
  const StackLine line;
  int pipe_ends[2] = {-1, -1};
  ASSERT_EQ(pipe(pipe_ends), 0);
  int result = -2;
  {
    Worker worker([&](const std::atomic<bool>&) {
      pollfd waits{pipe_ends[0], POLLIN, 0};
      result = poll(&waits, 1, 60'000);
    });
    std::string place;
    for (int attempt = 0; attempt < 1000 && place.empty(); ++attempt) {
      std::this_thread::sleep_for(10ms);  // until it is there
      place = line.of(worker.id());
      if (place.find("poll") == place.npos) place.clear();
    }
    EXPECT_NE(place.find("poll"), place.npos);
    EXPECT_EQ(write(pipe_ends[1], "", 1), 1);
  }
  EXPECT_EQ(result, 1);  // not -1 with EINTR
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(StackLine, LeavesThoseAloneWhoBlockSignals) {
  const StackLine line;
  std::atomic<bool> blocked{false}, unblock{false};
  Worker worker([&](const std::atomic<bool>& stop) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    blocked = true;
    while (!unblock) std::this_thread::yield();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    solve_here(stop);
  });
  while (!blocked) std::this_thread::yield();
  EXPECT_EQ(line.of(worker.id()), "");
  unblock = true;
  EXPECT_PRED1(names_this_file, patiently(line, worker.id()));
}

std::vector<int> signals_with_a_handler() {
  std::vector<int> all;
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_DFL) all.push_back(signal);
  }
  return all;
}

TEST(StackLine, TakesASignalThatIsFreeAndGivesItBack) {
  const std::vector<int> before = signals_with_a_handler();
  {
    const StackLine line;
    EXPECT_EQ(signals_with_a_handler().size(), before.size() + 1);
  }
  EXPECT_EQ(signals_with_a_handler(), before);
}

std::atomic<int> taken{0};

TEST(StackLine, LeavesTheProgramASignalThatItTakes) {
  const std::vector<int> before = signals_with_a_handler();
  int signal = 0;
  {
    const StackLine line;
    for (const int one : signals_with_a_handler())
      if (std::ranges::find(before, one) == before.end()) signal = one;
    ASSERT_NE(signal, 0);
    std::signal(signal, [](int) { ++taken; });
    Worker worker(solve_here);
    EXPECT_EQ(line.of(worker.id()), "");
  }
  std::raise(signal);  // the handler stays the program's
  EXPECT_EQ(taken, 1);
  std::signal(signal, SIG_DFL);
}

}  // namespace
}  // namespace pat::detail
