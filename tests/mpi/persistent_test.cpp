// Persistent gathers and scatters against MPI's own: every algorithm, root, count and datatype, in
// place, in parts, interleaved with plain calls and other communicators, with wrong forecasts and
// in every wrong order of calls.

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "libpat/session/measurement.hpp"
#include "libpat/session/session.hpp"
#include "pat/pat.hpp"
#include "tests/mpi/errors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::Side;
using test::size;

int rank_in(MPI_Comm comm) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  return me;
}

int size_of(MPI_Comm comm) {
  int n = 0;
  MPI_Comm_size(comm, &n);
  return n;
}

/// A persistent call next to MPI's plain one on equally filled buffers.
class Pair {
 public:
  Pair(Operation operation, const Side& send, const Side& recv, int root, MPI_Comm comm,
       bool in_place = false)
      : gathers_(operation == Operation::gather),
        send_side_(send),
        recv_side_(recv),
        root_(root),
        comm_(comm),
        is_root_(rank_in(comm) == root),
        in_place_(in_place && is_root_),
        send_(room(send, !gathers_)),
        got_(room(recv, gathers_)),
        expected_(got_) {
    const void* source = send_.empty() ? nullptr : send_.data() + margin;
    void* target = got_.empty() ? nullptr : got_.data() + margin;
    if (in_place_) (gathers_ ? const_cast<void*&>(source) : target) = MPI_IN_PLACE;
    const auto init = gathers_ ? PAT_Gather_init : PAT_Scatter_init;
    code = init(source, send.count, send.type, target, recv.count, recv.type, root, comm, &request);
  }
  ~Pair() { EXPECT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string(); }
  Pair(const Pair&) = delete;

  /// Hands over the receiving side, then computes what is to be sent.
  void start(int salt) {
    std::fill(got_.begin(), got_.end(), -7);
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    std::iota(send_.begin(), send_.end(), 100000 * rank_in(comm_) + 1000 * salt);
    std::fill(expected_.begin(), expected_.end(), -7);
    if (in_place_ && gathers_)  // the root's own block stays the program's until PAT_Ready
      for (std::vector<int>* all : {&got_, &expected_})
        std::copy_n(send_.begin() + margin, recv_side_.room_ints,
                    all->begin() + margin + root_ * recv_side_.room_ints);
  }
  void wait_and_compare() {
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    compare();
  }
  /// Collective: MPI's result of the same data.
  void compare() {
    const void* source = send_.empty() ? nullptr : send_.data() + margin;
    void* target = expected_.empty() ? nullptr : expected_.data() + margin;
    if (in_place_) (gathers_ ? const_cast<void*&>(source) : target) = MPI_IN_PLACE;
    const auto mpi = gathers_ ? MPI_Gather : MPI_Scatter;
    ASSERT_EQ(mpi(source, send_side_.count, send_side_.type, target, recv_side_.count,
                  recv_side_.type, root_, comm_),
              MPI_SUCCESS);
    ASSERT_EQ(expected_, got_);
  }
  void run(int salt) {
    start(salt);
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    wait_and_compare();
  }

  PAT_Request request = PAT_REQUEST_NULL;
  int code = MPI_SUCCESS;

 private:
  static constexpr int margin = 4;  // ints before and after, which must stay as they are

  /// Memory of one side: all blocks, or one, or none.
  std::vector<int> room(const Side& side, bool all_blocks) const {
    if (all_blocks && !is_root_) return {};
    const int blocks = all_blocks ? size_of(comm_) : 1;
    return std::vector<int>(static_cast<std::size_t>(blocks * side.room_ints + 2 * margin), -7);
  }

  const bool gathers_;
  const Side send_side_, recv_side_;
  const int root_;
  const MPI_Comm comm_;
  const bool is_root_, in_place_;
  std::vector<int> send_, got_, expected_;
};

struct Choice {
  Operation operation;
  std::string algorithm;
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const Operation operation : {Operation::gather, Operation::scatter})
    for (const std::string& algorithm : test::registered(operation))
      all.push_back({operation, algorithm});
  return all;
}

class EveryPersistent : public testing::TestWithParam<Choice> {
 protected:
  Operation operation() const { return GetParam().operation; }
  void begin(const char* config) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName(std::string(name(operation())).c_str(), GetParam().algorithm.c_str()),
              MPI_SUCCESS);
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }
};

