// Non-blocking calls: any number of them, of every operation, ended in any order, with plain and
// persistent calls in between; what the forms promise of requests, threads and operators.

#include <gtest/gtest.h>
#include <pat/pat.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

void begin(const std::string& config = "") {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
}

void end() {
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

/// The threads that have run the program's own operator.
std::set<std::thread::id> operator_threads;
std::mutex operator_mutex;

/// Composition of affine maps modulo 2^16, packed into one int: does not commute.
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  {
    const std::lock_guard lock(operator_mutex);
    operator_threads.insert(std::this_thread::get_id());
  }
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) {
    const std::uint32_t a = (left[i] >> 16) * (right[i] >> 16);
    const std::uint32_t b = (left[i] >> 16) * (right[i] & 0xffff) + (left[i] & 0xffff);
    right[i] = (a << 16) | (b & 0xffff);
  }
}

struct Composition {
  Composition() { MPI_Op_create(compose, 0, &op); }
  ~Composition() { MPI_Op_free(&op); }
  MPI_Op op = MPI_OP_NULL;
};

/// One call with buffers of its own and the result that it must have.
class OneCall {
 public:
  enum class Kind {
    gather,
    gatherv,
    scatter,
    scatterv,
    reduce,
    ordered,
    allreduce,
    bcast,
    barrier,
    allgather,
    allgatherv
  };
  static constexpr int kinds = 11;

  OneCall(Kind kind, int count, int root, int salt, MPI_Comm comm, MPI_Op own)
      : kind_(kind), count_(count), root_(root), salt_(salt), comm_(comm), own_(own) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (int r = 0; r < size_; ++r) {
      counts_.push_back(varies() ? (count + r) % 7 * count / 3 : count);
      displacements_.push_back(r == 0 ? 0 : displacements_.back() + counts_[r - 1] + 1);
    }
    const auto all = static_cast<std::size_t>(displacements_.back() + counts_.back());
    const auto mine = static_cast<std::size_t>(counts_[rank_]);
    const auto dense = static_cast<std::size_t>(count) * size_;
    send_.resize(kind == Kind::scatterv ? all : kind == Kind::scatter ? dense : mine);
    recv_.assign(!collects() ? mine : varies() ? all : dense, 0xdeadbeef);
    if (kind == Kind::scatter || kind == Kind::scatterv)
      for (int r = 0; r < size_; ++r) fill(send_.data() + at(r), r, counts_[r]);
    else
      fill(send_.data(), rank_, static_cast<int>(mine));
    if (kind == Kind::bcast && rank_ == root) recv_ = send_;
  }

  void start() {
    const auto type = MPI_UINT32_T;
    int code = MPI_SUCCESS;
    switch (kind_) {
      case Kind::gather:
        code = PAT_Igather(send_.data(), count_, type, recv_.data(), count_, type, root_, comm_,
                           &request);
        break;
      case Kind::gatherv:
        code = PAT_Igatherv(send_.data(), counts_[rank_], type, recv_.data(), counts_.data(),
                            displacements_.data(), type, root_, comm_, &request);
        break;
      case Kind::scatter:
        code = PAT_Iscatter(send_.data(), count_, type, recv_.data(), count_, type, root_, comm_,
                            &request);
        break;
      case Kind::scatterv:
        code = PAT_Iscatterv(send_.data(), counts_.data(), displacements_.data(), type,
                             recv_.data(), counts_[rank_], type, root_, comm_, &request);
        break;
      case Kind::reduce:
        code =
            PAT_Ireduce(send_.data(), recv_.data(), count_, type, MPI_SUM, root_, comm_, &request);
        break;
      case Kind::ordered:
        code = PAT_Ireduce(send_.data(), recv_.data(), count_, type, own_, root_, comm_, &request);
        break;
      case Kind::allreduce:
        code = PAT_Iallreduce(send_.data(), recv_.data(), count_, type, MPI_SUM, comm_, &request);
        break;
      case Kind::bcast:
        code = PAT_Ibcast(recv_.data(), count_, type, root_, comm_, &request);
        break;
      case Kind::barrier:
        code = PAT_Ibarrier(comm_, &request);
        break;
      case Kind::allgather:
        code =
            PAT_Iallgather(send_.data(), count_, type, recv_.data(), count_, type, comm_, &request);
        break;
      case Kind::allgatherv:
        code = PAT_Iallgatherv(send_.data(), counts_[rank_], type, recv_.data(), counts_.data(),
                               displacements_.data(), type, comm_, &request);
        break;
    }
    ASSERT_EQ(code, MPI_SUCCESS) << PAT_Error_string();
  }

  void check() const {
    const bool is_root = rank_ == root_;
    switch (kind_) {
      case Kind::gather:
      case Kind::gatherv:
        if (is_root) check_all_blocks();
        return;
      case Kind::allgather:
      case Kind::allgatherv:
        return check_all_blocks();
      case Kind::scatter:
      case Kind::scatterv:
        return check_block(recv_.data(), rank_, counts_[rank_]);
      case Kind::bcast:
        return check_block(recv_.data(), root_, count_);
      case Kind::reduce:
        if (is_root) check_combined(MPI_SUM);
        return;
      case Kind::ordered:
        if (is_root) check_combined(own_);
        return;
      case Kind::allreduce:
        return check_combined(MPI_SUM);
      case Kind::barrier:
        return;
    }
  }

  PAT_Request request = PAT_REQUEST_NULL;

 private:
  std::uint32_t value(int from, int i) const {
    return static_cast<std::uint32_t>(salt_ * 40503 + from * 2654435 + i * 977);
  }
  std::size_t at(int r) const {
    return static_cast<std::size_t>(varies() ? displacements_[r] : r * count_);
  }
  bool varies() const {
    return kind_ == Kind::gatherv || kind_ == Kind::scatterv || kind_ == Kind::allgatherv;
  }
  /// Some rank receives the blocks of all.
  bool collects() const {
    return kind_ == Kind::gather || kind_ == Kind::gatherv || kind_ == Kind::allgather ||
           kind_ == Kind::allgatherv;
  }
  void fill(std::uint32_t* block, int from, int n) const {
    for (int i = 0; i < n; ++i) block[i] = value(from, i);
  }
  void check_block(const std::uint32_t* block, int from, int n) const {
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(block[i], value(from, i)) << "kind " << static_cast<int>(kind_) << ", salt "
                                          << salt_ << ", from " << from << ", index " << i;
  }
  void check_all_blocks() const {
    for (int r = 0; r < size_; ++r) check_block(recv_.data() + at(r), r, counts_[r]);
  }
  void check_combined(MPI_Op op) const {
    for (int i = 0; i < count_; ++i) {
      std::uint32_t expected = value(size_ - 1, i);
      for (int r = size_ - 2; r >= 0; --r) {
        std::uint32_t left = value(r, i);
        if (op == MPI_SUM) {
          expected += left;
        } else {
          const std::uint32_t a = (left >> 16) * (expected >> 16);
          const std::uint32_t b = (left >> 16) * (expected & 0xffff) + (left & 0xffff);
          expected = (a << 16) | (b & 0xffff);
        }
      }
      ASSERT_EQ(recv_[static_cast<std::size_t>(i)], expected)
          << "salt " << salt_ << ", index " << i;
    }
  }

  Kind kind_;
  int count_, root_, salt_;
  MPI_Comm comm_;
  MPI_Op own_;
  int rank_ = 0, size_ = 1;
  std::vector<int> counts_, displacements_;
  std::vector<std::uint32_t> send_, recv_;
};

