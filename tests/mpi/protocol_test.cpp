// The agreement protocol under stress: late edges, missing edges, delayed and reordered messages,
// interleaved communicators, broken predictors. The answer must always be MPI's, and nothing hangs.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "collectives/algorithm.hpp"
#include "core/statistics.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// Gathers numbers that say who sent what in which call, and checks all of them at the root.
void gather_and_check(int count, int root, MPI_Comm comm, int call) {
  int me = 0, n = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  std::vector<int> mine(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    mine[static_cast<std::size_t>(i)] = me * 1000003 + call * 1009 + i;
  std::vector<int> all(
      me == root ? static_cast<std::size_t>(count) * static_cast<std::size_t>(n) : 0, -1);
  ASSERT_EQ(PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  if (me != root) return;
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(all[static_cast<std::size_t>(r) * static_cast<std::size_t>(count) +
                    static_cast<std::size_t>(i)],
                r * 1000003 + call * 1009 + i)
          << "call " << call << ", from rank " << r << ", element " << i;
}

class Protocol : public testing::TestWithParam<std::string> {
 protected:
  void begin(const char* config) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, config), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName("gather", GetParam().c_str()), MPI_SUCCESS);
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }
};

TEST_P(Protocol, OneRanksEdgeComesAfterEveryonesArrival) {
  begin("predictor=edge");
  for (int call = 0; call < 8; ++call) {
    const bool late = rank() == call % size();
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(late ? 25.0 : 2.0);
    ASSERT_EQ(PAT_Edge(0.9), MPI_SUCCESS);
    test::sleep_ms(late ? 3.0 : 0.2);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    gather_and_check(3000, 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Protocol, EdgesNeverOrDifferentlyOften) {
  begin("predictor=sma:5");
  for (int call = 0; call < 12; ++call) {
    const bool annotates =
        rank() % 3 != 2;  // every third rank never calls PAT's progress functions
    if (annotates) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    }
    for (int edge = 1; edge <= 4; ++edge) {
      test::sleep_ms(0.3 * (1 + rank() % 4));
      if (annotates && edge <= (rank() + call) % 4) {
        ASSERT_EQ(PAT_Edge(edge / 5.0), MPI_SUCCESS);
      }
    }
    if (annotates) {
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    }
    gather_and_check(3000, 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Protocol, MessagesHeldBackAndReordered) {
  begin("disturb=0.6;predictor=edge;lease_max=4");
  std::mt19937 random(static_cast<unsigned>(rank()));
  for (int call = 0; call < 25; ++call) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    const double half_ms = 0.1 + static_cast<double>(random() % 20) / 10.0;
    test::sleep_ms(half_ms);
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    test::sleep_ms(half_ms);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    gather_and_check(3000, call % 2 ? size() - 1 : 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Protocol, CommunicatorsInterleaved) {
  begin("disturb=0.3");
  MPI_Comm halves, pairs, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &halves);
  MPI_Comm_split(MPI_COMM_WORLD, rank() / 2, rank(), &pairs);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  PAT_Region on_halves = nullptr;
  ASSERT_EQ(PAT_Region_create(halves, "halves", &on_halves), MPI_SUCCESS);
  std::mt19937 random(7);  // the same order of calls everywhere
  for (int call = 0; call < 40; ++call) {
    const unsigned which = random() % 4;
    if (which == 0) {
      ASSERT_EQ(PAT_Region_start(on_halves), MPI_SUCCESS);
      test::sleep_ms(0.2 * (rank() % 5));
      ASSERT_EQ(PAT_Region_end(on_halves), MPI_SUCCESS);
    }
    const MPI_Comm comms[] = {halves, pairs, copy, MPI_COMM_WORLD};
    gather_and_check(2000, 0, comms[which], call);
    if (HasFatalFailure()) return;
  }
  ASSERT_EQ(PAT_Region_free(&on_halves), MPI_SUCCESS);
  MPI_Comm_free(&halves);
  MPI_Comm_free(&pairs);
  MPI_Comm_free(&copy);
}

TEST_P(Protocol, WrongForecastsCostTimeButNothingElse) {
  begin("lease_max=2");
  int call = 0;
  for (const auto& [label, filter] : test::broken_predictors) {
    test::break_predictor(filter);
    for (int i = 0; i < 6; ++i, ++call) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(0.5 * ((rank() + i) % 4));
      ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
      test::sleep_ms(0.5 * ((rank() + i) % 4));
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      gather_and_check(3000, 0, MPI_COMM_WORLD, call);
      ASSERT_FALSE(HasFatalFailure()) << label;
    }
  }
}

TEST_P(Protocol, CallsBackToBack) {
  begin("");
  for (int call = 0; call < 300; ++call) {
    gather_and_check(1500, 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Protocol, ScratchTooSmallForEarlyData) {
  begin("scratch=10k;predictor=edge");
  for (int call = 0; call < 8; ++call) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == 0 ? 10.0 : 1.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    gather_and_check(2000, 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Protocol, ExpectedCallsThatNeverCome) {
  // The daemon begins calls of a stream that the program then leaves for good.
  begin("predictor=edge");
  for (int call = 0; call < 12; ++call) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1.0 + rank() % 3);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    gather_and_check(2000 + 100 * (call / 4), 0, MPI_COMM_WORLD, call);
    if (HasFatalFailure()) return;
  }
  ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  test::sleep_ms(5.0);
  ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Gather, Protocol,
                         testing::ValuesIn(test::registered(Operation::gather, true)),
                         [](const auto& test) { return test.param; });

TEST(Daemon, BeginsTheCallBeforeALateRootArrives) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "predictor=sma:5"), MPI_SUCCESS);
  if (!detail::Session::get("test").has_daemon()) {
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
    return;
  }
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  for (int call = 0; call < 10; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == 0 ? 40.0 : 2.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    gather_and_check(5000, 0, MPI_COMM_WORLD, call);
    if (testing::Test::HasFatalFailure()) break;
  }
  if (rank() == 0) {
    std::uint64_t begun = 0;
    for (const auto& stream : detail::take_snapshot(detail::Session::get("test")).streams)
      begun += stream.tally.background_calls;
    EXPECT_GE(begun, 5u) << "of ten calls with a root that comes last";
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

/// The forecast says that rank P-1 comes first and rank 1 last; it is the other way round, and the
/// first two in the forecast come so late that only go-aheads out of turn let the others go before.
TEST(Turns, AWrongForecastDoesNotBlockTheRoot) {
  if (size() < 4) return;
  for (const char* algorithm : {"sls", "bsls"}) {
    // On fast links as many leaves may send at once as there are here: turns need slow ones.
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "predictor=sma:5;calibrate=off"), MPI_SUCCESS);
    ASSERT_EQ(PAT_UseAlgName("gather", algorithm), MPI_SUCCESS);
    detail::filter_forecasts([](const Forecast& f) {
      const double mean_s = 1e-3 * (size() - rank());
      return Forecast{mean_s, mean_s, mean_s, f.known};
    });
    constexpr int calls = 8;
    constexpr double late_ms = 60.0;
    std::vector<double> in_call_s;
    for (int call = 0; call < calls; ++call) {
      MPI_Barrier(MPI_COMM_WORLD);
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(rank() >= size() - 2 ? late_ms : rank());
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      const double arrival_s = MPI_Wtime();
      gather_and_check(5000, 0, MPI_COMM_WORLD, call);
      in_call_s.push_back(MPI_Wtime() - arrival_s);
      if (testing::Test::HasFatalFailure()) break;
    }
    // In time, last in the forecast: it need not wait for those who are late. A busy machine may
    // keep it all the same, but not in every call.
    if (rank() == 1) {
      EXPECT_LT(*std::min_element(in_call_s.begin(), in_call_s.end()), 0.5e-3 * late_ms)
          << algorithm;
    }
    if (rank() == 0) {
      std::uint64_t granted = 0;
      for (const auto& stream : detail::take_snapshot(detail::Session::get("test")).streams)
        granted += stream.tally.out_of_turn;
      EXPECT_GE(granted, static_cast<std::uint64_t>(calls) / 2) << algorithm;
    }
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  }
}

TEST(Lease, SteadyProgramsSendNothing) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "lease_max=64"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("gather", "ls"), MPI_SUCCESS);  // ignores the pattern: always stable
  for (int call = 0; call < 127; ++call) gather_and_check(1500, 0, MPI_COMM_WORLD, call);
  std::size_t before = 0, after = 0;
  before = detail::take_snapshot(detail::Session::get("test")).control_messages;
  for (int call = 0; call < 640; ++call) gather_and_check(1500, 0, MPI_COMM_WORLD, call);
  after = detail::take_snapshot(detail::Session::get("test")).control_messages;
  const std::size_t leases = 640 / 64 + 1;
  const std::size_t allowed =
      rank() == 0 ? leases * static_cast<std::size_t>(size() - 1) : 3 * leases;
  EXPECT_LE(after - before, allowed);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

}  // namespace
}  // namespace pat
