// The forms with MPI_Count, which need MPI-4; without it the test says that it was skipped.

#include <algorithm>
#include <climits>
#include <numeric>
#include <vector>

#include "tests/mpi/session.hpp"

#if MPI_VERSION >= 4

namespace pat {
namespace {

class LargeCount : public test::Running {};

TEST_F(LargeCount, SmallOnesAreTheIntForms) {
  const int n = 1000;
  for (int root = 0; root < test::size(); ++root) {
    std::vector<int> mine(n), all(static_cast<std::size_t>(n) * test::size()), got(all), back(n);
    std::iota(mine.begin(), mine.end(), test::rank());
    const bool is_root = test::rank() == root;
    const MPI_Count senseless = MPI_Count{1} << 40;  // does not matter here
    for (int call = 0; call < 3; ++call) {
      MPI_Gather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, root, MPI_COMM_WORLD);
      ASSERT_EQ(PAT_Gather_c(mine.data(), n, MPI_INT, got.data(), is_root ? n : senseless, MPI_INT,
                             root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (is_root) {
        EXPECT_EQ(got, all);
      }
      ASSERT_EQ(PAT_Scatter_c(got.data(), is_root ? n : senseless, MPI_INT, back.data(), n, MPI_INT,
                              root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(back, mine);
      ASSERT_EQ(PAT_Reduce_c(mine.data(), back.data(), n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (is_root) {
        EXPECT_EQ(back[1], test::size() + test::size() * (test::size() - 1) / 2);
      }
    }
  }
}

TEST_F(LargeCount, VaryingOnesGoToTheLibrary) {
  const int size = test::size(), rank = test::rank();
  std::vector<MPI_Count> counts(static_cast<std::size_t>(size));
  std::vector<MPI_Aint> displs(counts.size());
  MPI_Aint total = 0;
  for (int r = 0; r < size; ++r) {
    counts[static_cast<std::size_t>(r)] = r + 1;
    displs[static_cast<std::size_t>(r)] = total;
    total += r + 1;
  }
  std::vector<int> mine(static_cast<std::size_t>(rank) + 1, rank),
      all(static_cast<std::size_t>(total)), back(mine.size());
  ASSERT_EQ(PAT_Gatherv_c(mine.data(), rank + 1, MPI_INT, all.data(), counts.data(), displs.data(),
                          MPI_INT, 0, MPI_COMM_WORLD),
            MPI_SUCCESS);
  if (rank == 0) {
    EXPECT_EQ(all.back(), size - 1);
  }
  ASSERT_EQ(PAT_Scatterv_c(all.data(), counts.data(), displs.data(), MPI_INT, back.data(), rank + 1,
                           MPI_INT, 0, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(back, mine);
}

TEST_F(LargeCount, AllgathersHaveBoth) {
  const int size = test::size(), rank = test::rank(), n = 1000;
  ASSERT_EQ(PAT_UseAlgName("allgather", "ring"), MPI_SUCCESS);
  std::vector<int> mine(n, rank + 1), got(static_cast<std::size_t>(n) * size);
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> displs(counts.size());
  for (int r = 0; r < size; ++r) displs[static_cast<std::size_t>(r)] = MPI_Aint{n} * (size - 1 - r);
  const auto holds = [&](bool reversed) {
    for (int r = 0; r < size; ++r) {
      const auto block = got.begin() + n * (reversed ? size - 1 - r : r);
      if (!std::all_of(block, block + n, [&](int i) { return i == r + 1; })) return false;
    }
    return true;
  };
  for (int call = 0; call < 3; ++call) {
    std::fill(got.begin(), got.end(), -1);
    ASSERT_EQ(PAT_Allgather_c(mine.data(), n, MPI_INT, got.data(), n, MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_TRUE(holds(false));
    ASSERT_EQ(PAT_Allgatherv_c(mine.data(), n, MPI_INT, got.data(), counts.data(), displs.data(),
                               MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_TRUE(holds(true));
    std::fill(got.begin(), got.end(), -1);
    PAT_Request request = PAT_REQUEST_NULL;
    ASSERT_EQ(
        PAT_Iallgather_c(mine.data(), n, MPI_INT, got.data(), n, MPI_INT, MPI_COMM_WORLD, &request),
        MPI_SUCCESS);
    ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS);
    EXPECT_TRUE(holds(false));
  }
}

TEST_F(LargeCount, AlltoallsHaveAll) {
  const int size = test::size(), rank = test::rank(), n = 1000;
  ASSERT_EQ(PAT_UseAlgName("alltoall", "pairwise"), MPI_SUCCESS);
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<int> mine(n * ranks), got(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = rank * size + static_cast<int>(i) / n;  // from whom, and to whom
  std::vector<MPI_Count> counts(ranks, n);
  std::vector<MPI_Aint> displs(ranks), places(ranks);
  const std::vector<MPI_Datatype> types(ranks, MPI_INT);
  for (std::size_t r = 0; r < ranks; ++r) {
    displs[r] = static_cast<MPI_Aint>(n * r);
    places[r] = displs[r] * static_cast<MPI_Aint>(sizeof(int));
  }
  const auto check = [&](int code) {
    ASSERT_EQ(code, MPI_SUCCESS) << PAT_Error_string();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], static_cast<int>(i) / n * size + rank) << "int " << i;
    std::fill(got.begin(), got.end(), -1);
  };
  for (int call = 0; call < 3; ++call) {
    check(PAT_Alltoall_c(mine.data(), n, MPI_INT, got.data(), n, MPI_INT, MPI_COMM_WORLD));
    check(PAT_Alltoallv_c(mine.data(), counts.data(), displs.data(), MPI_INT, got.data(),
                          counts.data(), displs.data(), MPI_INT, MPI_COMM_WORLD));
    check(PAT_Alltoallw_c(mine.data(), counts.data(), places.data(), types.data(), got.data(),
                          counts.data(), places.data(), types.data(), MPI_COMM_WORLD));
    got = mine;
    check(PAT_Alltoallv_c(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, got.data(), counts.data(),
                          displs.data(), MPI_INT, MPI_COMM_WORLD));
    if (HasFatalFailure()) return;
  }
}

TEST_F(LargeCount, SumsAndBroadcastsHaveAll) {
  const int size = test::size(), rank = test::rank(), n = 1000;
  ASSERT_EQ(PAT_UseAlgName("bcast", "pipeline"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("allreduce", "ring"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("scan", "lin"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("exscan", "lin"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("reduce-scatter", "pairwise"), MPI_SUCCESS);
  const auto sum_below = [](int ranks) { return ranks * (ranks - 1) / 2; };
  const std::vector<int> mine(static_cast<std::size_t>(n) * size, rank);
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), n);
  std::vector<int> got(n);
  const auto check = [&](int code, int expected) {
    ASSERT_EQ(code, MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(got, std::vector<int>(n, expected));
    std::fill(got.begin(), got.end(), -1);
  };
  for (int call = 0; call < 3; ++call) {
    std::fill(got.begin(), got.end(), rank);
    check(PAT_Bcast_c(got.data(), n, MPI_INT, size - 1, MPI_COMM_WORLD), size - 1);
    check(PAT_Allreduce_c(mine.data(), got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          sum_below(size));
    check(PAT_Scan_c(mine.data(), got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          sum_below(rank + 1));
    check(PAT_Exscan_c(mine.data(), got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          rank == 0 ? -1 : sum_below(rank));
    check(PAT_Reduce_scatter_block_c(mine.data(), got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          sum_below(size));
    check(PAT_Reduce_scatter_c(mine.data(), got.data(), counts.data(), MPI_INT, MPI_SUM,
                               MPI_COMM_WORLD),
          sum_below(size));
    if (HasFatalFailure()) return;
  }
}

TEST_F(LargeCount, NeighboursHaveAll) {
  const int rank = test::rank(), n = 1000, sides = 2;
  int size = test::size(), open = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  ASSERT_EQ(PAT_UseAlgName("neighbor-allgather", "lin"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("neighbor-alltoall", "lin"), MPI_SUCCESS);
  const std::vector<int> mine(std::size_t{sides} * n, rank);
  std::vector<int> got(mine.size(), -1);
  const std::vector<MPI_Count> counts(sides, n);
  const std::vector<MPI_Aint> displs = {0, n}, places = {0, n * MPI_Aint{sizeof(int)}};
  const std::vector<MPI_Datatype> types(sides, MPI_INT);
  const auto check = [&](int code) {
    ASSERT_EQ(code, MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(got.front(), rank - 1);  // -1 is what was there
    ASSERT_EQ(got.back(), rank + 1 < size ? rank + 1 : -1);
    std::fill(got.begin(), got.end(), -1);
  };
  for (int call = 0; call < 3; ++call) {
    check(PAT_Neighbor_allgather_c(mine.data(), n, MPI_INT, got.data(), n, MPI_INT, line));
    check(PAT_Neighbor_allgatherv_c(mine.data(), n, MPI_INT, got.data(), counts.data(),
                                    displs.data(), MPI_INT, line));
    check(PAT_Neighbor_alltoall_c(mine.data(), n, MPI_INT, got.data(), n, MPI_INT, line));
    check(PAT_Neighbor_alltoallv_c(mine.data(), counts.data(), displs.data(), MPI_INT, got.data(),
                                   counts.data(), displs.data(), MPI_INT, line));
    check(PAT_Neighbor_alltoallw_c(mine.data(), counts.data(), places.data(), types.data(),
                                   got.data(), counts.data(), places.data(), types.data(), line));
    if (HasFatalFailure()) break;
  }
  MPI_Comm_free(&line);
}

TEST_F(LargeCount, TypesOfAnotherGrain) {
  // The root counts blocks, the leaves count bytes: above 2 GiB only one of them leaves the int
  // forms.
  MPI_Datatype block;
  MPI_Type_contiguous(4096, MPI_CHAR, &block);
  MPI_Type_commit(&block);
  std::vector<char> mine(4096, static_cast<char>(test::rank())), all(mine.size() * test::size());
  ASSERT_EQ(PAT_Gather_c(mine.data(), 4096, MPI_CHAR, all.data(), 1, block, 0, MPI_COMM_WORLD),
            MPI_SUCCESS);
  if (test::rank() == 0) {
    EXPECT_EQ(all.back(), static_cast<char>(test::size() - 1));
  }
  MPI_Type_free(&block);
}

TEST_F(LargeCount, BadOnesAreRefused) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<char> some(8);
  EXPECT_EQ(PAT_Gather_c(some.data(), -5, MPI_CHAR, some.data(), 1, MPI_CHAR, 0, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
  EXPECT_EQ(PAT_Reduce_c(some.data(), some.data(), MPI_Count{1} << 40, MPI_CHAR, MPI_SUM, 0,
                         MPI_COMM_NULL),
            MPI_ERR_COMM);
}

}  // namespace
}  // namespace pat

#else

TEST(LargeCount, NeedsMpi4) {
  GTEST_SKIP() << "this MPI library is of version " << MPI_VERSION;
}

#endif
