// Calls that a lease leaves to the MPI library take a short way, without checks and lock: whatever
// the program does between two of them, they are counted, attributed and ended as the others are.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "collectives/algorithm.hpp"
#include "core/clock.hpp"
#include "core/trace.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/settled.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/errors.hpp"

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool handles_come_back = false;  // sanitizers keep freed memory aside
#else
constexpr bool handles_come_back = true;
#endif

}  // namespace

/// The linker puts this in the place of the library's own (see CMakeLists.txt). Once, where it is
/// told so, it fails as the library does.
namespace {
std::atomic<bool> gather_fails = false;
}  // namespace
extern "C" {
int __real_PMPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
int __wrap_PMPI_Gather(const void* send, int sendcount, MPI_Datatype sendtype, void* recv,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const int code =
      __real_PMPI_Gather(send, sendcount, sendtype, recv, recvcount, recvtype, root, comm);
  if (!gather_fails.exchange(false)) return code;
  MPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}
}

namespace pat {
namespace {

using test::rank;
using test::size;

/// `auto` takes the library whatever the forecasts say.
const std::string to_library = "gain=1;explore=0;min_bytes=1;";

constexpr int count = 1500;

/// One gather of `count` ints to rank 0, and whether it took the short way.
struct GatherCall {
  explicit GatherCall(MPI_Comm on) : comm(on) {
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    mine.resize(count);
    all.resize(static_cast<std::size_t>(count * ranks));
  }
  void run(int salt, MPI_Datatype type = MPI_INT, int elements = count) {
    std::fill(mine.begin(), mine.end(), 1000 * me + salt);
    std::fill(all.begin(), all.end(), -1);
    if (calls++ == 0) first_ns = now_ns();
    last_ns = now_ns();
    short_ways += detail::settled(arguments(type, elements)) != nullptr;
    ASSERT_EQ(PAT_Gather(mine.data(), elements, type, all.data(), elements, type, 0, comm),
              MPI_SUCCESS)
        << PAT_Error_string();
    for (std::size_t i = 0; me == 0 && i < all.size(); ++i)
      ASSERT_EQ(all[i], 1000 * (static_cast<int>(i) / count) + salt) << "element " << i;
  }
  detail::Arguments arguments(MPI_Datatype type = MPI_INT, int elements = count) {
    return {.operation = Operation::gather,
            .send = {.address = mine.data(), .count = elements, .type = type},
            .recv = {.address = all.data(), .count = elements, .type = type},
            .root = 0,
            .op = {},
            .comm = comm};
  }
  MPI_Comm comm;
  /// On a machine that is slow just now calls lie further apart, and leases are shorter.
  bool leases_are_long() const { return last_ns - first_ns < std::int64_t{1'000'000} * calls; }

