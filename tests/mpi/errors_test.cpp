// Errors as MPI has them: the class, the argument named, the communicator's handler called once,
// nothing sent; and what goes wrong inside a call leaves the later ones as they were.

#include <atomic>
#include <numeric>
#include <vector>

#include "tests/mpi/errors.hpp"
#include "tests/mpi/library_faults.hpp"
#include "tests/mpi/registered.hpp"

/// The linker puts these in the place of the library's own calls (see CMakeLists.txt): they fail
/// when their turn comes.
namespace {
std::atomic<int> reductions_until_failure = -1, receives_until_failure = -1;
bool fails(std::atomic<int>& until) {
  return until >= 0 && until-- == 0;
}
}  // namespace

extern "C" {
int __real_PMPI_Reduce_local(const void*, void*, int, MPI_Datatype, MPI_Op);
int __wrap_PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  if (fails(reductions_until_failure)) return MPI_ERR_OTHER;
  return __real_PMPI_Reduce_local(in, inout, count, type, op);
}
int __real_PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __wrap_PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  // Data, not what the processes agree on in the background.
  if (type == MPI_PACKED && fails(receives_until_failure)) return MPI_ERR_OTHER;
  return __real_PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}
}

namespace pat {
namespace {

using test::class_of;
using test::rank;
using test::size;

const auto name_of_parameter = [](const auto& test) { return test::test_name(test.param); };

std::size_t blocks(int count) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size());
}

// ---------------------------------------------------------------- refused on entry

class BadArguments : public test::CatchesErrorsOfItsOwn {};