TEST_P(EveryPersistent, EqualsMpiForEveryRootAndCount) {
  begin("");
  for (int root = 0; root < size(); ++root)
    for (const int count : {0, 1, 3, 1000, 20000})
      for (const bool in_place : {false, true}) {
        if (in_place && count != 1000) continue;
        if (root > 1 && count != 1000) continue;  // sixteen ranks on two cores need their time
        const Side side{MPI_INT, count, count};
        Pair pair(operation(), side, side, root, MPI_COMM_WORLD, in_place);
        ASSERT_EQ(pair.code, MPI_SUCCESS) << PAT_Error_string();
        for (int call = 0; call < 3; ++call) {
          pair.run(call);
          if (HasFatalFailure()) return;
        }
      }
}

TEST_P(EveryPersistent, EqualsMpiForDerivedTypesThatAreFreedAfterInit) {
  begin("");
  MPI_Datatype gaps, resized, swapped, six;
  MPI_Type_vector(3, 2, 4, MPI_INT, &gaps);  // 6 ints in 10
  MPI_Type_create_resized(gaps, 0, 12 * sizeof(int), &resized);
  const int lengths[] = {1, 1}, displacements[] = {1, 0};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &swapped);  // memory order reversed
  MPI_Type_contiguous(6, MPI_INT, &six);
  for (MPI_Datatype* type : {&gaps, &resized, &swapped, &six}) MPI_Type_commit(type);
  const Side sides[] = {
      {MPI_INT, 600, 600}, {resized, 100, 1200}, {swapped, 300, 600}, {six, 100, 600}};
  for (const Side& send : sides)
    for (const Side& recv : sides) {
      const auto mine = [](const Side& side) {  // a type of the test's own, freed after init
        Side copy = side;
        MPI_Type_dup(side.type, &copy.type);
        return copy;
      };
      Side own_send = mine(send), own_recv = mine(recv);
      const int root = size() - 1;
      // Compared by the types that stay; started with those that are gone.
      Pair pair(operation(), send, recv, root, MPI_COMM_WORLD);
      PAT_Request freed = PAT_REQUEST_NULL;
      std::vector<int> source(static_cast<std::size_t>(send.room_ints * size()), rank()),
          target(static_cast<std::size_t>(recv.room_ints * size()), -1);
      const auto init = operation() == Operation::gather ? PAT_Gather_init : PAT_Scatter_init;
      ASSERT_EQ(init(source.data(), own_send.count, own_send.type, target.data(), own_recv.count,
                     own_recv.type, root, MPI_COMM_WORLD, &freed),
                MPI_SUCCESS);
      MPI_Type_free(&own_send.type);
      MPI_Type_free(&own_recv.type);
      for (int call = 0; call < 2; ++call) {
        ASSERT_EQ(PAT_Start(freed), MPI_SUCCESS);
        pair.run(call);
        ASSERT_EQ(PAT_Ready(freed), MPI_SUCCESS);
        ASSERT_EQ(PAT_Wait(freed), MPI_SUCCESS) << PAT_Error_string();
        if (HasFatalFailure()) return;
      }
      if (operation() == Operation::gather && rank() == root) {
        EXPECT_EQ(target[0], 0);
      }
      if (operation() == Operation::scatter) {
        EXPECT_EQ(target[0], root);
      }
      ASSERT_EQ(PAT_Request_free(&freed), MPI_SUCCESS);
    }
  for (MPI_Datatype* type : {&gaps, &resized, &swapped, &six}) MPI_Type_free(type);
}

TEST_P(EveryPersistent, EqualsMpiForDerivedTypesAndEveryRoot) {
  begin("");
  MPI_Datatype gaps, resized, negative;
  MPI_Type_vector(3, 2, 4, MPI_INT, &gaps);  // 6 ints in 10
  MPI_Type_create_resized(gaps, 0, 12 * sizeof(int), &resized);
  const int back[] = {-2};
  MPI_Type_create_indexed_block(1, 2, back, MPI_INT, &negative);  // negative lower bound
  for (MPI_Datatype* type : {&gaps, &resized, &negative}) MPI_Type_commit(type);
  const Side sides[] = {{MPI_INT, 600, 600}, {resized, 100, 1200}, {negative, 300, 600}};
  for (int root = 0; root < size(); ++root) {
    Pair pair(operation(), sides[root % 3], sides[(root + 1) % 3], root, MPI_COMM_WORLD);
    ASSERT_EQ(pair.code, MPI_SUCCESS) << PAT_Error_string();
    for (int call = 0; call < 2; ++call) {
      pair.run(call);
      if (HasFatalFailure()) return;
    }
  }
  for (MPI_Datatype* type : {&gaps, &resized, &negative}) MPI_Type_free(type);
}