  int me = 0, ranks = 0, short_ways = 0, calls = 0;
  std::int64_t first_ns = 0, last_ns = 0;
  std::vector<int> mine, all;
};

/// All calls that this session has counted, by algorithm; "static" are those without a decision.
std::map<std::string, std::uint64_t> counted() {
  const detail::Snapshot now = detail::take_snapshot(detail::Session::get("test"));
  std::map<std::string, std::uint64_t> calls = {{"static", now.static_calls}};
  for (const detail::Snapshot::Stream& stream : now.streams)
    for (const auto& [algorithm, times] : stream.tally.calls_by_algorithm)
      if (!stream.key.left_to_library) calls[algorithm] += times;
  return calls;
}

void begin(const std::string& config) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), MPI_SUCCESS) << PAT_Error_string();
}
void end() {
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

/// The same everywhere, on rank 0's disk.
std::string trace_path() {
  std::string path = testing::TempDir() + "pat-settled-" + std::to_string(getpid()) + ".trace";
  int length = static_cast<int>(path.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  path.resize(static_cast<std::size_t>(length));
  MPI_Bcast(path.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

TEST(Settled, CallsAreCountedAndTheirPhasesAttributed) {
  const std::string path = trace_path();
  for (const char* algorithm : {"auto", "mpi"}) {  // with decisions and without
    begin(to_library + "lease_max=512;trace=" + path);
    ASSERT_EQ(PAT_UseAlgName("gather", algorithm), MPI_SUCCESS);
    PAT_Region one = nullptr, two = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "one", &one), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "two", &two), MPI_SUCCESS);
    constexpr int calls = 300;
    GatherCall gather(MPI_COMM_WORLD);
    const auto is_long = [](int call) { return call % 3 == 1; };
    for (int call = 0; call < calls; ++call) {
      PAT_Region region = is_long(call) ? two : one;
      ASSERT_EQ(PAT_Region_hint(region, "number", call + 0.5 * rank()), MPI_SUCCESS);
      ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
      if (is_long(call)) test::sleep_ms(0.3);
      ASSERT_EQ(PAT_Region_end(region), MPI_SUCCESS);
      gather.run(call);
      if (testing::Test::HasFatalFailure()) return;
    }
    if (gather.leases_are_long()) {
      EXPECT_GT(gather.short_ways, calls / 4);
    }
    EXPECT_LT(gather.short_ways, calls);
    const auto all = counted();
    const bool decided = std::string(algorithm) == "auto" && size() > 1;
    EXPECT_EQ(decided ? all.at("mpi") : all.at("static"), static_cast<std::uint64_t>(calls));
    end();
    if (rank() != 0) continue;
    const Trace trace = read_trace(path);
    std::filesystem::remove(path);
    ASSERT_EQ(trace.iterations(), calls);
    ASSERT_EQ(trace.places.size(), 2u);
    ASSERT_EQ(trace.hints.size(), 1u);
    for (int call = 0; call < calls; ++call) {
      const auto place = static_cast<std::size_t>(trace.place[static_cast<std::size_t>(call)]);
      EXPECT_NE(trace.places[place].find(is_long(call) ? "after region two" : "after region one"),
                std::string::npos)
          << "call " << call << ": " << trace.places[place];
      for (int r = 0; r < size(); ++r) {
        EXPECT_EQ(trace.hints[0].value[static_cast<std::size_t>(call * size() + r)],
                  call + 0.5 * r);
        if (is_long(call)) {
          EXPECT_GE(trace.computing(call, r), 0.0003) << "call " << call;
        }
      }
      if (testing::Test::HasFailure()) break;
    }
  }
}

/// A lease of any length is taken the short way, but for every 64th call, which comes by.
TEST(Settled, LongLeasesGoOnTheShortWay) {
  begin(to_library + "lease_max=4096");
  GatherCall gather(MPI_COMM_WORLD);
  for (int call = 0; call < 1000; ++call) gather.run(call);
  if (gather.leases_are_long()) {
    EXPECT_GT(gather.short_ways, 600);
  }
  end();
}

TEST(Settled, AnotherChoiceHoldsAtOnce) {
  if (size() == 1) return;
  begin(to_library);
  GatherCall gather(MPI_COMM_WORLD);
  std::uint64_t by_ls = 0;
  for (int round = 0; round < 4; ++round) {
    ASSERT_EQ(PAT_UseAlgName("gather", round % 2 ? "auto" : "mpi"), MPI_SUCCESS);
    const int before = gather.short_ways;
    for (int call = 0; call < 80; ++call) gather.run(call);
    if (gather.leases_are_long()) {
      EXPECT_GT(gather.short_ways, before);
    }
    ASSERT_EQ(PAT_UseAlgName("gather", "ls"), MPI_SUCCESS);
    gather.run(1000);
    EXPECT_EQ(counted()["ls"], ++by_ls);
  }
  end();
}

TEST(Settled, CommunicatorsMayGoAndTheirHandlesComeBack) {
  begin(to_library);
  std::set<MPI_Comm> handles;
  constexpr int least_rounds = 12, most_rounds = 300, calls = 60;
  int rounds = 0;
  const auto is_enough = [&] {
    int missing = handles_come_back && handles.size() == static_cast<std::size_t>(rounds);
    MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return rounds >= most_rounds || (rounds >= least_rounds && missing == 0);
  };
  for (; !is_enough(); ++rounds) {
    const int round = rounds;
    MPI_Comm comm;  // in turn everybody, the other way round, halves
    MPI_Comm_split(MPI_COMM_WORLD, round % 3 == 2 ? rank() % 2 : 0, round % 3 ? -rank() : 0, &comm);
    handles.insert(comm);
    GatherCall gather(comm);
    for (int call = 0; call < calls; ++call) {
      gather.run(100 * round + call);
      if (testing::Test::HasFatalFailure()) return;
    }
    if (gather.leases_are_long()) {
      EXPECT_GT(gather.short_ways, 0);
    }
    const auto all = counted();
    const auto mine = gather.ranks == 1 ? all.at("static") : all.at("mpi");
    EXPECT_GE(mine, static_cast<std::uint64_t>(calls)) << "of the communicator that is there";
    MPI_Comm_free(&comm);
  }
  if (handles_come_back) {
    EXPECT_LT(handles.size(), static_cast<std::size_t>(rounds)) << "no handle came back: no test";
  }
  end();
}

TEST(Settled, DatatypesMayGoAndTheirHandlesComeBack) {
  begin(to_library);
  GatherCall gather(MPI_COMM_WORLD);
  std::set<MPI_Datatype> handles;
  for (int round = 0; round < 40; ++round) {
    const int pieces = 1 + round % 5;  // of `count` ints
    MPI_Datatype type;
    MPI_Type_contiguous(count / pieces, MPI_INT, &type);
    MPI_Type_commit(&type);
    handles.insert(type);
    for (int call = 0; call < 4; ++call) {
      // `pieces` is part of the arguments: the same kind of call again with another type.
      gather.run(round + call, type, pieces);
      if (testing::Test::HasFatalFailure()) return;
    }
    MPI_Type_free(&type);
  }
  EXPECT_EQ(gather.short_ways, 0) << "a derived type may be another one under the same handle";
  if (handles_come_back) {
    EXPECT_LT(handles.size(), 40u) << "no handle came back: no test";
  }
  MPI_Datatype type;
  MPI_Type_contiguous(count, MPI_INT, &type);
  EXPECT_EQ(
      PAT_Gather(gather.mine.data(), 1, MPI_INT, gather.all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD),
      MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(PAT_Gather(gather.mine.data(), 1, type, gather.all.data(), 1, type, 0, MPI_COMM_WORLD),
            MPI_ERR_TYPE)
      << "not committed";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&type);
  end();
}

class SettledErrors : public test::CatchesErrorsOfItsOwn {};

TEST_F(SettledErrors, OfTheLibraryReachTheHandlerOnce) {
  ASSERT_EQ(PAT_UseAlgName("gather", "mpi"), MPI_SUCCESS);
  GatherCall gather(comm_);
  for (int round = 0; round < 3; ++round) {
    // On a machine that is slow just now calls may be looked at in between, or each of them.
    bool all_are_short = false, calls_are_slow = false;
    for (int call = 0; call < 100 && !all_are_short; ++call) {
      const int before = gather.short_ways;
      gather.run(call);
      const int here[] = {gather.short_ways > before, gather.leases_are_long()};
      int everywhere[] = {0, 0};
      MPI_Allreduce(here, everywhere, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      all_are_short = call >= 4 && everywhere[0] != 0;
      calls_are_slow = everywhere[1] == 0;
    }
    // Then what follows holds for the long way, too.
    ASSERT_TRUE(all_are_short || calls_are_slow) << "calls are settled";
    gather_fails = rank() == round % size();
    const int code =
        PAT_Gather(gather.mine.data(), count, MPI_INT, gather.all.data(), count, MPI_INT, 0, comm_);
    ASSERT_FALSE(gather_fails) << "the library was not called";
    if (rank() != round % size()) {
      ASSERT_EQ(code, MPI_SUCCESS);
      continue;
    }
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(MPI_ERR_NO_MEM, text, &length);
    expect_class(code, MPI_ERR_NO_MEM, text);
  }
  const auto all = counted();
  EXPECT_EQ(all.at("static"), static_cast<std::uint64_t>(gather.calls + 3))
      << "the calls with errors too";
}

/// What is kept is the choice's; nothing here makes a call.
TEST(Settled, IsWhatItWasWhenTheProgramComesBackToItsAlgorithm) {
  GatherCall gather(MPI_COMM_WORLD);
  const detail::Arguments arguments = gather.arguments();
  const auto before = [] { return detail::before_deciding(Operation::gather); };
  detail::Settled one, other, undecided;
  one.until = other.until = 10;
  detail::drop_settled();
  detail::choose_settled(Operation::gather, nullptr);
  detail::keep_settled(arguments, gather.me, one, before());
  EXPECT_EQ(detail::settled(arguments), &one);

  const detail::BeforeDeciding early = before();
  detail::begin_to_choose(Operation::gather);
  detail::keep_settled(arguments, gather.me, other, early);
  detail::keep_settled(arguments, gather.me, other, before());
  EXPECT_EQ(detail::settled(arguments), nullptr) << "decided while it is chosen";
  detail::choose_settled(Operation::gather, &algorithms().front());
  EXPECT_EQ(detail::settled(arguments), nullptr) << "another algorithm";
  detail::keep_settled(arguments, gather.me, other, early);
  EXPECT_EQ(detail::settled(arguments), nullptr) << "chosen while the call was on";
  detail::keep_settled(arguments, gather.me, other, before());
  EXPECT_EQ(detail::settled(arguments), &other);

  // Whatever place it would have had.
  for (std::size_t i = 1; i < std::min<std::size_t>(algorithms().size(), 40); ++i) {
    detail::choose_settled(Operation::gather, &algorithms()[i]);
    detail::keep_settled(arguments, gather.me, undecided, before());
    EXPECT_EQ(detail::settled(arguments), nullptr) << "the next call is not settled";
  }
  detail::choose_settled(Operation::gather, nullptr);
  EXPECT_EQ(detail::settled(arguments), &one);
  detail::choose_settled(Operation::gather, &algorithms().front());
  EXPECT_EQ(detail::settled(arguments), &other);

  detail::drop_settled();
  EXPECT_EQ(detail::settled(arguments), nullptr);
  detail::choose_settled(Operation::gather, nullptr);
  EXPECT_EQ(detail::settled(arguments), nullptr);
}

/// Two regions: nobody wants forecasts of the one while its calls are settled, though the other's
/// never are.
TEST(Settled, PhasesBeforeSettledCallsWakeNobodyForOthers) {
  if (size() == 1) return;  // nothing is decided there
  begin(to_library + "recall=0");
  ASSERT_EQ(PAT_UseAlgName("scatter", "bslin"), MPI_SUCCESS);
  PAT_Region settled = nullptr, followed = nullptr;
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "settled", &settled), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "followed", &followed), MPI_SUCCESS);
  const auto wanted = [](PAT_Region region) {
    return detail::Session::get("test").regions.at(region, "test").forecast_wanted();
  };
  GatherCall gather(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(count * size())), mine(count);
  int seen = 0;
  for (int call = 0; call < 200; ++call) {
    ASSERT_EQ(PAT_Region_start(settled), MPI_SUCCESS);
    if (detail::settled(gather.arguments()) != nullptr) {
      ++seen;
      EXPECT_FALSE(wanted(settled)) << "call " << call;
    }
    ASSERT_EQ(PAT_Region_end(settled), MPI_SUCCESS);
    gather.run(call);
    ASSERT_EQ(PAT_Region_start(followed), MPI_SUCCESS);
    if (call > 0) {
      EXPECT_TRUE(wanted(followed)) << "call " << call;
    }
    ASSERT_EQ(PAT_Region_end(followed), MPI_SUCCESS);
    ASSERT_EQ(
        PAT_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, 0, MPI_COMM_WORLD),
        MPI_SUCCESS);
  }
  if (gather.leases_are_long()) {
    EXPECT_GT(seen, 0);
  }
  ASSERT_EQ(PAT_Region_free(&settled), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_free(&followed), MPI_SUCCESS);
  end();
}

