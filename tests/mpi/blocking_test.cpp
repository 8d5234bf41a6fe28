// A request goes on while other processes are in a call of PAT that makes something on all of them:
// the first call on a communicator, a request, a region. Rank 1 waits for the request first, the
// others make that call first; only their threads can bring the request forward.

#include <gtest/gtest.h>
#include <pat/pat.h>

#include <string>
#include <vector>

#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

constexpr int count = 5000;

int root() {
  return size() > 1 ? 1 : 0;
}

/// A communicator that PAT has not seen, and one that has had a request.
struct Communicators {
  Communicators() {
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Comm_dup(MPI_COMM_WORLD, &known);
  }
  ~Communicators() {
    MPI_Comm_free(&fresh);
    MPI_Comm_free(&known);
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  MPI_Comm fresh = MPI_COMM_NULL, known = MPI_COMM_NULL;
};

/// From the rank that waits for the request first: nobody gets out of it before.
void broadcast(MPI_Comm comm) {
  int value = rank() == root() ? 17 : -1;
  ASSERT_EQ(PAT_Bcast(&value, 1, MPI_INT, root(), comm), MPI_SUCCESS) << PAT_Error_string();
  EXPECT_EQ(value, 17);
}

/// An operator of the program's own.
void add(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

struct OwnOperator {
  OwnOperator() { MPI_Op_create(add, 1, &op); }
  ~OwnOperator() { MPI_Op_free(&op); }
  MPI_Op op = MPI_OP_NULL;
};

/// A call that all processes must make before one of them gets out of it.
struct Meeting {
  const char* name;
  void (*prepare)(const Communicators&);
  void (*hold)(const Communicators&);
};

void nothing(const Communicators&) {}

void start_and_wait(MPI_Comm comm) {
  int value = rank() == 0 ? 17 : -1;
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(PAT_Ibcast(&value, 1, MPI_INT, 0, comm, &request), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS) << PAT_Error_string();
  EXPECT_EQ(value, 17);
}

void make_and_free(MPI_Comm comm) {
  int value = 0;
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(PAT_Bcast_init(&value, 1, MPI_INT, 0, comm, &request), MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

void make_region(MPI_Comm comm) {
  PAT_Region region = PAT_REGION_DEFAULT;
  ASSERT_EQ(PAT_Region_create(comm, "one of its own", &region), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS) << PAT_Error_string();
}

/// With the daemon only a request that needs the program's threads makes plain calls go on.
void reduce_by_own_operator(MPI_Comm comm) {
  const OwnOperator own;
  int one = 1, sum = 0;
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(PAT_Ireduce(&one, &sum, 1, MPI_INT, own.op, 0, comm, &request), MPI_SUCCESS);
  ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS);
}

/// What pat/request.h recommends.
void barrier_request(MPI_Comm comm) {
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(PAT_Ibarrier(comm, &request), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
}

void broadcast_twice(const Communicators& c) {
  broadcast(c.known);
  broadcast(c.known);
}

const Meeting meetings[] = {
    {"plain_call", nothing, [](const Communicators& c) { broadcast(c.fresh); }},
    {"plain_call_beside_it", nothing, [](const Communicators&) { broadcast(MPI_COMM_WORLD); }},
    {"request_made", nothing, [](const Communicators& c) { make_and_free(c.fresh); }},
    {"request_made_on_a_known_one", nothing,
     [](const Communicators&) { make_and_free(MPI_COMM_WORLD); }},
    {"request_started", nothing, [](const Communicators& c) { start_and_wait(c.fresh); }},
    {"region_made", nothing, [](const Communicators& c) { make_region(c.fresh); }},
    {"plain_call_where_requests_were",
     [](const Communicators& c) { reduce_by_own_operator(c.known); }, broadcast_twice}};

/// Enough for requests that have no operator of the program's own.
const Meeting after_barrier_request{"plain_call_after_a_barrier_request",
                                    [](const Communicators& c) { barrier_request(c.known); },
                                    broadcast_twice};

/// What goes on meanwhile, to rank 1.
struct Going {
  const char* operation;
  const char* algorithm;
};

const Going all_going[] = {{"gather", "sls"},
                           {"gather", "bsls"},
                           {"gather", "lin"},
                           {"reduce", "clairvoyant"},
                           {"reduce", "pipeline"}};

class Blocking : public testing::TestWithParam<std::tuple<Going, Meeting>> {
 protected:
  void SetUp() override {
    ASSERT_EQ(PAT_Init(), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName(going().operation, going().algorithm), MPI_SUCCESS);
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  const Going& going() const { return std::get<0>(GetParam()); }
  const Meeting& meeting() const { return std::get<1>(GetParam()); }
  bool gathers() const { return std::string(going().operation) == "gather"; }

  /// A started and ready request; its own operator needs the threads also where there is a daemon.
  PAT_Request make(MPI_Op op) {
    send_.assign(count, rank() + 1);
    recv_.assign(static_cast<std::size_t>(gathers() ? count * size() : count), -1);
    PAT_Request request = PAT_REQUEST_NULL;
    EXPECT_EQ(gathers() ? PAT_Gather_init(send_.data(), count, MPI_INT, recv_.data(), count,
                                          MPI_INT, root(), MPI_COMM_WORLD, &request)
                        : PAT_Reduce_init(send_.data(), recv_.data(), count, MPI_INT, op, root(),
                                          MPI_COMM_WORLD, &request),
              MPI_SUCCESS)
        << PAT_Error_string();
    return request;
  }
  void check() const {
    if (rank() != root()) return;
    for (std::size_t i = 0; i < recv_.size(); ++i)
      ASSERT_EQ(recv_[i], gathers() ? static_cast<int>(i) / count + 1 : size() * (size() + 1) / 2)
          << "element " << i;
  }

  std::vector<int> send_, recv_;
};

TEST_P(Blocking, ARequestGoesOnMeanwhile) {
  const OwnOperator own;
  PAT_Request request = make(own.op);
  for (int start = 0; start < 3; ++start) {
    const Communicators communicators;
    meeting().prepare(communicators);
    MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    if (rank() == 1) {
      ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    }
    meeting().hold(communicators);
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    check();
    if (HasFatalFailure()) return;
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

std::string name_of(const testing::TestParamInfo<std::tuple<Going, Meeting>>& info) {
  const auto& [going, meeting] = info.param;
  return test::test_name(std::string(going.operation) + "_" + going.algorithm + "_" + meeting.name);
}

INSTANTIATE_TEST_SUITE_P(Every, Blocking,
                         testing::Combine(testing::ValuesIn(all_going),
                                          testing::ValuesIn(meetings)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Gathers, Blocking,
                         testing::Combine(testing::Values(Going{"gather", "sls"},
                                                          Going{"gather", "lin"}),
                                          testing::Values(after_barrier_request)),
                         name_of);

}  // namespace
}  // namespace pat