TEST_P(EveryPersistent, HandsOverInParts) {
  begin("scratch=1k");
  std::mt19937 random(static_cast<unsigned>(rank() + 1));
  for (const int count : {1200, 5000, 7})
    for (const int parts : {1, 4, 7}) {
      const Side side{MPI_INT, count, count};
      Pair pair(operation(), side, side, size() / 2, MPI_COMM_WORLD);
      ASSERT_EQ(PAT_Request_parts(pair.request, parts), MPI_SUCCESS) << PAT_Error_string();
      for (int call = 0; call < 5; ++call) {
        pair.start(call);
        std::vector<int> order(static_cast<std::size_t>(parts));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        if (call == 2) order.resize(order.size() / 2);  // the rest with PAT_Ready
        for (const int part : order) {
          ASSERT_EQ(PAT_Pready(pair.request, part), MPI_SUCCESS) << PAT_Error_string();
          if (random() % 4 == 0) test::sleep_ms(0.3);
        }
        ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
        pair.wait_and_compare();
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(EveryPersistent, RequestsPlainCallsAndCommunicatorsInterleaved) {
  begin("disturb=0.2");
  MPI_Comm halves, reversed;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &halves);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
  const Side side{MPI_INT, 1500, 1500};
  {
    // Two on one communicator with equal arguments, one on each of the others.
    Pair a(operation(), side, side, 0, MPI_COMM_WORLD),
        b(operation(), side, side, 0, MPI_COMM_WORLD);
    Pair c(operation(), side, side, size_of(halves) - 1, halves),
        d(operation(), side, side, size() / 2, reversed);
    Pair* all[] = {&a, &b, &c, &d};
    std::vector<int> plain(static_cast<std::size_t>(1500 * size()), rank()), result(plain.size());
    std::mt19937 own(static_cast<unsigned>(rank()));
    for (int call = 0; call < 12; ++call) {
      std::shuffle(std::begin(all), std::end(all), own);  // starts in any order
      for (Pair* pair : all) pair->start(call);
      if (HasFatalFailure()) return;
      const auto plain_call = operation() == Operation::gather ? PAT_Gather : PAT_Scatter;
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(0.5 * ((rank() + call) % 4));
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      ASSERT_EQ(
          plain_call(plain.data(), 1500, MPI_INT, result.data(), 1500, MPI_INT, 0, MPI_COMM_WORLD),
          MPI_SUCCESS);
      if (operation() == Operation::scatter || rank() == 0) {
        ASSERT_EQ(result[0], 0);  // the first block is rank 0's own, or comes from it
      }
      std::shuffle(std::begin(all), std::end(all), own);  // readied in another one
      for (Pair* pair : all) ASSERT_EQ(PAT_Ready(pair->request), MPI_SUCCESS);
      ASSERT_EQ(
          plain_call(plain.data(), 1500, MPI_INT, result.data(), 1500, MPI_INT, 0, MPI_COMM_WORLD),
          MPI_SUCCESS);
      std::shuffle(std::begin(all), std::end(all), own);  // and waited for in a third
      for (Pair* pair : all) {
        int done = 0;
        for (int attempt = 0; attempt < 3 && !done; ++attempt)
          ASSERT_EQ(PAT_Test(pair->request, &done), MPI_SUCCESS);
        ASSERT_EQ(PAT_Wait(pair->request), MPI_SUCCESS) << PAT_Error_string();
      }
      for (Pair* pair : {&a, &b, &c, &d}) pair->compare();
      if (HasFatalFailure()) return;
    }
  }
  MPI_Comm_free(&halves);
  MPI_Comm_free(&reversed);
}

TEST_P(EveryPersistent, WrongForecastsCostTimeButNothingElse) {
  begin("lease_max=2;disturb=0.2");
  const Side side{MPI_INT, 3000, 3000};
  Pair pair(operation(), side, side, 0, MPI_COMM_WORLD);
  for (int call = 0; call < 24; ++call) {
    detail::filter_forecasts([kind = call / 6](const Forecast& f) {
      switch (kind) {
        case 0:
          return Forecast{std::max(0.0, 0.02 - f.mean_s), 0.0, 1.0, f.known};
        case 1:
          return Forecast{1e300, 0.0, 1e308, true};
        case 2:
          return Forecast{-1e9, -1e9, -1e9, true};
        default:
          return f;
      }
    });
    pair.start(call);
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(0.7 * ((rank() + call) % 4));
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    test::sleep_ms(0.7 * ((rank() + call) % 4));
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
    pair.wait_and_compare();
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryPersistent, OutlivesItsCommunicator) {
  begin("");
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::vector<int> send(static_cast<std::size_t>(2000 * size()), 5),
      recv(static_cast<std::size_t>(2000 * size()), -1);
  const auto init = operation() == Operation::gather ? PAT_Gather_init : PAT_Scatter_init;
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(init(send.data(), 2000, MPI_INT, recv.data(), 2000, MPI_INT, 0, copy, &request),
            MPI_SUCCESS);
  for (int call = 0; call < 4; ++call) {
    std::fill(recv.begin(), recv.end(), -1);
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS);
    if (call == 2) {
      MPI_Comm_free(&copy);
    }
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS);
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    if (operation() == Operation::scatter || rank() == 0) {
      ASSERT_EQ(recv[1999], 5);
    }
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPersistent, testing::ValuesIn(choices()),
                         [](const auto& test) {
                           return std::string(name(test.param.operation)) + "_" +
                                  test::test_name(test.param.algorithm);
                         });

// ---------------------------------------------------------------- what happens before the arrival

/// Operations that are open in the present call of a request; -1 while it has not begun.
long open_operations(PAT_Request request) {
  detail::Session& session = detail::Session::get("test");
  return session.under_lock([&](detail::Locked& locked) {
    const detail::Call& call = session.requests.at(locked, request, "test");
    return call.run ? std::atol(call.run->state().c_str()) : -1L;
  });
}

/// Gives the others time; without a daemon, and in calls that move data, moves data.
void until_open(PAT_Request request, long wanted) {
  int flag = 0;
  for (int i = 0; i < 5000 && open_operations(request) != wanted; ++i) {
    ASSERT_EQ(PAT_Test(request, &flag), MPI_SUCCESS);
    ASSERT_EQ(flag, 0);
    test::sleep_ms(1.0);
  }
  EXPECT_EQ(open_operations(request), wanted);
}

TEST(BeforeTheArrival, AllLandsInPlaceWithoutScratch) {
  if (size() == 1) return;
  constexpr int count = 30000;
  for (const auto& [operation, algorithm] :
       {Choice{Operation::gather, "bsls"}, Choice{Operation::gather, "bsbn"},
        Choice{Operation::scatter, "bslin"}, Choice{Operation::scatter, "bsbn"}}) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "scratch=1"), MPI_SUCCESS);
    ASSERT_EQ(PAT_UseAlgName(std::string(name(operation)).c_str(), algorithm.c_str()), MPI_SUCCESS);
    {
      const Side side{MPI_INT, count, count};
      Pair pair(operation, side, side, 0, MPI_COMM_WORLD);
      const bool gathers = operation == Operation::gather;
      // The root of a gather comes last; in a scatter the leaves do, once the root has sent.
      const bool late = gathers ? rank() == 0 : rank() == size() - 1;
      for (int call = 0; call < 3; ++call) {
        pair.start(call);
        // Open at the end: the join, and in a gather the root's copy of its own block.
        if (late) until_open(pair.request, gathers ? 2 : 1);
        ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
        pair.wait_and_compare();
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << algorithm;
      }
    }
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  }
}

