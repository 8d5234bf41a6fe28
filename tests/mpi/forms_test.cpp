// Every form of every registered algorithm of every operation: what the rows and the table of calls
// list is found, called and compared with what the row promises.

#include <gtest/gtest.h>
#include <pat/pat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/operation_row.hpp"
#include "libpat/mpi/wide_sum.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/snapshot.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tools/bench/collective.hpp"

namespace pat::bench {

using namespace measure;

namespace {

using test::rank;
using test::size;

/// An operation with an operator of MPI's, or one of the program's own that does not commute.
struct Choice {
  Operation operation;
  const char* reduction;  ///< "" where there is none
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const OperationRow& one : operation_rows()) {
    all.push_back({one.operation, one.combines ? "sum" : ""});
    if (one.combines) all.push_back({one.operation, "user-ordered"});
  }
  return all;
}

class EveryForm : public testing::TestWithParam<Choice> {
 protected:
  EveryForm() : type_(find_data_type("int")) {
    if (GetParam().reduction[0] != '\0')
      op_ = std::make_unique<ReduceOp>(GetParam().reduction, type_);
  }
  void SetUp() override {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "lease_max=4"), MPI_SUCCESS) << PAT_Error_string();
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  std::string operation() const { return std::string(name(GetParam().operation)); }
  const CollectiveFunctions& functions() const { return find_collective(operation()); }
  std::unique_ptr<Workload> workload(std::uint64_t seed, std::size_t elements) const {
    return std::make_unique<Workload>(GetParam().operation,
                                      elements * type_.bytes * static_cast<std::size_t>(size()),
                                      type_, op_.get(), seed, MPI_COMM_WORLD);
  }
  int root(std::uint64_t call) const {
    return row(GetParam().operation).rooted ? static_cast<int>(call) % size() : 0;
  }
  /// Calls `body` with each algorithm in force.
  template <class Body>
  void with_each_algorithm(const Body& body) const {
    for (const std::string& algorithm : test::registered(GetParam().operation)) {
      SCOPED_TRACE(operation() + " " + algorithm);
      ASSERT_EQ(PAT_UseAlgName(operation().c_str(), algorithm.c_str()), MPI_SUCCESS);
      body();
      if (HasFatalFailure()) return;
    }
  }
  static void expect_right(const Workload& workload) {
    const auto wrong = workload.check();
    EXPECT_FALSE(wrong) << *wrong;
  }

  DataType type_;
  std::unique_ptr<ReduceOp> op_;
};

TEST_P(EveryForm, PersistentAgainAndAgain) {
  with_each_algorithm([this] {
    for (const std::size_t elements : {3, 1000}) {
      const auto data = workload(elements, elements);
      PAT_Request request = PAT_REQUEST_NULL;
      const int at = root(elements);
      data->prepare(0, at);
      ASSERT_EQ(functions().init(data->call(), &request), MPI_SUCCESS) << PAT_Error_string();
      for (std::uint64_t call = 0; call < 5; ++call) {
        data->prepare(call, at);
        ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
        if (rank() == static_cast<int>(call) % size()) test::sleep_ms(1.0);
        ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
        int flag = 0;
        for (; call % 2 == 1 && flag == 0;) ASSERT_EQ(PAT_Test(request, &flag), MPI_SUCCESS);
        ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
        expect_right(*data);
      }
      ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
    }
  });
}

TEST_P(EveryForm, NonBlockingSeveralAtOnce) {
  with_each_algorithm([this] {
    constexpr int open = 5;
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::unique_ptr<Workload> data[open];
      PAT_Request requests[open];
      for (int i = 0; i < open; ++i) {
        data[i] = workload(static_cast<std::uint64_t>(i), i % 2 ? 900 : 4);
        data[i]->prepare(round, root(round + static_cast<std::uint64_t>(i)));
        ASSERT_EQ(functions().start(data[i]->call(), &requests[i]), MPI_SUCCESS)
            << PAT_Error_string();
      }
      if (round == 1) {
        ASSERT_EQ(PAT_Waitall(open, requests), MPI_SUCCESS) << PAT_Error_string();
      } else {
        for (int ended = 0, index = 0; ended < open; ++ended)
          ASSERT_EQ(PAT_Waitany(open, requests, &index), MPI_SUCCESS) << PAT_Error_string();
      }
      for (int i = 0; i < open; ++i) {
        EXPECT_EQ(requests[i], PAT_REQUEST_NULL);
        expect_right(*data[i]);
      }
    }
  });
}

TEST_P(EveryForm, ReachesPatAndIsCounted) {
  if (size() == 1) return;
  ASSERT_EQ(PAT_UseAlgName(operation().c_str(), "auto"), MPI_SUCCESS);
  const auto data = workload(1, 4096);
  for (std::uint64_t call = 0; call < 4; ++call) {
    data->prepare(call, 0);
    ASSERT_EQ(functions().pat(data->call()), MPI_SUCCESS) << PAT_Error_string();
    expect_right(*data);
  }
  std::uint64_t calls = 0;
  for (const auto& stream : detail::take_snapshot(detail::Session::get("test")).streams)
    if (stream.key.operation == operation()) calls += stream.tally.calls();
  EXPECT_EQ(calls, 4u);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryForm, testing::ValuesIn(choices()), [](const auto& test) {
  const std::string reduction = test.param.reduction;
  return test::test_name(std::string(name(test.param.operation))) +
         (reduction.empty() ? "" : "_" + test::test_name(reduction));
});