/// A plain call between the others, checked.
void plain_call(int salt, int count) {
  std::vector<int> mine(static_cast<std::size_t>(count), 10 * salt + rank()),
      all(static_cast<std::size_t>(count * size()), -1);
  const int root = salt % size();
  ASSERT_EQ(
      PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD),
      MPI_SUCCESS)
      << PAT_Error_string();
  for (int r = 0; rank() == root && r < size(); ++r)
    ASSERT_EQ(all[static_cast<std::size_t>(r * count)], 10 * salt + r);
}

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

/// Keeps `calls` requests of all operations open, then ends them in an order of each rank's own.
void keep_open(long calls, unsigned seed) {
  const Composition composition;
  std::mt19937 same(seed), own(seed * 1000 + static_cast<unsigned>(rank()));
  std::vector<std::unique_ptr<OneCall>> open;
  constexpr int sizes[] = {1, 3, 40, 700, 1600};
  for (long i = 0; i < calls; ++i) {
    const auto kind = static_cast<OneCall::Kind>(same() % OneCall::kinds);
    const int count = sizes[same() % 5],
              root = static_cast<int>(same() % static_cast<unsigned>(size()));
    open.push_back(std::make_unique<OneCall>(kind, count, root, static_cast<int>(i), MPI_COMM_WORLD,
                                             composition.op));
    open.back()->start();
    if (same() % 100 == 0) plain_call(static_cast<int>(i), same() % 2 == 0 ? 5 : 2000);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::vector<std::size_t> order(open.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), own);
  for (std::size_t done = 0; done < order.size(); ++done) {
    OneCall& call = *open[order[done]];
    int flag = 0;
    if (own() % 4 == 0) {
      while (flag == 0) ASSERT_EQ(PAT_Testall(1, &call.request, &flag), MPI_SUCCESS);
    } else {
      ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS) << PAT_Error_string();
    }
    ASSERT_EQ(call.request, PAT_REQUEST_NULL);
    call.check();
    if (done % 100 == 50) plain_call(static_cast<int>(done), done % 200 == 50 ? 5 : 2000);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(NonBlocking, ManyOpenAtOnceEndInAnyOrder) {
  begin("disturb=0.1");
  keep_open(from_environment("PAT_TEST_REQUESTS", 1500), 7);
  end();
}

TEST(NonBlocking, EveryAlgorithmByName) {
  const std::pair<const char*, std::vector<const char*>> chosen[] = {
      {"gather", {"mpi", "lin", "ls", "sls", "bsls", "bnom", "sbn", "bsbn"}},
      {"scatter", {"mpi", "lin", "slin", "bslin", "bnom", "sbn", "bsbn"}},
      {"allgather", {"mpi", "ring", "bruck", "recursive-doubling", "neighbour-exchange"}},
      {"reduce",
       {"mpi", "bnom", "clairvoyant", "ring", "rabenseifner", "radix-k", "pipeline", "two-tree",
        "local-redirect", "local-redirect-seg"}}};
  for (std::size_t i = 0; i < 10; ++i) {
    begin("lease_max=4");
    for (const auto& [operation, names] : chosen)
      ASSERT_EQ(PAT_UseAlgName(operation, names[i % names.size()]), MPI_SUCCESS);
    keep_open(120, static_cast<unsigned>(i) + 20);
    end();
    if (HasFatalFailure()) return;
  }
}

TEST(NonBlocking, WrongForecastsCostTimeOnly) {
  for (const auto& [name, filter] : test::broken_predictors) {
    begin("disturb=0.2;lease_max=2");
    test::break_predictor(filter);
    for (int phase = 0; phase < 6; ++phase) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(0.5 * ((rank() + phase) % 4));
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      keep_open(20, static_cast<unsigned>(phase));
      if (HasFatalFailure()) return;
    }
    end();
  }
}

