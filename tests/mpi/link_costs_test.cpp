// What PAT_Init measures of messages.

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/crowding.hpp"
#include "libpat/mpi/eager_limit.hpp"
#include "libpat/mpi/incast.hpp"
#include "libpat/mpi/likely_limits.hpp"
#include "libpat/mpi/quick_calibration.hpp"
#include "libpat/mpi/shared_cost.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// Whether messages go over TCP, of which it is known that short ones leave at once.
bool is_tcp() {
#ifdef OPEN_MPI
  const char* const transports = std::getenv("OMPI_MCA_btl");
  return transports != nullptr && std::strstr(transports, "tcp") != nullptr;
#else
  return false;
#endif
}

/// Open MPI's own limit over TCP.
std::size_t limit_over_tcp() {
  int level = 0, index = 0, count = 0;
  std::size_t limit = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  MPI_Query_thread(&level);
  MPI_T_init_thread(level, &level);
  if (MPI_T_cvar_get_index("btl_tcp_eager_limit", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    MPI_T_cvar_read(handle, &limit);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return limit;
}

std::size_t eager_limit_of_last(const std::vector<std::size_t>& likely, double message_s,
                                double budget_s) {
  if (size() > 1 && rank() == size() - 1) detail::answer_eager_probes(MPI_COMM_WORLD, 0);
  if (size() < 2 || rank() != 0) return 0;
  return detail::eager_limit(
      MPI_COMM_WORLD, size() - 1, likely, [&](std::size_t) { return message_s; }, budget_s);
}

/// So long that a sender who is held up on a busy machine still sees that his message has left.
constexpr double patient_s = 50e-3;

/// Whether a message leaves rank 0 while the last one is busy elsewhere for long, mostly; at rank
/// 0.
bool leaves_a_late_process(std::size_t bytes) {
  constexpr int times = 5;
  constexpr double late_ms = 30.0;
  std::vector<char> data(bytes);
  const int count = static_cast<int>(bytes);
  int left = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == size() - 1) {
      test::sleep_ms(late_ms);
      MPI_Recv(data.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank() == 0) {
      const double start_s = MPI_Wtime();
      MPI_Send(data.data(), count, MPI_CHAR, size() - 1, 0, MPI_COMM_WORLD);
      left += MPI_Wtime() - start_s < 0.5e-3 * late_ms;
    }
  }
  return 2 * left > times;
}

/// Whether the limits that the library may have are known or not.
TEST(EagerLimit, IsWhatLeavesForALateProcess) {
  for (const auto& likely : {std::vector<std::size_t>(), detail::likely_eager_limits()}) {
    std::size_t found = eager_limit_of_last(likely, patient_s, 10.0);
    MPI_Bcast(&found, sizeof found, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (size() < 2) return;
    EXPECT_LT(found, std::size_t{4} << 20);
    if (found > 0) {
      const bool leaves = leaves_a_late_process(found);
      EXPECT_TRUE(leaves || rank() > 0) << found;
    }
    if (!is_tcp() || rank() != 0) continue;
    EXPECT_LE(found, limit_over_tcp());
    EXPECT_GE(found, limit_over_tcp() / 2);
    if (!likely.empty()) {
      EXPECT_GE(found, limit_over_tcp() - 1024) << "it is known";
    }
  }
}

TEST(EagerLimit, IsNotBelievedWhereMessagesDoNotConfirmIt) {
  const std::size_t found = eager_limit_of_last({std::size_t{3} << 20}, patient_s, 10.0);
  if (size() < 2 || rank() != 0) return;
  EXPECT_LT(found, std::size_t{3} << 20) << "the search goes up to 4 MiB";
  if (is_tcp()) {
    EXPECT_GE(found, limit_over_tcp() / 2) << "it is looked for";
    EXPECT_LE(found, limit_over_tcp());
  }
}

TEST(EagerLimit, IsNotKnownWithoutTime) {
  EXPECT_EQ(eager_limit_of_last(detail::likely_eager_limits(), 1e-3, 0.0), 0u);
}

TEST(EagerLimit, IsOnTheSafeSideWithLittleTime) {
  const std::size_t little = eager_limit_of_last({}, 1e-3, 5e-3);
  const std::size_t all = eager_limit_of_last({}, patient_s, 10.0);
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

TEST(SharedCost, IsWhatMessagesTakeLongerAllAtOnce) {
  const auto found = [](double empty_s, double full_s) {
    return detail::shared_cost(8, 2.0, 1000.0, {empty_s, full_s}, {10e-6, 20e-6});
  };
  EXPECT_FALSE(found(10.5e-6, 21e-6).any()) << "a twentieth longer may be chance";
  EXPECT_EQ(found(10.5e-6, 80e-6).message_s, 0.0);
  EXPECT_DOUBLE_EQ(found(10.5e-6, 80e-6).s_per_byte, 1e-8);
  EXPECT_DOUBLE_EQ(found(40e-6, 80e-6).message_s, 30e-6 / 7);
  EXPECT_DOUBLE_EQ(found(40e-6, 80e-6).s_per_byte, (10e-6 - 30e-6 / 7) / 1000.0);
  EXPECT_EQ(found(40e-6, 30e-6).s_per_byte, 0.0) << "bytes do not make it faster";
}

TEST(SharedCost, IsNoMoreThanWhatAMessageTakesAlone) {
  const SharedCost busy = detail::shared_cost(8, 2.0, 1000.0, {5e-3, 9e-3}, {10e-6, 20e-6});
  EXPECT_DOUBLE_EQ(busy.message_s, 10e-6) << "both ends, on two cores";
  EXPECT_DOUBLE_EQ(busy.s_per_byte, 10e-6 / 1000.0);
}

TEST(SharedCost, IsTheSameEverywhereAndNothingWithoutTime) {
  const Calibration links = detail::quick_calibration(MPI_COMM_WORLD, 20e-3);
  const double crowd = detail::processes_per_core(MPI_COMM_WORLD);
  const SharedCost found = detail::measure_shared_cost(MPI_COMM_WORLD, links, crowd, 1.0);
  std::array<double, 2> first = {found.message_s, found.s_per_byte};
  MPI_Bcast(first.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQ(found.message_s, first[0]);
  EXPECT_EQ(found.s_per_byte, first[1]);
  EXPECT_TRUE(std::isfinite(found.of(1e6)) && found.of(1e6) >= 0.0);
  // Beside messages that take no time alone any take longer all at once.
  Calibration fast;
  fast.messages = {{65536, {1e-9, 1e-15, 0.0}}};
  const SharedCost bounded = detail::measure_shared_cost(MPI_COMM_WORLD, fast, 2.0, 1.0);
  EXPECT_EQ(bounded.any(), size() > 2);
  EXPECT_LE(bounded.message_s, 2.0 * 1e-9) << "both ends, on a core at least";
  EXPECT_FALSE(detail::measure_shared_cost(MPI_COMM_WORLD, links, 1.0, 1.0).any())
      << "each has a core";
  EXPECT_FALSE(detail::measure_shared_cost(MPI_COMM_WORLD, links, crowd, 0.0).any());
  EXPECT_FALSE(detail::measure_shared_cost(MPI_COMM_WORLD, {}, crowd, 1.0).any());
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
    if (is_tcp()) {
      EXPECT_GT(mine.eager_bytes, 0u);
    }
    const LinkCost cost = mine.link(1 << 10, {});
    const double once_s = size() * (cost.alpha_s + 1024.0 * cost.beta_s_per_byte);
    if (size() > 2 && once_s < 0.01) {  // else there may be no time for it
      EXPECT_FALSE(mine.incast.empty());
    }
  }
}

}  // namespace
}  // namespace pat
