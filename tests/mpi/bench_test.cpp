// pat bench with real ranks: test data and checks of every operation, and the learnt clock.

#include <mpi.h>

#include <cmath>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "measure/global_clock.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tools/bench/collective.hpp"

namespace pat::bench {

using namespace measure;

namespace {

using test::rank;
using test::size;

struct Case {
  std::string operation, type, reduction;  // reduction: "" where there is none
};

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"gather", "byte", ""},       {"scatter", "double", ""},    {"bcast", "long", ""},
      {"reduce", "double", "prod"}, {"reduce", "int", "user"},    {"reduce", "int", "user-ordered"},
      {"reduce", "byte", "bxor"},   {"allreduce", "long", "min"}, {"allreduce", "int", "band"}};
  for (const OperationRow& one : operation_rows())
    if (one.has_bytes()) all.push_back({std::string(one.name), "float", one.combines ? "sum" : ""});
  return all;
}

class EveryWorkload : public testing::TestWithParam<Case> {
 protected:
  EveryWorkload() : type_(find_data_type(GetParam().type)) {
    if (!GetParam().reduction.empty())
      op_ = std::make_unique<ReduceOp>(GetParam().reduction, type_);
    workload_ = std::make_unique<Workload>(functions().operation, 8 * 5000 * size(), type_,
                                           op_.get(), 5, MPI_COMM_WORLD);
  }
  const CollectiveFunctions& functions() const { return find_collective(GetParam().operation); }
  /// Whether any rank finds its result wrong.
  bool wrong_somewhere() const {
    int wrong = workload_->check().has_value();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return wrong != 0;
  }
  DataType type_;
  std::unique_ptr<ReduceOp> op_;
  std::unique_ptr<Workload> workload_;
};

TEST_P(EveryWorkload, AcceptsTheResultOfMpi) {
  for (int root = 0; root < size(); ++root) {
    workload_->prepare(static_cast<std::uint64_t>(root), root);
    ASSERT_EQ(functions().mpi(workload_->call()), MPI_SUCCESS);
    const auto wrong = workload_->check();
    EXPECT_FALSE(wrong) << *wrong;
  }
}

TEST_P(EveryWorkload, RefusesOneWrongElementAndYesterdaysData) {
  const int root = size() - 1;
  workload_->prepare(1, root);
  const At receivers = row(functions().operation).recv->at;
  EXPECT_EQ(wrong_somewhere(), size() > 1 || has_buffer(receivers, 0, 0))
      << "nothing was communicated";
  ASSERT_EQ(functions().mpi(workload_->call()), MPI_SUCCESS);
  EXPECT_FALSE(wrong_somewhere());
  if (rank() == root && (size() > 1 || receivers != At::after_first)) {
    auto* element = static_cast<unsigned char*>(const_cast<void*>(workload_->call().recv.address));
    element[3 * type_.bytes] ^= 1;
    const auto wrong = workload_->check();
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->find("rank " + std::to_string(root)), std::string::npos) << *wrong;
    EXPECT_NE(wrong->find("index 3."), std::string::npos) << *wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryWorkload, testing::ValuesIn(cases()));

class EveryOperation : public test::Running {};

TEST_F(EveryOperation, GivesWhatItsRowPromisesWithEveryAlgorithm) {
  const DataType type = find_data_type("float");
  const ReduceOp sum("sum", type);
  int checked = 0;
  for (const OperationRow& one : operation_rows()) {
    const std::string operation(one.name);
    const CollectiveFunctions& functions = find_collective(operation);
    if (functions.pat == nullptr) continue;
    Workload workload(one.operation, 8 * 5000 * static_cast<std::size_t>(size()), type,
                      one.combines ? &sum : nullptr, 7, MPI_COMM_WORLD);
    for (const std::string& algorithm : test::registered(one.operation)) {
      ASSERT_EQ(PAT_UseAlgName(operation.c_str(), algorithm.c_str()), MPI_SUCCESS);
      for (std::uint64_t call = 0; call < 6; ++call) {
        workload.prepare(call, one.rooted && call % 2 ? size() - 1 : 0);
        ASSERT_EQ(functions.pat(workload.call()), MPI_SUCCESS) << operation << " " << algorithm;
        const auto wrong = workload.check();
        EXPECT_FALSE(wrong) << operation << " " << algorithm << ": " << *wrong;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(Workload, RefusesWhatItCannotDo) {
  const DataType real = find_data_type("float");
  EXPECT_THROW(find_data_type("complex"), Error);
  EXPECT_THROW(find_collective("alltoallx"), Error);
  EXPECT_THROW(ReduceOp("sub", real), Error);
  EXPECT_THROW(ReduceOp("band", real), Error);
  EXPECT_THROW(ReduceOp("user", real), Error);
  EXPECT_THROW(ReduceOp("sum", find_data_type("byte")), Error);
  EXPECT_THROW(Workload(Operation::gather, 1, real, nullptr, 1, MPI_COMM_WORLD), Error);
}

TEST(GlobalClock, LearntTimeAgreesWithTheTruth) {
  // All ranks run on one kernel here, so the monotonic clock is the truth.
  const GlobalClock truth(MPI_COMM_WORLD);
  ASSERT_TRUE(truth.shared());
  const GlobalClock learnt(MPI_COMM_WORLD, true);
  const double error_s = std::abs(learnt.now_s() - truth.now_s());
  const auto skew = learnt.measure_skew(MPI_COMM_WORLD);
  // Clocks of one machine agree to far better than the time between two ranks' turns on a core.
  EXPECT_LT(error_s, 0.05);
  if (rank() == 0) {
    EXPECT_LT(skew.largest_s, 0.05 + skew.precision_s);
  }
}

TEST(GlobalClock, SleepsUntilATimeAndNotLess) {
  const GlobalClock clock(MPI_COMM_WORLD, true);
  const double until_s = clock.now_s() + 0.02;
  clock.sleep_until(until_s);
  EXPECT_GE(clock.now_s(), until_s - 1e-6);
  clock.sleep_until(clock.now_s() + 1e6, [] { return true; });
}

}  // namespace
}  // namespace pat::bench