TEST(NonBlocking, ProgressIsMadeWithoutTheProgram) {
  begin();
  int level = 0;
  MPI_Query_thread(&level);
  ASSERT_EQ(PAT_UseAlgName("gather", "lin"), MPI_SUCCESS);
  OneCall call(OneCall::Kind::gather, 3000, 0, 1, MPI_COMM_WORLD, MPI_OP_NULL);
  call.start();
  int flag = 0;
  for (int i = 0; i < 20000 && flag == 0; ++i) {
    test::sleep_ms(0.5);
    ASSERT_EQ(PAT_Testall(1, &call.request, &flag), MPI_SUCCESS);
  }
  EXPECT_EQ(flag, 1);
  call.check();
  end();
}

TEST(NonBlocking, OwnOperatorsRunInTheProgramsThreadsOnly) {
  const Composition composition;
  operator_threads.clear();
  for (const char* algorithm : {"auto", "mpi", "bnom"}) {
    begin("min_bytes=1");
    ASSERT_EQ(PAT_UseAlgName("reduce", algorithm), MPI_SUCCESS);
    for (int i = 0; i < 8; ++i) {
      OneCall call(OneCall::Kind::ordered, 2000, i % size(), i, MPI_COMM_WORLD, composition.op);
      call.start();
      test::sleep_ms(3.0);  // the daemon moves what it may
      ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS) << PAT_Error_string();
      call.check();
      if (HasFatalFailure()) return;
    }
    end();
  }
  operator_threads.erase(std::this_thread::get_id());
  EXPECT_TRUE(operator_threads.empty()) << "another thread ran the program's operator";
}

