// A lease ends when somebody's phases are no longer those that it was given for, however long it
// is.

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "libpat/session/measurement.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

std::uint64_t recalls() {
  std::uint64_t sum = 0;
  for (const detail::Snapshot::Stream& stream :
       detail::take_snapshot(detail::Session::get("test")).streams)
    sum += stream.tally.recalls;
  return sum;
}

bool has_daemon() {
  const detail::Session& session = detail::Session::get("test");
  return session.has_daemon();
}

/// A reduction after a phase whose length everybody foretells as it is, give or take 30 ms or more,
/// so that what the machine does meanwhile ends no lease.
class Recall : public testing::Test {
 protected:
  void begin(const std::string& config, double half_width_s = 0.03) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
    detail::filter_forecasts([this, half_width_s](const Forecast&) {
      const double mean_s = 1e-3 * phase_ms_;
      return Forecast{mean_s, std::max(0.0, mean_s - half_width_s), mean_s + half_width_s, true};
    });
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  void call(double phase_ms) {
    phase_ms_ = phase_ms;
    const std::size_t count = 2000;
    std::vector<double> mine(count), sum(count, -1.0), expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      mine[i] = static_cast<double>(calls_ % 7) + rank();
      expected[i] = size() * static_cast<double>(calls_ % 7) + size() * (size() - 1) / 2.0;
    }
    ++calls_;
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(phase_ms);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    ASSERT_EQ(PAT_Reduce(mine.data(), sum.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, 0,
                         MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(sum, expected) << "call " << calls_;
    }
  }

  /// By how much the pattern has the last rank after the first, ms.
  static double last_after_first_ms() {
    std::vector<double> offsets_s(static_cast<std::size_t>(size()));
    EXPECT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), nullptr), MPI_SUCCESS);
    return 1e3 * (offsets_s.back() - offsets_s.front());
  }
  static std::uint64_t age() {
    std::uint64_t calls = 1000000;
    EXPECT_EQ(PAT_GetPatternAge(PAT_REGION_DEFAULT, &calls), MPI_SUCCESS) << PAT_Error_string();
    return calls;
  }

  std::atomic<double> phase_ms_{0.0};
  std::uint64_t calls_ = 0;
};

TEST_F(Recall, BringsTheRightPatternSoonDuringALongLease) {
  begin("recall=1;lease_max=1024;min_bytes=1;explore=0");
  if (size() < 2 || !has_daemon()) return;
  ASSERT_EQ(PAT_UseAlgName("reduce", "clairvoyant"), MPI_SUCCESS);
  bool is_long = false;  // which takes longer where other programs move the arrivals
  for (int i = 0; i < 10; ++i) call(0.5);
  for (int i = 0; i < 5000 && !is_long; ++i) {
    call(0.5);
    is_long = age() >= 20;
    MPI_Bcast(&is_long, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
  }
  EXPECT_TRUE(is_long) << "the lease is not";
  constexpr int most = 10;  // 5 where cores are free
  int later = 0;
  const auto late = [&] { call(rank() == size() - 1 ? 150.0 : 0.5); };
  while (later < 20 && last_after_first_ms() < 100.0) {
    late();
    ++later;
  }
  EXPECT_LE(later, most) << "rank " << rank();
  for (; later < 20; ++later) late();  // all make equally many calls
  // And back: in phases that are long against the messages of a recall.
  for (later = 0; later < 20 && last_after_first_ms() > 50.0; ++later) call(20.0);
  EXPECT_LE(later, most) << "rank " << rank();
  for (; later < 20; ++later) call(20.0);
  if (rank() == 0) {
    EXPECT_GE(recalls(), 1u);
  }
}

TEST_F(Recall, IsNotCalledForWhileNothingChanges) {
  constexpr double more_than_a_process_is_held_up_s = 1.0;
  begin("recall=1;lease_max=1024;min_bytes=1;explore=0", more_than_a_process_is_held_up_s);
  ASSERT_EQ(PAT_UseAlgName("reduce", "clairvoyant"), MPI_SUCCESS);
  for (int i = 0; i < 40; ++i) call(0.5);
  EXPECT_EQ(recalls(), 0u);
}

TEST_F(Recall, OfCallsThatTheLibraryDoes) {
  begin("recall=1;lease_max=1024;min_bytes=1;explore=0;gain=1");
  if (size() < 2 || !has_daemon()) return;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) call(0.0);
    for (int i = 0; i < 12; ++i) call(rank() == size() - 1 ? 100.0 : 0.0);
  }
}

TEST_F(Recall, HasAnAgeOnlyWhereThereIsAPattern) {
  begin("");
  std::uint64_t calls = 0;
  EXPECT_EQ(PAT_GetPatternAge(PAT_REGION_DEFAULT, &calls), MPI_ERR_PENDING);
  EXPECT_EQ(PAT_GetPatternAge(PAT_REGION_DEFAULT, nullptr), MPI_ERR_ARG);
}

TEST_F(Recall, NeedsAPlaceForThePattern) {
  begin("");
  EXPECT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, nullptr, size(), nullptr), MPI_ERR_ARG);
  EXPECT_NE(std::string(PAT_Error_string()).find("null pointer"), std::string::npos)
      << PAT_Error_string();
  std::vector<double> offsets_s(static_cast<std::size_t>(size() + 1));
  EXPECT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size() + 1, nullptr),
            MPI_ERR_COUNT);
}

}  // namespace
}  // namespace pat