/// What the present call of a request is run by.
std::string state_of(PAT_Request request) {
  detail::Session& session = detail::Session::get("test");
  return session.under_lock([&](detail::Locked& locked) {
    const detail::Call& call = session.requests.at(locked, request, "test");
    return call.run ? call.run->state() : "";
  });
}

TEST(Persistent, ADynamicAlgorithmRunsItsProtocol) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "min_bytes=1"), MPI_SUCCESS);
  ASSERT_EQ(PAT_UseAlgName("reduce", "local-redirect"), MPI_SUCCESS);
  std::vector<int> mine(5000, rank() + 1), sum(5000, -1);
  PAT_Request request;
  ASSERT_EQ(
      PAT_Reduce_init(mine.data(), sum.data(), 5000, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request),
      MPI_SUCCESS);
  for (int call = 0; call < 3; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS);
    if (rank() != 0) MPI_Barrier(MPI_COMM_WORLD);  // the root is there, alone
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS);
    if (rank() == 0) {
      EXPECT_NE(state_of(request).find("pieces on their way"), std::string::npos)
          << state_of(request);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS);
    if (rank() == 0) {
      EXPECT_EQ(sum[4999], size() * (size() + 1) / 2);
    }
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

/// PAT_REPRODUCIBLE holds for every operation that combines, not for reduce alone.
/// Makes `calls` calls of the operation under PAT_REPRODUCIBLE=1; at rank 0 how many of them were
/// left to the library for the sake of their bits, elsewhere 0.
std::uint64_t kept_for_their_bits(const OperationRow& one, const DataType& type, const ReduceOp& op,
                                  std::uint64_t calls) {
  Workload data(one.operation, type.bytes * 4096, type, &op, 1, MPI_COMM_WORLD);
  for (std::uint64_t call = 0; call < calls; ++call) {
    data.prepare(call, 0);
    EXPECT_EQ(find_collective(std::string(one.name)).pat(data.call()), MPI_SUCCESS);
  }
  std::uint64_t said = 0;
  if (rank() == 0)
    for (const auto& stream : detail::take_snapshot(detail::Session::get("test")).streams)
      if (stream.key.operation == std::string(one.name))
        for (const auto& reason : stream.tally.reasons.by_calls())
          if (reason.latest.starts_with("reproducible")) said += reason.calls;
  return said;
}

TEST(Reproducible, EveryOperationThatCombines) {
  if (size() < 2) return;
  const std::vector<std::pair<std::string, std::string>> depend_on_the_order = {
      {"double", "sum"}, {"float", "max"}, {"int", "user"}};
  for (const auto& [type_name, op_name] : depend_on_the_order) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=1;min_bytes=1;lease_max=1"), MPI_SUCCESS);
    const DataType type = find_data_type(type_name);
    const ReduceOp op(op_name, type);
    for (const OperationRow& one : operation_rows()) {
      if (!one.combines) continue;
      // Nobody has to say so: no call waits for a decision, the first one neither.
      const std::uint64_t kept = kept_for_their_bits(one, type, op, 4);
      if (rank() == 0) {
        EXPECT_EQ(kept, 4u) << std::string(one.name) << " of " << type_name << " by " << op_name;
      }
    }
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  }
}

// Open MPI's vector instructions stop at the largest value, its scalar ones wrap.
TEST(Reproducible, SumsOfFewBitsDependOnTheOrderWhereTheyOverflow) {
  for (MPI_Datatype type : {MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT,
                            MPI_INT8_T, MPI_INT16_T, MPI_UINT8_T, MPI_UINT16_T}) {
    EXPECT_FALSE(detail::is_exact_in_any_order(MPI_SUM, type));
    EXPECT_TRUE(detail::is_exact_in_any_order(MPI_MAX, type));
    EXPECT_TRUE(detail::is_exact_in_any_order(MPI_BXOR, type));
  }
  EXPECT_TRUE(detail::is_exact_in_any_order(MPI_SUM, MPI_INT32_T));
  EXPECT_FALSE(detail::is_exact_in_any_order(MPI_SUM, MPI_DOUBLE));
}

TEST(Reproducible, WhatHasTheSameBitsInAnyOrderMayFollowTheArrivals) {
  if (size() < 2) return;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "reproducible=1;min_bytes=1;lease_max=1"), MPI_SUCCESS);
  for (const auto& [type_name, op_name] : std::vector<std::pair<std::string, std::string>>{
           {"int", "sum"}, {"long", "max"}, {"byte", "bxor"}}) {
    const DataType type = find_data_type(type_name);
    const ReduceOp op(op_name, type);
    for (const OperationRow& one : operation_rows()) {
      if (!one.combines) continue;
      EXPECT_EQ(kept_for_their_bits(one, type, op, 4), 0u)
          << std::string(one.name) << " of " << type_name << " by " << op_name;
    }
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

}  // namespace
}  // namespace pat::bench
