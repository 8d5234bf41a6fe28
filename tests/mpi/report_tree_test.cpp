// Reports that climb a tree: what every process foretells reaches the leader, and nothing hangs.
// Decisions that are passed down: everybody hears, the leader tells a few, and nobody waits for a
// process that is in no call of PAT.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "libpat/session/measurement.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// Twelve gathers at `root`; rank `late` comes 40 ms after the others.
void gather_with_a_late_one(int root, int late) {
  std::vector<int> all(static_cast<std::size_t>(size()));
  for (int call = 0; call < 12; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);  // nobody runs ahead and asks before the others foretell
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == late ? 50.0 : 10.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    const int mine = rank() + 100 * call;
    ASSERT_EQ(PAT_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, root, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    for (int r = 0; rank() == root && r < size(); ++r)
      ASSERT_EQ(all[static_cast<std::size_t>(r)], r + 100 * call);
  }
}

/// The leader tells all what it knows of each.
void expect_late(int late) {
  std::vector<double> offsets_s(static_cast<std::size_t>(size()));
  ASSERT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), nullptr), MPI_SUCCESS);
  for (int r = 0; r < size(); ++r)
    if (r != late) {
      EXPECT_GT(offsets_s[static_cast<std::size_t>(late)], offsets_s[static_cast<std::size_t>(r)])
          << "rank " << r;
    }
}

class Climbing : public testing::TestWithParam<const char*> {};

TEST_P(Climbing, TheLeaderHearsOfEveryone) {
  for (const int root : {0, size() - 1})
    for (const int late : {size() / 2, root == 0 ? size() - 1 : 0}) {
      const std::string config = std::string("report_tree=2;min_bytes=1;lease_max=2") + GetParam();
      ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
      ASSERT_EQ(PAT_UseAlgName("gather", "sbn"), MPI_SUCCESS);
      gather_with_a_late_one(root, late);
      expect_late(late);
      ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
    }
}

INSTANTIATE_TEST_SUITE_P(All, Climbing, testing::Values("", ";disturb=0.3"));

/// Phases in which everybody waits for the decision before he goes on to the call, so that nobody
/// asks for it.
class PassedDown : public testing::TestWithParam<const char*> {
 protected:
  void begin(double foretold_s) {
    const std::string config =
        std::string("report_tree=2;min_bytes=1;lease_max=1;recall=0") + GetParam();
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
    detail::filter_forecasts([foretold_s](const Forecast&) {
      return Forecast{foretold_s, 0.9 * foretold_s, 1.1 * foretold_s, true};
    });
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  /// False without one, when nothing is passed down.
  static bool has_daemon() { return detail::Session::get("test").has_daemon(); }

  static std::size_t messages_sent() {
    return detail::take_snapshot(detail::Session::get("test")).control_messages;
  }

  /// Of decisions that this process has heard of.
  static std::uint64_t epoch() {
    std::vector<double> offsets_s(static_cast<std::size_t>(size()));
    std::uint64_t epoch = 0;
    PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), &epoch);
    return epoch;
  }

  /// Computes until the decision for call `call` is there, each of which has one of its own but
  /// for call 0, which needs none. Others may have decided it while this process was in the call
  /// before.
  static void compute(std::uint64_t call) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    const std::int64_t began_ns = now_ns();
    constexpr std::int64_t patience_ns = 60'000'000'000;
    while (epoch() < call && now_ns() - began_ns < patience_ns) test::sleep_ms(1.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    ASSERT_GE(epoch(), call) << "rank " << rank() << " has not heard of the decision";
  }

  static void bcast(int value) {
    int got = rank() == 0 ? value : -1;
    ASSERT_EQ(PAT_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(got, value);
  }
};

TEST_P(PassedDown, EverybodyHearsAndTheLeaderTellsAFew) {
  begin(4.0);  // nothing is due before all have said their last word
  if (!has_daemon()) return;
  ASSERT_EQ(PAT_UseAlgName("bcast", "sbn"), MPI_SUCCESS);
  for (int call = 0; call < 4; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::size_t before = messages_sent();
    compute(static_cast<std::uint64_t>(call));
    if (HasFatalFailure()) return;
    // A list and the decision to each of two. All others in one machine know the time.
    const auto most = static_cast<std::size_t>(2 * std::min(2, size() - 1));
    if (rank() == 0) {
      EXPECT_LE(messages_sent() - before, most) << "call " << call;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    bcast(100 + call);
  }
}

TEST_P(PassedDown, ByAProcessThatDoesNotKnowTheCalls) {
  begin(0.05);
  if (!has_daemon()) return;
  ASSERT_EQ(PAT_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);  // from here on all know the communicator
  ASSERT_EQ(PAT_UseAlgName("bcast", "lin"), MPI_SUCCESS);
  const int between = 1;  // the first whom rank 0 tells, with half of the others below it
  int token = 0;
  for (int other = 2; rank() == between && other < size(); ++other)
    MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int call = 0; call < 4; ++call) {
    compute(rank() != between ? static_cast<std::uint64_t>(call) : 0);
    if (HasFatalFailure()) break;
    bcast(100 + call);
  }
  if (rank() > between) MPI_Send(&token, 1, MPI_INT, between, 0, MPI_COMM_WORLD);
}

INSTANTIATE_TEST_SUITE_P(All, PassedDown, testing::Values("", ";disturb=0.3"));

}  // namespace
}  // namespace pat