TEST(Settled, TwoThreadsOnTwoCommunicators) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) return;
  begin(to_library);
  MPI_Comm comms[2];
  PAT_Region regions[2] = {};
  for (int t = 0; t < 2; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    ASSERT_EQ(PAT_Region_create(comms[t], t ? "odd" : "even", &regions[t]), MPI_SUCCESS);
  }
  constexpr int calls = 400;
  int short_ways[2] = {};
  bool leases_are_long[2] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      GatherCall gather(comms[t]);
      for (int call = 0; call < calls && !testing::Test::HasFatalFailure(); ++call) {
        ASSERT_EQ(PAT_Region_start(regions[t]), MPI_SUCCESS);
        ASSERT_EQ(PAT_Region_end(regions[t]), MPI_SUCCESS);
        gather.run(1000000 * t + call);
      }
      short_ways[t] = gather.short_ways;
      leases_are_long[t] = gather.leases_are_long();
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 2; ++t)
    if (leases_are_long[t]) {
      EXPECT_GT(short_ways[t], calls / 4);
    }
  const auto all = counted();
  EXPECT_EQ(all.at(size() > 1 ? "mpi" : "static"), 2u * calls);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  end();
}

/// Three streams with leases of their own, in random order, some taken by the library and some not;
/// each process comes by its leases' ends at other times.
TEST(Settled, ProcessesWhoseLeasesEndAtOtherTimesAgree) {
  for (const char* config : {"gain=1;explore=0;min_bytes=1;lease_max=64;disturb=0.2",
                             "min_bytes=1;lease_max=64;disturb=0.2"}) {
    begin(config);
    std::mt19937 same(11), own(static_cast<unsigned>(rank()));
    std::vector<int> all(static_cast<std::size_t>(count * size())), mine(count), sum(count);
    const int last = size() - 1;
    for (int call = 0; call < 1000; ++call) {
      if (own() % 100 == 0) test::sleep_ms(0.2 * (own() % 10));
      const unsigned kind = same() % 3;
      if (kind == 0) {
        std::fill(mine.begin(), mine.end(), call + rank());
        ASSERT_EQ(
            PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, 0, MPI_COMM_WORLD),
            MPI_SUCCESS);
        for (int r = 0; rank() == 0 && r < size(); ++r)
          ASSERT_EQ(all[static_cast<std::size_t>((r + 1) * count - 1)], call + r);
      } else if (kind == 1) {
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = call + static_cast<int>(i) / count;
        ASSERT_EQ(PAT_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, last,
                              MPI_COMM_WORLD),
                  MPI_SUCCESS);
        ASSERT_EQ(mine.back(), call + rank());
      } else {
        std::fill(mine.begin(), mine.end(), call + rank());
        ASSERT_EQ(PAT_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        if (rank() == 0) {
          ASSERT_EQ(sum.back(), size() * call + size() * last / 2);
        }
      }
    }
    std::uint64_t calls = 0;
    for (const auto& [algorithm, times] : counted()) calls += times;
    EXPECT_EQ(calls, 1000u);
    end();
  }
}

}  // namespace
}  // namespace pat