TEST(NonBlocking, AnyAndAll) {
  begin();
  std::vector<std::unique_ptr<OneCall>> calls;
  std::vector<PAT_Request> requests;
  for (int i = 0; i < 12; ++i) {
    calls.push_back(std::make_unique<OneCall>(static_cast<OneCall::Kind>(i % 4), 900, i % size(), i,
                                              MPI_COMM_WORLD, MPI_OP_NULL));
    calls.back()->start();
    requests.push_back(calls.back()->request);
  }
  requests.push_back(PAT_REQUEST_NULL);
  const int n = static_cast<int>(requests.size());
  std::set<int> seen;
  for (int i = 0; i < 6; ++i) {
    int index = -1;
    ASSERT_EQ(PAT_Waitany(n, requests.data(), &index), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_TRUE(index >= 0 && index < 12);
    ASSERT_EQ(requests[static_cast<std::size_t>(index)], PAT_REQUEST_NULL);
    ASSERT_TRUE(seen.insert(index).second);
    calls[static_cast<std::size_t>(index)]->check();
  }
  int index = -1, flag = 0;
  while (flag == 0) ASSERT_EQ(PAT_Testany(n, requests.data(), &index, &flag), MPI_SUCCESS);
  ASSERT_TRUE(seen.insert(index).second);
  flag = 0;
  while (flag == 0) ASSERT_EQ(PAT_Testall(n, requests.data(), &flag), MPI_SUCCESS);
  for (const PAT_Request request : requests) EXPECT_EQ(request, PAT_REQUEST_NULL);
  for (const auto& call : calls) call->check();
  ASSERT_EQ(PAT_Waitany(n, requests.data(), &index), MPI_SUCCESS);
  EXPECT_EQ(index, MPI_UNDEFINED);
  ASSERT_EQ(PAT_Testany(n, requests.data(), &index, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(index, MPI_UNDEFINED);
  ASSERT_EQ(PAT_Waitall(0, nullptr), MPI_SUCCESS);
  end();
}

TEST(NonBlocking, AnEndedRequestIsNoneAnyMore) {
  begin();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  OneCall call(OneCall::Kind::gather, 10, 0, 1, MPI_COMM_WORLD, MPI_OP_NULL);
  call.start();
  ASSERT_EQ(PAT_Start(call.request), MPI_ERR_REQUEST);
  int code = PAT_Request_free(&call.request), error_class = 0;
  MPI_Error_class(code, &error_class);
  EXPECT_TRUE(error_class == MPI_ERR_OTHER || error_class == MPI_SUCCESS);
  ASSERT_EQ(PAT_Wait(call.request), MPI_SUCCESS);
  call.check();
  EXPECT_EQ(PAT_Wait(call.request), MPI_ERR_REQUEST) << "it went with its call";
  EXPECT_EQ(PAT_Waitall(-1, &call.request), MPI_ERR_COUNT);
  PAT_Request none = PAT_REQUEST_NULL;
  EXPECT_EQ(PAT_Wait(none), MPI_ERR_REQUEST);
  EXPECT_EQ(PAT_Waitall(1, &none), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  end();
}

TEST(NonBlocking, OutlivesItsDatatypeAndItsCommunicator) {
  begin();
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  constexpr int count = 500;
  std::vector<int> send(count * 3, rank() + 1),
      recv(static_cast<std::size_t>(count * 3 * size()), -1);
  PAT_Request request;
  ASSERT_EQ(PAT_Igather(send.data(), count, pairs, recv.data(), count, pairs, 0, copy, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  MPI_Type_free(&pairs);
  MPI_Comm_free(&copy);
  ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS) << PAT_Error_string();
  for (int r = 0; rank() == 0 && r < size(); ++r) {
    ASSERT_EQ(recv[static_cast<std::size_t>(r * count * 3)], r + 1);
    ASSERT_EQ(recv[static_cast<std::size_t>(r * count * 3) + 1], -1) << "the gap is not touched";
  }
  end();
}

/// Processes wait for their requests in one order, and for a plain call that the library does in
/// another: whoever blocks must not keep the others' requests from going on.
TEST(NonBlocking, APlainCallOfTheLibraryDoesNotBlockARequest) {
  begin();
  ASSERT_EQ(PAT_UseAlgName("gather", "sls"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("scatter", "mpi"), MPI_SUCCESS);
  for (int i = 0; i < 5; ++i) {
    OneCall call(OneCall::Kind::gather, 5000, size() - 1, i, MPI_COMM_WORLD, MPI_OP_NULL);
    call.start();
    if (rank() == size() - 1) {
      ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS);
    }
    std::vector<int> all(static_cast<std::size_t>(size()) * 2000, i), mine(2000, -1);
    ASSERT_EQ(PAT_Scatter(all.data(), 2000, MPI_INT, mine.data(), 2000, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
    ASSERT_EQ(mine[1999], i);
    ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS);
    call.check();
    if (HasFatalFailure()) return;
  }
  end();
}

}  // namespace
}  // namespace pat
