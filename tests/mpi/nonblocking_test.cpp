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
#include "tests/mpi/random_call.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::Communicators;
using test::Kind;
using test::Materials;
using test::RandomCall;
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
std::uint32_t composed(std::uint32_t left, std::uint32_t right) {
  const std::uint32_t a = (left >> 16) * (right >> 16);
  const std::uint32_t b = (left >> 16) * (right & 0xffff) + (left & 0xffff);
  return (a << 16) | (b & 0xffff);
}

void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  {
    const std::lock_guard lock(operator_mutex);
    operator_threads.insert(std::this_thread::get_id());
  }
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = composed(left[i], right[i]);
}

struct Composition {
  Composition() { MPI_Op_create(compose, 0, &op); }
  ~Composition() { MPI_Op_free(&op); }
  MPI_Op op = MPI_OP_NULL;
};

/// A call that ends in any order, with buffers of its own and the result that it must have.
class OneCall {
 public:
  OneCall(const Kind& kind, std::uint32_t salt, const Materials& materials, const Communicators& on)
      : call_(kind, on, materials) {
    call_.prepare(salt);
    call_.fill();
  }
  void start() {
    ASSERT_EQ(call_.start(&request), MPI_SUCCESS)
        << PAT_Error_string() << ": " << call_.kind().describe();
  }
  void plain() {
    ASSERT_EQ(call_.plain(), MPI_SUCCESS) << PAT_Error_string() << ": " << call_.kind().describe();
    check();
  }
  void check() const { ASSERT_EQ(call_.wrong_bytes(), 0u) << call_.kind().describe(); }

  PAT_Request request = PAT_REQUEST_NULL;

 private:
  RandomCall call_;
};

Kind kind_of(Operation operation, int items, unsigned root) {
  Kind kind;
  kind.operation = operation;
  kind.form = Kind::Form::nonblocking;
  kind.items = items;
  kind.root = root;
  return kind;
}

/// Of every operation there is a few, so that PAT gets to foretell them; small ones, for thousands
/// are open at once.
std::vector<Kind> kinds_of_all(std::mt19937& random, Kind::Form form) {
  std::vector<Kind> kinds;
  for (int times = 0; times < 2; ++times)
    for (const OperationRow& row : operation_rows()) {
      kinds.push_back(Kind::draw(random, form, row.operation));
      kinds.back().items %= 400;
    }
  return kinds;
}

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

/// Keeps `calls` requests of all operations open, then ends them in an order of each rank's own,
/// with plain calls in between.
void keep_open(long calls, unsigned seed) {
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  std::mt19937 same(seed), own(seed * 1000 + static_cast<unsigned>(rank()));
  const std::vector<Kind> kinds = kinds_of_all(same, Kind::Form::nonblocking),
                          plain = kinds_of_all(same, Kind::Form::plain);
  std::uint32_t salt = 0;
  const auto plain_call = [&] {
    OneCall(plain[same() % plain.size()], ++salt, materials, on).plain();
  };
  std::vector<std::unique_ptr<OneCall>> open;
  for (long i = 0; i < calls; ++i) {
    open.push_back(std::make_unique<OneCall>(kinds[same() % kinds.size()], ++salt, materials, on));
    open.back()->start();
    if (same() % 100 == 0) plain_call();
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
    if (done % 50 == 25) plain_call();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(NonBlocking, ManyOpenAtOnceEndInAnyOrder) {
  begin("disturb=0.1");
  keep_open(from_environment("PAT_TEST_REQUESTS", 1500), 7);
  end();
}

/// Calls share tags with those long before them. One that the library has done must not keep
/// another waiting, whether the program has waited for it or not.
TEST(NonBlocking, TheLatestIsWaitedForFirst) {
  begin("min_bytes=1;lease_max=1;beta=1e-6;disturb=0.5");
  test::break_predictor([](const Forecast&) {  // so that some calls are the library's, some not
    static std::mt19937 random(static_cast<unsigned>(rank()));
    return Forecast{1e-3 * static_cast<double>(random() % 30), 0.0, 0.0, true};
  });
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  for (const OperationRow& row : operation_rows()) {
    if (row.among_neighbours()) continue;
    std::vector<std::unique_ptr<OneCall>> calls;
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      calls.push_back(std::make_unique<OneCall>(kind_of(row.operation, 1000, 0), i, materials, on));
      calls.back()->start();
    }
    for (; !calls.empty(); calls.pop_back()) {
      ASSERT_EQ(PAT_Waitall(1, &calls.back()->request), MPI_SUCCESS) << PAT_Error_string();
      calls.back()->check();
      if (HasFatalFailure()) return;
    }
  }
  end();
}

/// Operators run in the program's threads only: whoever tests one request brings the others
/// forward.
TEST(NonBlocking, RequestsWithAnOperatorMoveInTestsOfOthers) {
  for (const bool any : {false, true}) {
    begin("min_bytes=1");
    const Composition composition;
    std::vector<std::uint32_t> mine(20000, 0x10001u), all(mine.size());
    PAT_Request combining = PAT_REQUEST_NULL, barrier = PAT_REQUEST_NULL;
    ASSERT_EQ(PAT_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT32_T,
                             composition.op, MPI_COMM_WORLD, &combining),
              MPI_SUCCESS);
    if (rank() > 0) {
      ASSERT_EQ(PAT_Wait(combining), MPI_SUCCESS) << PAT_Error_string();
    }
    ASSERT_EQ(PAT_Ibarrier(MPI_COMM_WORLD, &barrier), MPI_SUCCESS);
    for (int over = 0, index = 0; !over;)
      ASSERT_EQ(any ? PAT_Testany(1, &barrier, &index, &over) : PAT_Test(barrier, &over),
                MPI_SUCCESS)
          << PAT_Error_string();
    if (rank() == 0) {
      ASSERT_EQ(PAT_Wait(combining), MPI_SUCCESS) << PAT_Error_string();
    }
    EXPECT_EQ(all,
              std::vector<std::uint32_t>(all.size(), 0x10000u + static_cast<unsigned>(size())));
    end();
  }
}

