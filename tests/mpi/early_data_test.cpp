// Data that lands before a process arrives, with every algorithm that says so. The process that
// receives does not arrive until its daemon has all that is for it, and all others have left the
// call where they need nothing of it: an algorithm whose data waits for the arrival fails here,
// however fast the machine is.

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"
#include "libpat/session/session.hpp"
#include "tests/mpi/random_call.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::Kind;
using test::Materials;
using test::RandomCall;
using test::rank;
using test::size;

/// "I have left the call", to one rank from all others.
class Departures {
 public:
  explicit Departures(int to) : to_(to) {
    if (rank() != to) return;
    said_.assign(static_cast<std::size_t>(size()), MPI_REQUEST_NULL);
    for (int from = 0; from < size(); ++from)
      if (from != to)
        MPI_Irecv(nullptr, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                  &said_[static_cast<std::size_t>(from)]);
  }
  void say() const { MPI_Send(nullptr, 0, MPI_BYTE, to_, 0, MPI_COMM_WORLD); }
  bool all_said() {
    int all = 0;
    MPI_Testall(static_cast<int>(said_.size()), said_.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }
  void wait_for_all() {
    MPI_Waitall(static_cast<int>(said_.size()), said_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  int to_;
  std::vector<MPI_Request> said_;
};

/// How far the daemon is with the call for which this process has not arrived, in words; nothing if
/// it has not begun it.
std::optional<std::string> begun_early(const Kind& kind) {
  detail::Session& session = detail::Session::get("test");
  return session.under_lock([&](detail::Locked& locked) -> std::optional<std::string> {
    for (const auto& [handle, request] : session.requests.all(locked))
      if (request->run) return request->run->state();
    const int root = row(kind.operation).rooted ? static_cast<int>(kind.root) : 0;
    for (const auto& [id, twin] : session.twins.all(locked))
      for (const auto& stream : twin->streams())
        if (stream->ahead && stream->signature.operation == kind.operation &&
            stream->signature.root == root)
          return stream->ahead->state();
    return std::nullopt;
  });
}

/// Whether the other processes can leave the call before the late one arrives: where every process
/// hands in a part for all, they wait for its part.
bool others_can_leave(const Kind& kind) {
  const OperationRow& operation = row(kind.operation);
  return operation.send->at != At::everywhere || operation.recv->at != At::everywhere;
}

/// Waits outside of the call until nothing is left to receive; says what is, if that does not end.
std::string what_does_not_come(const Kind& kind, Departures& departures) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    std::string missing =
        !others_can_leave(kind) || departures.all_said() ? "" : "others are in the call still; ";
    const auto begun = begun_early(kind);
    if (!begun)
      missing += "the daemon has not begun it";
    else if (begun->find("recv from") != std::string::npos)
      missing += *begun;
    if (missing.empty() || std::chrono::steady_clock::now() > end) return missing;
    test::sleep_ms(0.2);
  }
}

/// One call for which rank `late` comes last: if `data_comes_early`, when nothing is left to
/// receive.
void call_with_one_late(RandomCall& call, PAT_Request* request, int late, bool data_comes_early) {
  MPI_Barrier(MPI_COMM_WORLD);
  Departures departures(late);
  ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  if (request != nullptr) {
    ASSERT_EQ(PAT_Start(*request), MPI_SUCCESS) << PAT_Error_string();
  }
  std::string missing;
  if (rank() == late && data_comes_early) missing = what_does_not_come(call.kind(), departures);
  ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
  if (request != nullptr) {
    ASSERT_EQ(PAT_Ready(*request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(*request), MPI_SUCCESS) << PAT_Error_string();
  } else {
    ASSERT_EQ(call.plain(), MPI_SUCCESS) << PAT_Error_string();
  }
  rank() == late ? departures.wait_for_all() : departures.say();
  EXPECT_EQ(missing, "") << call.kind().describe() << ", rank " << late << " late";
  EXPECT_EQ(call.wrong_bytes(), 0u) << call.kind().describe() << ", rank " << late << " late";
}

/// Whether all processes can go on; one alone that stops would be waited for.
bool all_are_right() {
  int right = testing::Test::HasFailure() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return right != 0;
}

class EarlyData : public testing::TestWithParam<const Algorithm*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "predictor=last;lease_max=4"), MPI_SUCCESS)
        << PAT_Error_string();
    const std::string operation(name(GetParam()->operation));
    ASSERT_EQ(PAT_UseAlgName(operation.c_str(), GetParam()->name.c_str()), MPI_SUCCESS)
        << PAT_Error_string();
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  /// Each rank to which data can come early is late twice, first against the forecast.
  void each_is_late(Kind::Form form, int root, unsigned choice) {
    const Materials materials;
    Kind kind;
    kind.operation = GetParam()->operation;
    kind.form = form;
    // More than is sent without asking; where each gets a block from all, that comes from each.
    kind.items = others_can_leave(kind) ? 20000 : 40000 / size();
    // Among neighbours the grid, on which everybody has some.
    kind.root = row(kind.operation).among_neighbours() ? 0 : static_cast<unsigned>(root);
    kind.choice = choice;
    const test::Communicators on(MPI_COMM_WORLD, materials);
    RandomCall call(kind, on, materials);
    PAT_Request request = PAT_REQUEST_NULL;
    PAT_Request* const persistent = form == Kind::Form::persistent ? &request : nullptr;
    if (persistent != nullptr) {
      ASSERT_EQ(call.init(persistent), MPI_SUCCESS) << PAT_Error_string();
    }
    std::uint32_t salt = 0;
    for (const auto& [late, data_comes_early] : plan(root)) {
      call.prepare(++salt);
      call.fill();
      call_with_one_late(call, persistent, late, data_comes_early);
      if (!all_are_right()) break;
    }
    if (persistent != nullptr) {
      ASSERT_EQ(PAT_Request_free(persistent), MPI_SUCCESS);
    }
  }

 private:
  /// Who is late in which call. The first ones show PAT what follows the computing phase.
  std::vector<std::pair<int, bool>> plan(int root) const {
    std::vector<std::pair<int, bool>> calls = {{root, false}, {root, false}, {root, false}};
    const bool to_root = row(GetParam()->operation).recv->at == At::root;
    for (int late = 0; late < size(); ++late)
      if ((late == root) == to_root) calls.insert(calls.end(), 2, {late, true});
    return calls;
  }
};

TEST_P(EarlyData, IsHereBeforeThePlainCall) {
  for (const int root : std::set{0, size() - 1})
    for (const unsigned choice : {0u, 2u, 11u}) {  // of ints, with gaps, with gaps on one side
      each_is_late(Kind::Form::plain, root, choice);
      if (!all_are_right()) return;
    }
}

TEST_P(EarlyData, IsHereBeforeTheRequestIsReady) {
  for (const int root : std::set{0, size() - 1})
    for (const unsigned choice : {0u, 2u, 11u}) {
      each_is_late(Kind::Form::persistent, root, choice);
      if (!all_are_right()) return;
    }
}

std::vector<const Algorithm*> that_move_early() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.background && row(algorithm.operation).lands_early) list.push_back(&algorithm);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, EarlyData, testing::ValuesIn(that_move_early()),
                         [](const auto& test) {
                           return test::test_name(std::string(name(test.param->operation))) + "_" +
                                  test::test_name(test.param->name);
                         });

}  // namespace
}  // namespace pat
