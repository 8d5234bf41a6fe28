// Programs that make regions and communicators for each step do not grow.

#include <mpi.h>
#include <pat/pat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/session.hpp"
#include "tests/unit/held_bytes.hpp"

namespace pat {
namespace {

class Growth : public test::Running {};

/// What may be there at one end and not at the other, however many steps there are.
constexpr long allowed = 20'000;

/// The least that PAT holds on this rank, by operator new, of which the MPI library makes no use,
/// in up to so many rounds of a step and of time to send what it has to about those before; ends
/// when it is no more than `enough` on every rank.
long least_held(int rounds, long enough, const std::function<void(int)>& step) {
  long least = std::numeric_limits<long>::max();
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    test::sleep_ms(5.0);
    least = std::min<long>(least, held_bytes);
    long above = least - enough;
    MPI_Allreduce(MPI_IN_PLACE, &above, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (above <= 0) break;
    step(i);
  }
  return least;
}

/// A process that hardly gets a processor has more to say than 30 rounds give it time for.
long growth_of_second_half(int steps, const std::function<void(int)>& step) {
  const auto half = [&] {
    for (int i = 0; i < steps / 2; ++i) step(i);
  };
  half();
  const long before = least_held(30, 0, step);
  half();
  return least_held(1000, before + allowed / 2, step) - before;
}

/// What 10,000 regions leave behind, each freed after a phase.
long growth_of_regions(const std::function<std::string(int)>& name) {
  std::vector<int> mine(2000), all(2000 * static_cast<std::size_t>(test::size()));
  return growth_of_second_half(20'000, [&](int i) {
    PAT_Region region = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, name(i).c_str(), &region), MPI_SUCCESS);
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
}

TEST_F(Growth, OfRegionsIsNone) {
  EXPECT_LT(growth_of_regions([](int) { return "step"; }), allowed);
}

TEST_F(Growth, OfRegionsThatHaveNamesOfTheirOwnIsNone) {
  EXPECT_LT(growth_of_regions([](int i) { return "step " + std::to_string(i); }), allowed);
  const auto snapshot = detail::take_snapshot(*detail::Session::instance());
  ASSERT_EQ(snapshot.regions.size(), detail::RegionSums::most_names + 1);
  EXPECT_EQ(snapshot.regions.back().name, detail::RegionSums::others);
  std::uint64_t regions = 0, phases = 0;
  for (const auto& one : snapshot.regions) {
    regions += one.totals.regions;
    phases += one.totals.phases;
  }
  EXPECT_GE(phases, 20'000u) << "none is lost";
  EXPECT_EQ(regions, phases + 1) << "the default region had no phase";
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
