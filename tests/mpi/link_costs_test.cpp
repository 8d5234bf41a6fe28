// What PAT_Init measures of messages.

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/eager_limit.hpp"
#include "libpat/mpi/incast.hpp"
#include "libpat/mpi/quick_calibration.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// What Open MPI says of messages in shared memory; nothing of another library.
std::optional<std::size_t> limit_in_shared_memory() {
  int level = 0, index = 0, count = 0;
  unsigned limit = 0;
  std::optional<std::size_t> found;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  if (MPI_T_cvar_get_index("btl_vader_eager_limit", &index) == MPI_SUCCESS) {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    std::array<char, sizeof(std::size_t)> value{};
    MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
    MPI_T_cvar_read(handle, value.data());
    MPI_T_cvar_handle_free(&handle);
    std::memcpy(&limit, value.data(), sizeof limit);
    found = limit;
  }
  MPI_T_finalize();
  return found;
}

std::size_t eager_limit_of_last(double message_s, double budget_s) {
  if (size() > 1 && rank() == size() - 1) detail::answer_eager_probes(MPI_COMM_WORLD, 0);
  if (size() < 2 || rank() != 0) return 0;
  return detail::eager_limit(
      MPI_COMM_WORLD, size() - 1, [&](std::size_t) { return message_s; }, budget_s);
}

TEST(EagerLimit, IsTheLibrarysOwn) {
  const std::size_t found = eager_limit_of_last(2e-3, 10.0);
  if (rank() != 0 || size() < 2) return;
  EXPECT_GT(found, 0u);
  EXPECT_LT(found, std::size_t{4} << 20);
  const std::optional<std::size_t> limit = limit_in_shared_memory();
  if (!limit) return;
  EXPECT_LE(found, *limit);
  EXPECT_GE(static_cast<double>(found), static_cast<double>(*limit) * 16.0 / 17.0 - 512.0);
}

TEST(EagerLimit, IsNotKnownWithoutTime) {
  EXPECT_EQ(eager_limit_of_last(1e-3, 0.0), 0u);
}

TEST(EagerLimit, IsOnTheSafeSideWithLittleTime) {
  const std::size_t little = eager_limit_of_last(1e-3, 5e-3);
  const std::size_t all = eager_limit_of_last(1e-3, 10.0);
  EXPECT_LE(little, all);
}

TEST(Incast, IsATimeAndNothingForOneSender) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 16}) {
    const Calibration::Incast found = detail::measure_incast(MPI_COMM_WORLD, bytes, 3, 1);
    EXPECT_EQ(found.bytes, bytes);
    EXPECT_TRUE(std::isfinite(found.stall_s));
    EXPECT_GE(found.stall_s, 0.0);
    if (size() < 3) {
      EXPECT_EQ(found.stall_s, 0.0);
    }
  }
}

TEST(QuickCalibration, SaysTheSameEverywhere) {
  for (const double budget_s : {1e-6, 11e-3, 1.0}) {
    const Calibration mine = detail::quick_calibration(MPI_COMM_WORLD, budget_s);
    std::string first = to_json(mine);
    detail::broadcast_text(MPI_COMM_WORLD, first);
    EXPECT_EQ(to_json(mine), first);
    EXPECT_EQ(mine.messages.empty(), size() < 2);
    if (budget_s < 1e-3) {
      EXPECT_EQ(mine.eager_bytes, 0u);
    }
    if (budget_s < 1.0 || size() < 2) continue;
    EXPECT_GT(mine.eager_bytes, 0u);
    const LinkCost cost = mine.link(1 << 10, {});
    const double once_s = size() * (cost.alpha_s + 1024.0 * cost.beta_s_per_byte);
    if (size() > 2 && once_s < 0.01) {  // else there may be no time for it
      EXPECT_FALSE(mine.incast.empty());
    }
  }
}

}  // namespace
}  // namespace pat