TEST(NonBlocking, EveryAlgorithmByName) {
  std::size_t most = 0;
  for (const OperationRow& row : operation_rows())
    most = std::max(most, test::registered(row.operation).size());
  for (std::size_t i = 0; i < most; ++i) {
    begin("lease_max=4");
    for (const OperationRow& row : operation_rows()) {
      const std::vector<std::string> names = test::registered(row.operation);
      ASSERT_EQ(
          PAT_UseAlgName(std::string(name(row.operation)).c_str(), names[i % names.size()].c_str()),
          MPI_SUCCESS)
          << PAT_Error_string();
    }
    keep_open(60, static_cast<unsigned>(i) + 20);
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
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  OneCall call(kind_of(Operation::gather, 3000, 0), 1, materials, on);
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
      const std::vector<std::uint32_t> mine(2000, 0x30005u + static_cast<unsigned>(rank()));
      std::vector<std::uint32_t> all(2000, 0);
      PAT_Request request = PAT_REQUEST_NULL;
      ASSERT_EQ(PAT_Ireduce(mine.data(), all.data(), 2000, MPI_UINT32_T, composition.op, i % size(),
                            MPI_COMM_WORLD, &request),
                MPI_SUCCESS)
          << PAT_Error_string();
      test::sleep_ms(3.0);  // the daemon moves what it may
      ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS) << PAT_Error_string();
      if (rank() != i % size()) continue;
      std::uint32_t expected = 0x30005u + static_cast<unsigned>(size() - 1);
      for (int r = size() - 2; r >= 0; --r)
        expected = composed(0x30005u + static_cast<unsigned>(r), expected);
      for (const std::uint32_t one : all) ASSERT_EQ(one, expected);
    }
    end();
  }
  operator_threads.erase(std::this_thread::get_id());
  EXPECT_TRUE(operator_threads.empty()) << "another thread ran the program's operator";
}

TEST(NonBlocking, AnyAndAll) {
  begin();
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  const auto& rows = operation_rows();
  std::vector<std::unique_ptr<OneCall>> calls;
  std::vector<PAT_Request> requests;
  for (unsigned i = 0; i < 12; ++i) {
    calls.push_back(std::make_unique<OneCall>(kind_of(rows[i % rows.size()].operation, 900, i), i,
                                              materials, on));
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
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  OneCall call(kind_of(Operation::gather, 10, 0), 1, materials, on);
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
  const Materials materials;
  const Communicators on(MPI_COMM_WORLD, materials);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto last = static_cast<unsigned>(size() - 1);
    OneCall call(kind_of(Operation::gather, 5000, last), i, materials, on);
    call.start();
    if (rank() == size() - 1) {
      ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS);
    }
    std::vector<int> all(static_cast<std::size_t>(size()) * 2000, static_cast<int>(i)),
        mine(2000, -1);
    ASSERT_EQ(PAT_Scatter(all.data(), 2000, MPI_INT, mine.data(), 2000, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
    ASSERT_EQ(mine[1999], static_cast<int>(i));
    ASSERT_EQ(PAT_Waitall(1, &call.request), MPI_SUCCESS);
    call.check();
    if (HasFatalFailure()) return;
  }
  end();
}

}  // namespace
}  // namespace pat
