// PAT_Gatherv and PAT_Scatterv against MPI's own: uneven counts, zero counts, displacements out of
// order, counts that change from call to call, in place, granularities that differ.

#include <numeric>
#include <vector>

#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// Counts per rank that change with `salt`, and displacements in reverse order with gaps.
struct Layout {
  std::vector<int> counts, displacements;
  int room = 0;
  explicit Layout(int salt, int unit) {
    for (int r = 0; r < size(); ++r) counts.push_back(((r * 5 + salt) % 4) * unit);
    displacements.resize(counts.size());
    for (int r = size() - 1; r >= 0; --r) {
      displacements[static_cast<std::size_t>(r)] = room + 1;
      room += counts[static_cast<std::size_t>(r)] + 2;
    }
  }
  int mine() const { return counts[static_cast<std::size_t>(rank())]; }
};

class EveryGatherv : public test::Running, public testing::WithParamInterface<std::string> {};
class EveryScatterv : public test::Running, public testing::WithParamInterface<std::string> {};

TEST_P(EveryGatherv, EqualsMpi) {
  ASSERT_EQ(PAT_UseAlgName("gather", GetParam().c_str()), MPI_SUCCESS);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int salt = 0; salt < 8; ++salt)
    for (const int root : {0, size() / 2, size() - 1})
      for (const bool in_place : {false, true}) {
        const Layout layout(salt, salt % 2 ? 3 : 2000);
        const bool is_root = rank() == root;
        std::vector<int> data(static_cast<std::size_t>(2 * layout.mine()) + 1);
        std::iota(data.begin(), data.end(), 10000 * rank() + salt);
        std::vector<int> expected(is_root ? static_cast<std::size_t>(2 * layout.room) + 2 : 0, -7),
            got(expected);
        const void* source = is_root && in_place ? MPI_IN_PLACE : data.data();
        ASSERT_EQ(
            MPI_Gatherv(source, 2 * layout.mine(), MPI_INT, expected.data(), layout.counts.data(),
                        layout.displacements.data(), pair, root, MPI_COMM_WORLD),
            MPI_SUCCESS);
        ASSERT_EQ(PAT_Gatherv(source, 2 * layout.mine(), MPI_INT, got.data(),
                              is_root ? layout.counts.data() : nullptr,
                              is_root ? layout.displacements.data() : nullptr, pair, root,
                              MPI_COMM_WORLD),
                  MPI_SUCCESS)
            << PAT_Error_string();
        ASSERT_EQ(expected, got) << "salt " << salt << " root " << root;
      }
  MPI_Type_free(&pair);
}

TEST_P(EveryScatterv, EqualsMpi) {
  ASSERT_EQ(PAT_UseAlgName("scatter", GetParam().c_str()), MPI_SUCCESS);
  for (int salt = 0; salt < 8; ++salt)
    for (const int root : {0, size() / 2, size() - 1})
      for (const bool in_place : {false, true}) {
        const Layout layout(salt, salt % 2 ? 3 : 2000);
        const bool is_root = rank() == root;
        std::vector<int> data(is_root ? static_cast<std::size_t>(layout.room) + 2 : 0);
        std::iota(data.begin(), data.end(), 1000 * salt);
        std::vector<int> expected(static_cast<std::size_t>(layout.mine()) + 2, -7), got(expected);
        const bool place = is_root && in_place;
        ASSERT_EQ(MPI_Scatterv(data.data(), layout.counts.data(), layout.displacements.data(),
                               MPI_INT, place ? MPI_IN_PLACE : expected.data(), layout.mine(),
                               MPI_INT, root, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        ASSERT_EQ(PAT_Scatterv(data.data(), is_root ? layout.counts.data() : nullptr,
                               is_root ? layout.displacements.data() : nullptr, MPI_INT,
                               place ? MPI_IN_PLACE : got.data(), layout.mine(), MPI_INT, root,
                               MPI_COMM_WORLD),
                  MPI_SUCCESS)
            << PAT_Error_string();
        ASSERT_EQ(expected, got) << "salt " << salt << " root " << root;
      }
}

/// Two ints in five, the first one an int after the element's address: gaps on all sides.
MPI_Datatype gapped_pair() {
  MPI_Datatype two, gapped;
  const int places[] = {1, 3};
  MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 5 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  MPI_Type_free(&two);
  return gapped;
}

TEST_P(EveryGatherv, EqualsMpiForGappedTypesAndEveryRoot) {
  ASSERT_EQ(PAT_UseAlgName("gather", GetParam().c_str()), MPI_SUCCESS);
  MPI_Datatype gapped = gapped_pair();
  for (int root = 0; root < size(); ++root)
    for (const bool dense : {false, true}) {  // what is sent; gapped it is received
      const Layout layout(root, root % 2 ? 3 : 500);
      const bool is_root = rank() == root;
      std::vector<int> data(static_cast<std::size_t>(5 * layout.mine()) + 1);
      std::iota(data.begin(), data.end(), 10000 * rank() + root);
      std::vector<int> expected(is_root ? static_cast<std::size_t>(5 * layout.room) + 10 : 0, -7),
          got(expected);
      const int count = dense ? 2 * layout.mine() : layout.mine();
      MPI_Datatype type = dense ? MPI_INT : gapped;
      ASSERT_EQ(MPI_Gatherv(data.data(), count, type, expected.data(), layout.counts.data(),
                            layout.displacements.data(), gapped, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      ASSERT_EQ(PAT_Gatherv(data.data(), count, type, got.data(), layout.counts.data(),
                            layout.displacements.data(), gapped, root, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(expected, got) << "root " << root;
    }
  MPI_Type_free(&gapped);
}

TEST_P(EveryScatterv, EqualsMpiForGappedTypesAndEveryRoot) {
  ASSERT_EQ(PAT_UseAlgName("scatter", GetParam().c_str()), MPI_SUCCESS);
  MPI_Datatype gapped = gapped_pair();
  for (int root = 0; root < size(); ++root)
    for (const bool dense : {false, true}) {  // how it is received; gapped it is sent
      const Layout layout(root, root % 2 ? 3 : 500);
      const bool is_root = rank() == root;
      std::vector<int> data(is_root ? static_cast<std::size_t>(5 * layout.room) + 10 : 0);
      std::iota(data.begin(), data.end(), 1000 * root);
      std::vector<int> expected(static_cast<std::size_t>(5 * layout.mine()) + 2, -7), got(expected);
      const int count = dense ? 2 * layout.mine() : layout.mine();
      MPI_Datatype type = dense ? MPI_INT : gapped;
      ASSERT_EQ(MPI_Scatterv(data.data(), layout.counts.data(), layout.displacements.data(), gapped,
                             expected.data(), count, type, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      ASSERT_EQ(PAT_Scatterv(data.data(), layout.counts.data(), layout.displacements.data(), gapped,
                             got.data(), count, type, root, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      ASSERT_EQ(expected, got) << "root " << root;
    }
  MPI_Type_free(&gapped);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryGatherv,
                         testing::ValuesIn(test::registered(Operation::gather)),
                         [](const auto& test) { return test::test_name(test.param); });
INSTANTIATE_TEST_SUITE_P(Registered, EveryScatterv,
                         testing::ValuesIn(test::registered(Operation::scatter)),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
