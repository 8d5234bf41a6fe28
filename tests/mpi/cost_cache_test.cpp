// PAT_CALIBRATION=cache: the second run starts where the first ended.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "libpat/mpi/cost_cache.hpp"
#include "libpat/session/session.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

int samples_of(const Calibration& known) {
  int all = 0;
  for (const auto& one : known.learnt) all += one.samples;
  return all;
}

class CostCache : public testing::Test {
 protected:
  void SetUp() override {
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    folder_ = testing::TempDir() + "pat-cache-" + std::to_string(process);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove_all(folder_);
    unsetenv("XDG_CACHE_HOME");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// So short that there is little to think about: a session may think for a hundredth of its time
  /// only, which sanitizers beside other work use up for a long while otherwise.
  static constexpr int units = 500;

  /// What is known when a session begins that then makes some calls, each with a decision of its
  /// own, as what a call took is told with the next one.
  static Calibration run(const std::string& config = "calibration=cache;lease_max=1;min_bytes=0",
                         double phase_ms = 2.0) {
    EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
    const detail::Session& session = detail::Session::get("test");
    Calibration known = session.calibration;
    had_daemon_ = session.has_daemon();
    std::vector<double> mine(units, 1.0), sum(mine);
    for (int i = 0; i < 25; ++i) {
      EXPECT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(phase_ms);
      EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      EXPECT_EQ(PAT_Reduce(mine.data(), sum.data(), units, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD),
                MPI_SUCCESS);
    }
    EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
    MPI_Barrier(MPI_COMM_WORLD);
    return known;
  }

  /// They were kept, and nothing was measured anew.
  static void expect_same_messages(const Calibration& later, const Calibration& before) {
    ASSERT_EQ(later.messages.size(), before.messages.size());
    for (std::size_t i = 0; i < before.messages.size(); ++i)
      EXPECT_EQ(later.messages[i].cost, before.messages[i].cost);
    EXPECT_EQ(later.shared.message_s, before.shared.message_s);
    EXPECT_EQ(later.shared.s_per_byte, before.shared.s_per_byte);
  }

  /// What is known after as many runs as it takes to learn more than `before` calls have told. The
  /// same on all ranks. Learning may take a share of the time that the program computes, so where
  /// it is slow the program must compute for longer.
  static Calibration run_until_more(int before) {
    Calibration known;
    for (double phase_ms = 2.0; phase_ms < 1000.0 && samples_of(known) <= before; phase_ms *= 2.0)
      known = run("calibration=cache;lease_max=1;min_bytes=0", phase_ms);
    return known;
  }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& one : std::filesystem::directory_iterator(folder_ + "/pat"))
      if (one.path().extension() == ".json") found.push_back(one.path());
    return found;
  }

  std::string folder_;
  static inline bool had_daemon_ = false;  ///< in the last run
};

TEST_F(CostCache, TheSecondRunStartsWhereTheFirstEnded) {
  if (size() < 2) return;
  const Calibration first = run();
  EXPECT_TRUE(first.learnt.empty());
  ASSERT_FALSE(first.messages.empty()) << "measured";
  ASSERT_EQ(files().size(), 1u);
  const Calibration second = run_until_more(0);
  expect_same_messages(second, first);
  EXPECT_EQ(files().size(), 1u);
  if (!had_daemon_) return;  // who does not ask does not tell what the call before took
  ASSERT_FALSE(second.learnt.empty());
  EXPECT_EQ(second.learnt.front().ranks, size());
  const Calibration third = run_until_more(samples_of(second));
  EXPECT_GE(third.learnt.size(), second.learnt.size());
  EXPECT_GT(samples_of(third), samples_of(second)) << "it goes on";
}

/// The root decides the next call while the last process has not come to this one.
int learnt_where_the_root_runs_ahead(double phase_ms) {
  const int last = size() - 1;
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "calibration=cache;lease_max=1;min_bytes=0"),
            MPI_SUCCESS);
  const int before = samples_of(detail::Session::get("test").calibration);
  std::vector<double> data(500, 1.0);
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == last ? 4.0 * phase_ms : phase_ms);
    EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    EXPECT_EQ(PAT_Bcast(data.data(), 500, MPI_DOUBLE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank() == last) MPI_Send(nullptr, 0, MPI_INT, 0, 7, MPI_COMM_WORLD);
    if (rank() == 0 && i > 0)  // by one call
      MPI_Recv(nullptr, 0, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank() == 0) MPI_Recv(nullptr, 0, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  MPI_Barrier(MPI_COMM_WORLD);
  return before;
}

TEST_F(CostCache, LearnsOfCallsThatSomeLeaveBeforeTheLastHasCome) {
  if (size() < 2) return;
  int learnt = 0;
  for (double phase_ms = 2.0; phase_ms < 200.0 && learnt < 5; phase_ms *= 2.0)
    learnt = learnt_where_the_root_runs_ahead(phase_ms);
  EXPECT_GE(learnt, 5);
}

TEST_F(CostCache, ThatIsBrokenIsIgnoredAndMadeAnew) {
  if (size() < 2) return;
  run();
  if (rank() == 0) std::ofstream(files().front()) << "{\"format\": 7";
  MPI_Barrier(MPI_COMM_WORLD);
  const Calibration known = run();
  EXPECT_TRUE(known.learnt.empty());
  EXPECT_FALSE(known.messages.empty());
  const Calibration later = run();
  expect_same_messages(later, known);
}

/// What one process has learnt with its n-th call.
Calibration::Learnt nth_learnt(int process, int n) {
  return {.operation = Operation::reduce,
          .algorithm = "bnom",
          .ranks = 1,
          .block_bytes = static_cast<std::size_t>(100 * process + n + 1),
          .correction = 1.5,
          .samples = 1};
}

/// All processes as jobs of their own, which run in the same circumstances: nothing that one wrote
/// is lost, and what is read is whole.
TEST_F(CostCache, IsWrittenBySeveralAtOnce) {
  constexpr int writes = 20;
  std::size_t seen = 0;
  for (int n = 0; n < writes; ++n) {
    Calibration known;
    const auto is_kept = [&] {
      return std::ranges::any_of(known.learnt, [&](const Calibration::Learnt& one) {
        return one.block_bytes == nth_learnt(rank(), n).block_bytes;
      });
    };
    // Who does not get the lock in time goes without.
    for (int attempt = 0; attempt < 50 && !is_kept(); ++attempt) {
      detail::keep_costs(MPI_COMM_SELF, {}, {nth_learnt(rank(), n)});
      known = detail::load_cached_costs(MPI_COMM_SELF);
      ASSERT_GE(known.learnt.size(), seen) << "broken, or lost";
      seen = known.learnt.size();
    }
    ASSERT_TRUE(is_kept()) << "write " << n;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(detail::load_cached_costs(MPI_COMM_SELF).learnt.size(),
            static_cast<std::size_t>(writes * size()));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CostCache, IsLeftAloneWhereTheUserSaysWhatMessagesCost) {
  run("calibration=cache;alpha=30e-6");
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(CostCache, ThatCannotBeWrittenEndsNothing) {
  setenv("XDG_CACHE_HOME", "/proc/none", 1);
  run();
  run();
}

}  // namespace
}  // namespace pat
