// Every registered barrier: nobody leaves before all have come, on the world and on other
// communicators, in each form, with wrong forecasts; and who does a barrier that nobody forced.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/clock.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/written.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryBarrier : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("barrier", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

/// The processes of the test are on one machine, so their clocks are one.
void expect_all_came(long long came_ns, long long left_ns, MPI_Comm comm) {
  long long last_came_ns = 0, first_left_ns = 0;
  MPI_Allreduce(&came_ns, &last_came_ns, 1, MPI_LONG_LONG, MPI_MAX, comm);
  MPI_Allreduce(&left_ns, &first_left_ns, 1, MPI_LONG_LONG, MPI_MIN, comm);
  ASSERT_LE(last_came_ns, first_left_ns) << "a process left before the last had come";
}

void meet(MPI_Comm comm = MPI_COMM_WORLD) {
  const long long came_ns = now_ns();
  ASSERT_EQ(PAT_Barrier(comm), MPI_SUCCESS) << PAT_Error_string();
  expect_all_came(came_ns, now_ns(), comm);
}

TEST_P(EveryBarrier, HoldsAllUntilTheLastHasCome) {
  for (int late = 0; late < size(); ++late)
    for (int call = 0; call < 3; ++call) {
      test::sleep_ms(rank() == late ? 2.0 : 0.0);
      meet();
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryBarrier, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call)
    for (MPI_Comm comm : {on.half, on.reversed, MPI_COMM_WORLD}) {
      test::sleep_ms((rank() + call) % 3 == 0 ? 0.5 : 0.0);
      meet(comm);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryBarrier, HoldsAllInRequestsToo) {
  PAT_Request persistent;
  ASSERT_EQ(PAT_Barrier_init(MPI_COMM_WORLD, &persistent), MPI_SUCCESS) << PAT_Error_string();
  for (int call = 0; call < 6; ++call) {
    test::sleep_ms(rank() == call % size() ? 1.0 : 0.0);
    long long came_ns = now_ns();
    PAT_Request request;
    ASSERT_EQ(PAT_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    expect_all_came(came_ns, now_ns(), MPI_COMM_WORLD);
    ASSERT_EQ(PAT_Start(persistent), MPI_SUCCESS) << PAT_Error_string();
    test::sleep_ms(rank() == call % size() ? 1.0 : 0.0);
    came_ns = now_ns();
    ASSERT_EQ(PAT_Ready(persistent), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(persistent), MPI_SUCCESS) << PAT_Error_string();
    expect_all_came(came_ns, now_ns(), MPI_COMM_WORLD);
    if (HasFatalFailure()) return;
  }
  ASSERT_EQ(PAT_Request_free(&persistent), MPI_SUCCESS) << PAT_Error_string();
}

TEST_P(EveryBarrier, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors([&](int) { meet(); });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryBarrier,
                         testing::ValuesIn(test::registered(Operation::barrier)),
                         [](const auto& test) { return test::test_name(test.param); });

/// What the report says of four barriers in a session with these settings; at rank 0.
nlohmann::json reported(const std::string& settings) {
  std::stringstream text = test::written_to(settings + ";report", [] {
    for (int call = 0; call < 4; ++call) EXPECT_EQ(PAT_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  });
  if (rank() != 0) return {};
  return nlohmann::json::parse(text).at("process").at(0).at("streams").at(0);
}

TEST(Barrier, RunsInPatWhereItsAlgorithmIsForced) {
  const nlohmann::json line = reported("alg=barrier=dissemination");
  if (rank() != 0) return;
  EXPECT_EQ(line.at("calls_by_algorithm"),
            (nlohmann::json{{size() == 1 ? "mpi" : "dissemination", 4}}));
  EXPECT_EQ(line.at("decided"), size() > 1);
}

/// It gains nothing by being decided, so it must not pay for that.
TEST(Barrier, GoesStraightToTheLibraryWhereNobodyForcesIt) {
  const nlohmann::json line = reported("min_bytes=4096");
  if (rank() != 0) return;
  EXPECT_EQ(line.at("calls_by_algorithm"), (nlohmann::json{{"mpi", 4}}));
  EXPECT_EQ(line.at("decided"), false);
  EXPECT_EQ(line.at("reasons").at(0).at("reason"),
            size() == 1 ? "mpi: one process" : "mpi: below PAT_MIN_BYTES");
}

TEST(Barrier, IsWeighedByAutoWhereNothingIsTooSmall) {
  const nlohmann::json line = reported("min_bytes=0");
  if (rank() != 0) return;
  EXPECT_EQ(line.at("decided"), size() > 1);
}

}  // namespace
}  // namespace pat
