// Programs that make regions and communicators for each step do not grow.

#include <mpi.h>
#include <pat/pat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/mpi/session.hpp"
#include "tests/unit/held_bytes.hpp"

namespace pat {
namespace {

class Growth : public test::Running {};

/// What PAT holds after so many steps: by operator new, of which the MPI library makes no use. The
/// least in some more steps that leave it time to send what it has to about those before.
long held_after(int steps, const std::function<void(int)>& step) {
  for (int i = 0; i < steps; ++i) step(i);
  long least = std::numeric_limits<long>::max();
  for (int i = 0; i < 30; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    test::sleep_ms(5.0);
    least = std::min<long>(least, held_bytes);
    step(i);
  }
  return least;
}

long growth_of_second_half(int steps, const std::function<void(int)>& step) {
  const long half = held_after(steps / 2, step);
  return held_after(steps / 2, step) - half;
}

/// What may be there at one end and not at the other, however many steps there are.
constexpr long allowed = 20'000;

TEST_F(Growth, OfRegionsIsNone) {
  std::vector<int> mine(2000), all(2000 * static_cast<std::size_t>(test::size()));
  const long grown = growth_of_second_half(20'000, [&](int i) {
    PAT_Region region = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "step", &region), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_edge(region, 0.5), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_end(region), MPI_SUCCESS);
    if (i % 100 == 0) {
      ASSERT_EQ(
          PAT_Gather(mine.data(), 2000, MPI_INT, all.data(), 2000, MPI_INT, 0, MPI_COMM_WORLD),
          MPI_SUCCESS);
    }
    ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS);
  });
  EXPECT_LT(grown, allowed) << "bytes in 10,000 regions";
}

/// What 1000 communicators leave behind, each freed after two gathers and their computing phases,
/// if there are any.
long growth_of_communicators(bool phases) {
  std::vector<int> mine(2000), all(2000 * static_cast<std::size_t>(test::size()));
  return growth_of_second_half(2000, [&](int i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int root = i % test::size();
    for (int call = 0; call < 2; ++call) {
      if (phases) {
        ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
        ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      }
      ASSERT_EQ(PAT_Gather(mine.data(), 2000, MPI_INT, all.data(), 2000, MPI_INT, root, comm),
                MPI_SUCCESS);
    }
    MPI_Comm_free(&comm);
    if (i % 50 == 0) MPI_Barrier(MPI_COMM_WORLD);  // nobody runs far ahead
  });
}

TEST_F(Growth, OfCommunicatorsIsNone) {
  EXPECT_LT(growth_of_communicators(true), allowed);
}

TEST_F(Growth, OfCommunicatorsInAProgramWithoutPhasesIsNone) {
  EXPECT_LT(growth_of_communicators(false), allowed);
}

}  // namespace
}  // namespace pat