TEST(BeforeTheArrival, PartsOfTheRootsBufferReachTheLeaves) {
  if (size() == 1) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, ""), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("scatter", "bslin"), MPI_SUCCESS);
  {
    const Side side{MPI_INT, 20000, 20000};
    Pair pair(Operation::scatter, side, side, 0, MPI_COMM_WORLD);
    ASSERT_EQ(PAT_Request_parts(pair.request, size()), MPI_SUCCESS);
    for (int call = 0; call < 3; ++call) {
      pair.start(call);
      if (rank() == 0) {  // a block a part: all travel before the root has arrived
        for (int part = 0; part < size(); ++part)
          ASSERT_EQ(PAT_Pready(pair.request, part), MPI_SUCCESS);
        until_open(pair.request, 1);
      } else {
        until_open(pair.request, 1);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
      pair.wait_and_compare();
      if (testing::Test::HasFatalFailure()) break;
    }
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(BeforeTheArrival, PartsOfABlockReachTheRoot) {
  if (size() == 1) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, ""), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  {
    const Side side{MPI_INT, 20000, 20000};
    Pair pair(Operation::gather, side, side, 0, MPI_COMM_WORLD);
    ASSERT_EQ(PAT_Request_parts(pair.request, 4), MPI_SUCCESS);
    for (int call = 0; call < 4; ++call) {
      pair.start(call);
      for (int part = 0; part < 4; ++part) ASSERT_EQ(PAT_Pready(pair.request, part), MPI_SUCCESS);
      // The first call is static and not cut, the later ones come in four pieces.
      if (call > 0 && rank() == 1) until_open(pair.request, 2);  // join and announcement
      ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
      pair.wait_and_compare();
      if (testing::Test::HasFatalFailure()) break;
    }
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(Threads, HandOverPartsOfOneRequestAtTheSameTime) {
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  int level = 0;
  MPI_Query_thread(&level);
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  {
    const Side side{MPI_INT, 8000, 8000};
    Pair pair(Operation::gather, side, side, 0, MPI_COMM_WORLD);
    ASSERT_EQ(PAT_Request_parts(pair.request, 8), MPI_SUCCESS);
    for (int call = 0; call < 5; ++call) {
      pair.start(call);
      const auto hand_over = [&](int first) {
        for (int part = first; part < 8; part += 2)
          EXPECT_EQ(PAT_Pready(pair.request, part), MPI_SUCCESS);
      };
      if (level == MPI_THREAD_MULTIPLE) {
        std::thread even(hand_over, 0), odd(hand_over, 1);
        even.join();
        odd.join();
      } else {
        hand_over(0);
      }
      ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
      pair.wait_and_compare();
      if (testing::Test::HasFatalFailure()) break;
    }
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(InterCommunicator, GoesToTheLibrary) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  const bool low = rank() < size() / 2;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size() / 2 : 0, 7, &inter);
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  const int root = !low ? 0 : rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;  // gathers what high has
  std::vector<int> send(100, rank()), recv(static_cast<std::size_t>(100 * remote), -1);
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(
      PAT_Gather_init(send.data(), 100, MPI_INT, recv.data(), 100, MPI_INT, root, inter, &request),
      MPI_SUCCESS)
      << PAT_Error_string();
  for (int call = 0; call < 3; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS);
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS);
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(recv.back(), size() - 1);
    }
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

// ---------------------------------------------------------------- wrong order, wrong arguments

class Misuse : public test::CatchesErrors {};

TEST_F(Misuse, IsRefusedAndNothingIsLost) {
  for (const char* algorithm : {"bsls", "mpi", "bsbn"}) {
    ASSERT_EQ(PAT_UseAlgName("gather", algorithm), MPI_SUCCESS);
    const Side side{MPI_INT, 2000, 2000};
    Pair pair(Operation::gather, side, side, 0, MPI_COMM_WORLD);
    PAT_Request copy = pair.request;
    int flag = 0;
    ASSERT_EQ(PAT_Wait(pair.request), MPI_SUCCESS);  // not active: returns at once, as MPI's does
    ASSERT_EQ(PAT_Test(pair.request, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    for (int call = 0; call < 3; ++call) {
      expect_class(PAT_Ready(pair.request), MPI_ERR_OTHER, "PAT_Start");
      expect_class(PAT_Pready(pair.request, 0), MPI_ERR_OTHER, "PAT_Start");
      ASSERT_EQ(PAT_Request_parts(pair.request, 2), MPI_SUCCESS);
      expect_class(PAT_Request_parts(pair.request, 0), MPI_ERR_ARG, "parts is 0");
      pair.start(call);
      expect_class(PAT_Start(pair.request), MPI_ERR_OTHER, "active");
      expect_class(PAT_Wait(pair.request), MPI_ERR_OTHER, "PAT_Ready");
      expect_class(PAT_Request_parts(pair.request, 3), MPI_ERR_OTHER, "active");
      expect_class(PAT_Request_free(&copy), MPI_ERR_OTHER, "active");
      EXPECT_EQ(copy, pair.request);
      expect_class(PAT_Pready(pair.request, 2), MPI_ERR_ARG, "part is 2");
      expect_class(PAT_Pready(pair.request, -1), MPI_ERR_ARG, "part is -1");
      ASSERT_EQ(PAT_Pready(pair.request, 1), MPI_SUCCESS);
      expect_class(PAT_Pready(pair.request, 1), MPI_ERR_OTHER, "part 1");
      expect_class(PAT_Test(pair.request, nullptr), MPI_ERR_ARG, "flag");
      ASSERT_EQ(PAT_Ready(pair.request), MPI_SUCCESS);
      expect_class(PAT_Ready(pair.request), MPI_ERR_OTHER, "ready already");
      expect_class(PAT_Start(pair.request), MPI_ERR_OTHER, "active");
      expect_class(PAT_Pready(pair.request, 0), MPI_ERR_OTHER, "PAT_Ready");
      expect_class(PAT_Request_free(&copy), MPI_ERR_OTHER, "active");
      pair.wait_and_compare();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Misuse, HandlesThatAreNone) {
  int flag = 0;
  PAT_Request null = PAT_REQUEST_NULL;
  expect_class(PAT_Start(null), MPI_ERR_REQUEST, "PAT_Start");
  expect_class(PAT_Ready(null), MPI_ERR_REQUEST, "PAT_Ready");
  expect_class(PAT_Wait(null), MPI_ERR_REQUEST, "PAT_Wait");
  expect_class(PAT_Test(null, &flag), MPI_ERR_REQUEST, "PAT_Test");
  expect_class(PAT_Pready(null, 0), MPI_ERR_REQUEST, "PAT_Pready");
  expect_class(PAT_Request_parts(null, 1), MPI_ERR_REQUEST, "PAT_Request_parts");
  expect_class(PAT_Request_free(&null), MPI_ERR_REQUEST, "PAT_Request_free");
  expect_class(PAT_Request_free(nullptr), MPI_ERR_REQUEST, "PAT_Request_free");
  int x = 0;
  std::vector<int> all(static_cast<std::size_t>(size()));
  PAT_Request made = PAT_REQUEST_NULL;
  expect_class(PAT_Gather_init(&x, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, nullptr),
               MPI_ERR_ARG, "request");
  expect_class(
      PAT_Gather_init(&x, 1, MPI_INT, all.data(), 1, MPI_INT, size(), MPI_COMM_WORLD, &made),
      MPI_ERR_ROOT, "PAT_Gather_init");
  expect_class(PAT_Scatter_init(all.data(), 1, MPI_INT, &x, -1, MPI_INT, 0, MPI_COMM_WORLD, &made),
               MPI_ERR_COUNT, "recvcount");
  EXPECT_EQ(made, PAT_REQUEST_NULL);
}

TEST_F(Misuse, FinalizeWithAnActiveRequestSaysSo) {
  std::vector<int> send(2000, 1), recv(static_cast<std::size_t>(2000 * size()));
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  ASSERT_EQ(PAT_Gather_init(send.data(), 2000, MPI_INT, recv.data(), 2000, MPI_INT, 0,
                            MPI_COMM_WORLD, &request),
            MPI_SUCCESS);
  ASSERT_EQ(PAT_Start(request), MPI_SUCCESS);
  int error_class = 0;
  MPI_Error_class(PAT_Finalize(), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_OTHER);
  EXPECT_NE(std::string(PAT_Error_string()).find("active"), std::string::npos);
  expect_class(PAT_Start(request), MPI_ERR_OTHER, "PAT_Init");  // the session is over
}

TEST(PersistentCpp, TypedAndScoped) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  {
    Session session;
    std::vector<double> mine(500, rank()), all(static_cast<std::size_t>(500 * size()));
    PersistentCall gather = PersistentCall::gather(mine.data(), all.data(), 500, 0, MPI_COMM_WORLD);
    gather.parts(2);
    for (int call = 0; call < 3; ++call) {
      gather.start();
      gather.part_ready(1);
      gather.ready();
      while (!gather.test()) test::sleep_ms(0.1);
      if (rank() == 0) {
        EXPECT_EQ(all.back(), size() - 1);
      }
    }
    EXPECT_THROW(gather.ready(), Failure);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace pat