TEST_F(BadArguments, OfGather) {
  int x = 0;
  std::vector<int> all(blocks(1));
  int* const a = all.data();
  const auto gather = [&](const void* send, int count, MPI_Datatype type, void* recv, int recvcount,
                          MPI_Datatype recvtype, int root) {
    return PAT_Gather(send, count, type, recv, recvcount, recvtype, root, comm_);
  };
  expect_class(gather(&x, 1, MPI_INT, a, 1, MPI_INT, size()), MPI_ERR_ROOT, "root");
  expect_class(gather(&x, 1, MPI_INT, a, 1, MPI_INT, -1), MPI_ERR_ROOT, "root");
  expect_class(gather(&x, -1, MPI_INT, a, 1, MPI_INT, 0), MPI_ERR_COUNT, "sendcount");
  expect_class(gather(&x, 1, MPI_DATATYPE_NULL, a, 1, MPI_INT, 0), MPI_ERR_TYPE, "sendtype");
  if (rank() == 0) {
    expect_class(gather(&x, 1, MPI_INT, a, -1, MPI_INT, 0), MPI_ERR_COUNT, "recvcount");
    expect_class(gather(&x, 1, MPI_INT, a, 1, MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, "recvtype");
    expect_class(gather(&x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0), MPI_ERR_ARG, "recvbuf");
  } else {
    expect_class(gather(MPI_IN_PLACE, 1, MPI_INT, a, 1, MPI_INT, 0), MPI_ERR_ARG, "MPI_IN_PLACE");
  }
  MPI_Barrier(comm_);
  ASSERT_EQ(gather(&x, 1, MPI_INT, a, 1, MPI_INT, 0), MPI_SUCCESS);
}

TEST_F(BadArguments, OfGatherv) {
  int x = 0;
  std::vector<int> all(blocks(1)), counts(blocks(1), 1), displs(blocks(1));
  std::iota(displs.begin(), displs.end(), 0);
  const auto gatherv = [&](const void* send, int count, MPI_Datatype type, const int* recvcounts,
                           const int* places, MPI_Datatype recvtype, int root) {
    return PAT_Gatherv(send, count, type, all.data(), recvcounts, places, recvtype, root, comm_);
  };
  const int *c = counts.data(), *d = displs.data();
  expect_class(gatherv(&x, 1, MPI_INT, c, d, MPI_INT, size()), MPI_ERR_ROOT, "root");
  expect_class(gatherv(&x, -2, MPI_INT, c, d, MPI_INT, 0), MPI_ERR_COUNT, "sendcount is -2");
  expect_class(gatherv(&x, 1, MPI_DATATYPE_NULL, c, d, MPI_INT, 0), MPI_ERR_TYPE, "sendtype");
  if (rank() == 0) {
    expect_class(gatherv(&x, 1, MPI_INT, nullptr, d, MPI_INT, 0), MPI_ERR_ARG, "recvcounts");
    expect_class(gatherv(&x, 1, MPI_INT, c, nullptr, MPI_INT, 0), MPI_ERR_ARG, "displacements");
    expect_class(gatherv(&x, 1, MPI_INT, c, d, MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, "recvtype");
    std::vector<int> bad = counts;
    bad.back() = -1;
    const std::string named = "recvcounts[" + std::to_string(size() - 1) + "]";
    expect_class(gatherv(&x, 1, MPI_INT, bad.data(), d, MPI_INT, 0), MPI_ERR_COUNT, named.c_str());
  } else {
    expect_class(gatherv(MPI_IN_PLACE, 1, MPI_INT, c, d, MPI_INT, 0), MPI_ERR_ARG, "sendbuf");
  }
  MPI_Barrier(comm_);
  ASSERT_EQ(gatherv(&x, 1, MPI_INT, c, d, MPI_INT, 0), MPI_SUCCESS);
}

TEST_F(BadArguments, OfAlltoallvAndAlltoallw) {
  std::vector<int> all(blocks(1)), counts(blocks(1), 1), places(blocks(1));
  std::iota(places.begin(), places.end(), 0);
  std::vector<MPI_Datatype> types(blocks(1), MPI_INT);
  const auto v = [&](const void* send, const int* sendcounts, const int* sendplaces,
                     MPI_Datatype type, const int* recvcounts) {
    return PAT_Alltoallv(send, sendcounts, sendplaces, type, all.data(), recvcounts, places.data(),
                         MPI_INT, comm_);
  };
  const auto w = [&](const int* sendcounts, const MPI_Datatype* sendtypes,
                     const MPI_Datatype* recvtypes) {
    const std::vector<int> mine(blocks(1)), none(blocks(1));
    return PAT_Alltoallw(mine.data(), sendcounts, none.data(), sendtypes, all.data(), counts.data(),
                         none.data(), recvtypes, comm_);
  };
  const std::vector<int> mine(blocks(1));
  const int *c = counts.data(), *d = places.data();
  std::vector<int> bad = counts;
  bad.back() = -1;
  const std::string last = "[" + std::to_string(size() - 1) + "]";
  expect_class(v(mine.data(), nullptr, d, MPI_INT, c), MPI_ERR_ARG, "sendcounts");
  expect_class(v(mine.data(), c, nullptr, MPI_INT, c), MPI_ERR_ARG, "displacements");
  expect_class(v(mine.data(), c, d, MPI_DATATYPE_NULL, c), MPI_ERR_TYPE, "sendtype");
  expect_class(v(mine.data(), bad.data(), d, MPI_INT, c), MPI_ERR_COUNT,
               ("sendcounts" + last).c_str());
  expect_class(v(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, bad.data()), MPI_ERR_COUNT,
               ("recvcounts" + last).c_str());
  std::vector<MPI_Datatype> none = types;
  none.back() = MPI_DATATYPE_NULL;
  expect_class(w(c, nullptr, types.data()), MPI_ERR_ARG, "sendtypes");
  expect_class(w(c, none.data(), types.data()), MPI_ERR_TYPE, ("sendtypes" + last).c_str());
  expect_class(w(c, types.data(), none.data()), MPI_ERR_TYPE, ("recvtypes" + last).c_str());
  expect_class(w(bad.data(), types.data(), types.data()), MPI_ERR_COUNT,
               ("sendcounts" + last).c_str());
  MPI_Barrier(comm_);
  ASSERT_EQ(v(mine.data(), c, d, MPI_INT, c), MPI_SUCCESS) << PAT_Error_string();
}

TEST_F(BadArguments, OfScatter) {
  int x = 0;
  std::vector<int> all(blocks(1));
  const auto scatter = [&](const void* send, int count, MPI_Datatype type, void* recv,
                           int recvcount, MPI_Datatype recvtype, int root) {
    return PAT_Scatter(send, count, type, recv, recvcount, recvtype, root, comm_);
  };
  const int* const a = all.data();
  expect_class(scatter(a, 1, MPI_INT, &x, 1, MPI_INT, size()), MPI_ERR_ROOT, "root");
  expect_class(scatter(a, 1, MPI_INT, &x, 1, MPI_INT, -3), MPI_ERR_ROOT, "root is -3");
  expect_class(scatter(a, 1, MPI_INT, &x, -1, MPI_INT, 0), MPI_ERR_COUNT, "recvcount");
  expect_class(scatter(a, 1, MPI_INT, &x, 1, MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, "recvtype");
  if (rank() == 0) {
    expect_class(scatter(a, -1, MPI_INT, &x, 1, MPI_INT, 0), MPI_ERR_COUNT, "sendcount");
    expect_class(scatter(a, 1, MPI_DATATYPE_NULL, &x, 1, MPI_INT, 0), MPI_ERR_TYPE, "sendtype");
    expect_class(scatter(MPI_IN_PLACE, 1, MPI_INT, &x, 1, MPI_INT, 0), MPI_ERR_ARG, "sendbuf");
  } else {
    expect_class(scatter(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0), MPI_ERR_ARG, "recvbuf");
  }
  MPI_Barrier(comm_);
  ASSERT_EQ(scatter(a, 1, MPI_INT, &x, 1, MPI_INT, 0), MPI_SUCCESS);
}

TEST_F(BadArguments, OfScatterv) {
  int x = 0;
  std::vector<int> all(blocks(1)), counts(blocks(1), 1), displs(blocks(1));
  std::iota(displs.begin(), displs.end(), 0);
  const auto scatterv = [&](const int* sendcounts, const int* places, MPI_Datatype type, void* recv,
                            int recvcount, MPI_Datatype recvtype, int root) {
    return PAT_Scatterv(all.data(), sendcounts, places, type, recv, recvcount, recvtype, root,
                        comm_);
  };
  const int *c = counts.data(), *d = displs.data();
  expect_class(scatterv(c, d, MPI_INT, &x, 1, MPI_INT, size()), MPI_ERR_ROOT, "root");
  expect_class(scatterv(c, d, MPI_INT, &x, -1, MPI_INT, 0), MPI_ERR_COUNT, "recvcount");
  expect_class(scatterv(c, d, MPI_INT, &x, 1, MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, "recvtype");
  if (rank() == 0) {
    expect_class(scatterv(nullptr, d, MPI_INT, &x, 1, MPI_INT, 0), MPI_ERR_ARG, "sendcounts");
    expect_class(scatterv(c, d, MPI_DATATYPE_NULL, &x, 1, MPI_INT, 0), MPI_ERR_TYPE, "sendtype");
    std::vector<int> bad = counts;
    bad[0] = -7;
    expect_class(scatterv(bad.data(), d, MPI_INT, &x, 1, MPI_INT, 0), MPI_ERR_COUNT,
                 "sendcounts[0] is -7");
  } else {
    expect_class(scatterv(c, d, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0), MPI_ERR_ARG, "recvbuf");
  }
  MPI_Barrier(comm_);
  ASSERT_EQ(scatterv(c, d, MPI_INT, &x, 1, MPI_INT, 0), MPI_SUCCESS);
}

TEST_F(BadArguments, OfReduce) {
  int x = 1, sum = 0;
  const auto reduce = [&](const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          int root) {
    return PAT_Reduce(send, recv, count, type, op, root, comm_);
  };
  expect_class(reduce(&x, &sum, 1, MPI_INT, MPI_SUM, size()), MPI_ERR_ROOT, "root");
  expect_class(reduce(&x, &sum, 1, MPI_INT, MPI_SUM, -1), MPI_ERR_ROOT, "root");
  expect_class(reduce(&x, &sum, -1, MPI_INT, MPI_SUM, 0), MPI_ERR_COUNT, "count");
  expect_class(reduce(&x, &sum, 1, MPI_DATATYPE_NULL, MPI_SUM, 0), MPI_ERR_TYPE, "datatype");
  expect_class(reduce(&x, &sum, 1, MPI_INT, MPI_OP_NULL, 0), MPI_ERR_OP, "op is MPI_OP_NULL");
  if (rank() == 0)
    expect_class(reduce(&x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0), MPI_ERR_ARG, "recvbuf");
  else
    expect_class(reduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, 0), MPI_ERR_ARG, "sendbuf");
  MPI_Barrier(comm_);
  ASSERT_EQ(reduce(&x, &sum, 1, MPI_INT, MPI_SUM, 0), MPI_SUCCESS);
}

TEST_F(BadArguments, NullCommunicatorsGoToTheHandlerOfTheWorld) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
  int x = 0;
  expect_class(PAT_Gather(&x, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, "comm");
  expect_class(PAT_Scatter(&x, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, "comm");
  expect_class(PAT_Gatherv(&x, 1, MPI_INT, &x, &x, &x, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM,
               "comm");
  expect_class(PAT_Scatterv(&x, &x, &x, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM,
               "comm");
  expect_class(PAT_Reduce(&x, &x, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_NULL), MPI_ERR_COMM, "comm");
}

/// All that is not derived is committed; a derived type is refused until it is, by every function
/// and whatever the algorithm, also where its handle is an older type's.
TEST_F(BadArguments, TypesThatAreNotCommitted) {
  for (const auto& [gather, scatter, reduce] :
       {std::tuple{"bsls", "bslin", "bnom"}, {"mpi", "mpi", "mpi"}, {"auto", "auto", "auto"}}) {
    ASSERT_EQ(PAT_UseAlgName("gather", gather), MPI_SUCCESS);
    ASSERT_EQ(PAT_UseAlgName("scatter", scatter), MPI_SUCCESS);
    ASSERT_EQ(PAT_UseAlgName("reduce", reduce), MPI_SUCCESS);
    for (int round = 0; round < 3; ++round) {
      MPI_Datatype pair;
      MPI_Type_contiguous(2, MPI_INT, &pair);
      std::vector<int> mine(2000, rank()), all(blocks(2000)), counts(blocks(1), 1000),
          displs(blocks(1));
      for (std::size_t r = 0; r < displs.size(); ++r) displs[r] = static_cast<int>(r) * 1000;
      const auto gather_pairs = [&](MPI_Datatype send, MPI_Datatype recv) {
        return PAT_Gather(mine.data(), 1000, send, all.data(), 1000, recv, 0, comm_);
      };
      MPI_Datatype good;
      MPI_Type_contiguous(2, MPI_INT, &good);
      MPI_Type_commit(&good);
      expect_class(gather_pairs(pair, good), MPI_ERR_TYPE, "sendtype is not committed");
      expect_class(PAT_Scatter(all.data(), 1000, good, mine.data(), 1000, pair, 0, comm_),
                   MPI_ERR_TYPE, "recvtype is not committed");
      expect_class(PAT_Gatherv(mine.data(), 1000, pair, all.data(), counts.data(), displs.data(),
                               good, 0, comm_),
                   MPI_ERR_TYPE, "sendtype is not committed");
      expect_class(PAT_Scatterv(all.data(), counts.data(), displs.data(), good, mine.data(), 1000,
                                pair, 0, comm_),
                   MPI_ERR_TYPE, "recvtype is not committed");
      expect_class(PAT_Reduce(mine.data(), all.data(), 1, pair, MPI_SUM, 0, comm_), MPI_ERR_TYPE,
                   "datatype is not committed");
      PAT_Request request = PAT_REQUEST_NULL;
      expect_class(
          PAT_Gather_init(mine.data(), 1000, pair, all.data(), 1000, good, 0, comm_, &request),
          MPI_ERR_TYPE, "sendtype is not committed");
      if (rank() == 0) {
        expect_class(gather_pairs(good, pair), MPI_ERR_TYPE, "recvtype is not committed");
        expect_class(PAT_Scatter(all.data(), 1000, pair, mine.data(), 1000, good, 0, comm_),
                     MPI_ERR_TYPE, "sendtype is not committed");
      }
      MPI_Barrier(comm_);
      for (int call = 0; call < 3; ++call) ASSERT_EQ(gather_pairs(good, good), MPI_SUCCESS);
      MPI_Type_commit(&pair);
      ASSERT_EQ(gather_pairs(pair, pair), MPI_SUCCESS);
      if (rank() == 0) {
        ASSERT_EQ(all.back(), size() - 1);
      }
      MPI_Type_free(&pair);
      MPI_Type_free(&good);
    }
  }
}

class BadOperations : public test::CatchesErrorsOfItsOwn,
                      public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::CatchesErrorsOfItsOwn::SetUp();
    ASSERT_EQ(PAT_UseAlgName("reduce", GetParam().c_str()), MPI_SUCCESS);
  }
  void sum_and_check(int count) {
    std::vector<double> mine(static_cast<std::size_t>(count), 0.5 * rank()), sum(mine.size());
    ASSERT_EQ(PAT_Reduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, 0, comm_),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (rank() != 0) return;
    ASSERT_EQ(sum.front(), 0.25 * size() * (size() - 1));
    ASSERT_EQ(sum.back(), sum.front());
  }
};

TEST_P(BadOperations, AreRefusedEverywhereAndNothingHangs) {
  constexpr int count = 20000;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  std::vector<double> mine(2 * count, 1.0), result(2 * count);
  const auto reduce = [&](int n, MPI_Datatype type, MPI_Op op, int root) {
    return PAT_Reduce(mine.data(), result.data(), n, type, op, root, comm_);
  };
  for (int call = 0; call < 5; ++call) {
    const int root = call % size();
    expect_class(reduce(count, MPI_DOUBLE, MPI_BAND, root), MPI_ERR_OP,
                 "op is not defined on MPI_DOUBLE");
    expect_class(reduce(count, pair, MPI_SUM, root), MPI_ERR_OP,
                 "op is not defined on a derived datatype");
    expect_class(reduce(count, MPI_INT, MPI_MAXLOC, root), MPI_ERR_OP,
                 "op is not defined on MPI_INT");
    expect_class(reduce(count, MPI_INT, MPI_REPLACE, root), MPI_ERR_OP,
                 "op is not defined on MPI_INT");
    expect_class(reduce(0, MPI_DOUBLE, MPI_BAND, root), MPI_ERR_OP, "op");
    sum_and_check(count);
    sum_and_check(3);
    if (HasFatalFailure()) return;
  }
  MPI_Type_free(&pair);
}

// ---------------------------------------------------------------- failed half-way

/// A combination fails on one process in the middle of a call, which that process alone reports.
TEST_P(BadOperations, AFailureInsideACallHoldsUpNobody) {
  if (size() == 1) return;
  constexpr int count = 20000;
  std::vector<double> mine(count, 1.0), sum(count);
  for (int call = 0; call < 8; ++call) {
    const bool fails_here = rank() == 0;  // the root combines, whatever the algorithm
    if (fails_here) reductions_until_failure = call % 3 == 0 ? 0 : 1;
    const int code = PAT_Reduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, 0, comm_);
    const bool failed = fails_here && reductions_until_failure < 0;
    reductions_until_failure = -1;
    if (failed)
      expect_class(code, MPI_ERR_OTHER, "");
    else
      ASSERT_EQ(code, MPI_SUCCESS);
    if (GetParam() != "mpi" && GetParam() != "auto" && fails_here && call % 3 == 0) {
      EXPECT_TRUE(failed) << "nothing was combined";
    }
    for (int good = 0; good < 2; ++good) sum_and_check(count);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, BadOperations,
                         testing::ValuesIn(test::registered(Operation::reduce)), name_of_parameter);

/// Those that PAT runs itself; the library may lose count of its messages.
std::vector<std::string> own_gathers() {
  std::vector<std::string> names = test::registered(Operation::gather, true);
  names.erase(names.begin());  // auto
  return names;
}

class TooMuchData : public test::CatchesErrorsOfItsOwn,
                    public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::CatchesErrorsOfItsOwn::SetUp();
    ASSERT_EQ(PAT_UseAlgName("gather", GetParam().c_str()), MPI_SUCCESS);
#ifdef MPICH_VERSION
    // MPICH 4.0 gives what MPI_Testsome and its kin find to this handler, whatever the request's.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
  }
  /// All send `count` ints, of which the root, rank 0, takes `taken` from rank `of`.
  int gatherv(int count, int of, int taken) {
    std::vector<int> mine(static_cast<std::size_t>(count), rank()), counts(blocks(1), count),
        displs(blocks(1));
    for (std::size_t r = 0; r < displs.size(); ++r) displs[r] = static_cast<int>(r) * count;
    counts[static_cast<std::size_t>(of)] = taken;
    // With room behind the end: Open MPI 4.1 writes all of what it then calls truncated.
    all_.assign(blocks(count) + static_cast<std::size_t>(count), -1);
    return PAT_Gatherv(mine.data(), count, MPI_INT, all_.data(), counts.data(), displs.data(),
                       MPI_INT, 0, comm_);
  }
  std::vector<int> all_;
};

TEST_P(TooMuchData, IsTruncatedAsInMpiAndTheNextCallsAreRight) {
  if (size() == 1) return;
  for (const int count : {100, 50000})
    for (const int of : {1, size() - 1}) {
      const int code = gatherv(count, of, count / 2);
      if (rank() == 0) {
        expect_class(code, MPI_ERR_TRUNCATE, "");
      } else {
        ASSERT_EQ(code, MPI_SUCCESS) << PAT_Error_string();
      }
      for (int call = 0; call < 6; ++call) {
        ASSERT_EQ(gatherv(count, of, count), MPI_SUCCESS) << PAT_Error_string();
        for (std::size_t i = 0; rank() == 0 && i < blocks(count); ++i)
          ASSERT_EQ(all_[i], static_cast<int>(i) / count) << "element " << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, TooMuchData, testing::ValuesIn(own_gathers()),
                         name_of_parameter);

class BrokenOff : public test::CatchesErrorsOfItsOwn {};

TEST_F(BrokenOff, ACommunicatorIsRefusedUntilAnotherIsMade) {
  if (size() == 1) return;
  ASSERT_EQ(PAT_UseAlgName("gather", "lin"), MPI_SUCCESS);
  std::vector<int> mine(100, rank()), all(blocks(100));
  const auto gather = [&](MPI_Comm comm) {
    return PAT_Gather(mine.data(), 100, MPI_INT, all.data(), 100, MPI_INT, 0, comm);
  };
  ASSERT_EQ(gather(comm_), MPI_SUCCESS);
  MPI_Barrier(comm_);
  if (rank() == 0) receives_until_failure = 0;
  const int code = gather(comm_);  // so small that the others do not wait for the root
  receives_until_failure = -1;
  if (rank() == 0) {
    expect_class(code, MPI_ERR_OTHER, "");
    expect_class(gather(comm_), MPI_ERR_OTHER, "PAT_Gather: an earlier call on this communicator");
    PAT_Request request = PAT_REQUEST_NULL;
    expect_class(
        PAT_Gather_init(mine.data(), 100, MPI_INT, all.data(), 100, MPI_INT, 0, comm_, &request),
        MPI_ERR_OTHER, "PAT_Gather_init: an earlier call");
  } else {
    ASSERT_EQ(code, MPI_SUCCESS);
  }
  MPI_Barrier(comm_);
  MPI_Comm_free(&comm_);
  make_comm();
  for (int call = 0; call < 12; ++call) {
    std::fill(mine.begin(), mine.end(), rank() + call);
    ASSERT_EQ(gather(comm_), MPI_SUCCESS) << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(all.back(), size() - 1 + call);
    }
  }
}

// ---------------------------------------------------------------- inter-communicators

/// The lower half of the ranks and the upper one, joined; at least two ranks.
struct Halves {
  Halves() : low(rank() < size() / 2), first_high(size() / 2) {
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first_high : 0, 7, &inter);
    MPI_Comm_size(half, &local);
    MPI_Comm_remote_size(inter, &remote);
  }
  ~Halves() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  const bool low;
  const int first_high;
  int local = 0, remote = 0;
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
};

class InterCommunicator : public test::Running {};

TEST_F(InterCommunicator, GoesToTheLibrary) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("scatter", "bslin"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("reduce", "clairvoyant"), MPI_SUCCESS);
  const Halves halves;
  const auto& [low, first_high, local, remote, half, inter] = halves;
  // The root is rank 0; the other half sends or receives.
  const int root = !low ? 0 : rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
  constexpr int count = 1000;
  for (int call = 0; call < 4; ++call) {
    std::vector<int> mine(count, rank() + call), all(static_cast<std::size_t>(count * remote), -1);
    ASSERT_EQ(PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    for (int i = 0; rank() == 0 && i < count * remote; ++i)
      ASSERT_EQ(all[static_cast<std::size_t>(i)], first_high + i / count + call);
    for (int i = 0; i < count * remote; ++i) all[static_cast<std::size_t>(i)] = i + call;
    ASSERT_EQ(PAT_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, root, inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    for (int i = 0; !low && i < count; ++i)
      ASSERT_EQ(mine[static_cast<std::size_t>(i)], (rank() - first_high) * count + i + call);

    // Rank r of the other half has r + 1 elements.
    const int own = low ? 0 : rank() - first_high + 1;
    std::vector<int> counts(static_cast<std::size_t>(remote)), displs(counts.size());
    int total = 0;
    for (int r = 0; r < remote; ++r) {
      counts[static_cast<std::size_t>(r)] = r + 1;
      displs[static_cast<std::size_t>(r)] = total;
      total += r + 1;
    }
    std::vector<int> few(static_cast<std::size_t>(own), 10 * rank() + call),
        many(static_cast<std::size_t>(total), -1);
    ASSERT_EQ(PAT_Gatherv(few.data(), own, MPI_INT, many.data(), counts.data(), displs.data(),
                          MPI_INT, root, inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(many.front(), 10 * first_high + call);
      ASSERT_EQ(many.back(), 10 * (size() - 1) + call);
    }
    for (int i = 0; i < total; ++i) many[static_cast<std::size_t>(i)] = i + call;
    ASSERT_EQ(PAT_Scatterv(many.data(), counts.data(), displs.data(), MPI_INT, few.data(), own,
                           MPI_INT, root, inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (!low) {
      ASSERT_EQ(few.back(), own * (own + 1) / 2 - 1 + call);
    }
    std::vector<int> summand(count, rank()), sum(count, -1);
    ASSERT_EQ(PAT_Reduce(summand.data(), sum.data(), count, MPI_INT, MPI_SUM, root, inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(sum.back(), (first_high + size() - 1) * remote / 2);
    }

    // Each has its number for each of the other half.
    const std::vector<int> given(counts.size(), rank() + call), ones(counts.size(), 1);
    std::vector<int> taken(counts.size(), -1), bytes(counts.size());
    for (std::size_t r = 0; r < bytes.size(); ++r) bytes[r] = static_cast<int>(r * sizeof(int));
    std::vector<MPI_Datatype> types(counts.size(), MPI_INT);
    PAT_Request request;
    ASSERT_EQ(PAT_Ialltoallw(given.data(), ones.data(), bytes.data(), types.data(), taken.data(),
                             ones.data(), bytes.data(), types.data(), inter, &request),
              MPI_SUCCESS)
        << PAT_Error_string();
    types.assign(types.size(), MPI_DATATYPE_NULL);
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    for (int r = 0; r < remote; ++r)
      ASSERT_EQ(taken[static_cast<std::size_t>(r)], (low ? first_high : 0) + r + call);
  }
}

/// Each half has what the other one sums up.
TEST_F(InterCommunicator, TakesSumsFromTheOtherHalf) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_UseAlgName("allreduce", "ring"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("reduce-scatter", "pairwise"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("bcast", "pipeline"), MPI_SUCCESS);
  const Halves halves;
  const int root = !halves.low ? 0 : rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const int all = 100 * halves.local * halves.remote, own = 100 * halves.remote;
  const std::vector<int> counts(static_cast<std::size_t>(halves.local), own);
  const int first = halves.low ? halves.first_high : 0;
  for (int call = 0; call < 4; ++call) {
    const std::vector<int> mine(static_cast<std::size_t>(all), rank() + call);
    const int expected = halves.remote * (2 * first + halves.remote - 1 + 2 * call) / 2;
    std::vector<int> sum(mine.size(), -1), part(static_cast<std::size_t>(own), -1);
    ASSERT_EQ(PAT_Allreduce(mine.data(), sum.data(), all, MPI_INT, MPI_SUM, halves.inter),
              MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(sum, std::vector<int>(sum.size(), expected));
    ASSERT_EQ(
        PAT_Reduce_scatter(mine.data(), part.data(), counts.data(), MPI_INT, MPI_SUM, halves.inter),
        MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(part, std::vector<int>(part.size(), expected));
    std::vector<int> said(1000, rank() == 0 ? call : -1);
    ASSERT_EQ(PAT_Bcast(said.data(), 1000, MPI_INT, root, halves.inter), MPI_SUCCESS)
        << PAT_Error_string();
    if (!halves.low || rank() == 0) {
      ASSERT_EQ(said.back(), call);
    }
  }
}

/// MPI has none there.
TEST_F(InterCommunicator, HasNoScan) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_UseAlgName("scan", "lin"), MPI_SUCCESS);
  const Halves halves;
  MPI_Comm_set_errhandler(halves.inter, MPI_ERRORS_RETURN);
  int mine = rank(), sum = -1;
  EXPECT_EQ(class_of(PAT_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, halves.inter)), MPI_ERR_COMM);
  if (!test::library_refuses_exscan_of_two_groups) return;
  EXPECT_EQ(class_of(PAT_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, halves.inter)), MPI_ERR_COMM);
}

}  // namespace
}  // namespace pat
