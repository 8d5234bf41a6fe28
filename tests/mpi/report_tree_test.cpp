// Reports that climb a tree: what every process foretells reaches the leader, and nothing hangs.

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace pat
