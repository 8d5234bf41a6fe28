// Every registered alltoall against MPI's own: counts, in place, types with gaps on both sides, v-
// and w-forms, sub-communicators, requests, wrong forecasts.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/written.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

class EveryAlltoall : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    ASSERT_EQ(PAT_UseAlgName("alltoall", GetParam().c_str()), MPI_SUCCESS) << PAT_Error_string();
  }
};

/// What this rank sends in a call: `count` numbers to each.
std::vector<int> numbers(int count, int ranks, int call) {
  std::vector<int> all(static_cast<std::size_t>(count * ranks));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = rank() * 1000003 + call * 101 + static_cast<int>(i) * 7;
  return all;
}

void exchange(int count, int call, bool in_place, MPI_Comm comm = MPI_COMM_WORLD) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const std::vector<int> mine = numbers(count, ranks, call);
  std::vector<int> expected(mine.size()), got(mine.size(), -1);
  if (in_place) got = mine;
  ASSERT_EQ(MPI_Alltoall(mine.data(), count, MPI_INT, expected.data(), count, MPI_INT, comm),
            MPI_SUCCESS);
  ASSERT_EQ(PAT_Alltoall(in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, got.data(), count,
                         MPI_INT, comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_EQ(got, expected) << count << " to each, call " << call << (in_place ? ", in place" : "");
}

TEST_P(EveryAlltoall, EqualsMpiForEveryCount) {
  for (const int count : {0, 1, 3, 700, 5003})
    for (int call = 0; call < 4; ++call) {
      exchange(count, call, call % 2 == 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAlltoall, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 4; ++call) {
    exchange(1003, call, false, on.half);
    exchange(1003, call, true, on.reversed);
    exchange(1003, call, false);
    if (HasFatalFailure()) return;
  }
}

/// Sends pairs that lie side by side, receives them with gaps between; then in place with gaps.
TEST_P(EveryAlltoall, LeavesTheGapsOfATypeAlone) {
  MPI_Datatype ends, gapped;
  MPI_Type_vector(2, 1, 2, MPI_INT, &ends);
  MPI_Type_create_resized(ends, 0, 4 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  // From 16 processes on the small alltoall of Open MPI 4.1 is wrong where the types of both sides
  // differ.
  const bool librarys = GetParam() == "mpi" || GetParam() == "auto";
  for (const int count : {1, 5, 700})
    for (const bool in_place : {false, true}) {
      if (librarys && !in_place && size() >= 16) continue;
      const std::vector<int> mine = numbers(2 * count, size(), count);
      std::vector<int> expected(mine.size()), got(2 * mine.size(), -9);
      for (std::size_t i = 0; in_place && i < mine.size(); ++i) got[2 * i] = mine[i];
      MPI_Alltoall(mine.data(), 2 * count, MPI_INT, expected.data(), 2 * count, MPI_INT,
                   MPI_COMM_WORLD);
      ASSERT_EQ(PAT_Alltoall(in_place ? MPI_IN_PLACE : mine.data(), 2 * count, MPI_INT, got.data(),
                             count, gapped, MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], i % 2 == 0 ? expected[i / 2] : -9) << "int " << i;
    }
  MPI_Type_free(&gapped);
  MPI_Type_free(&ends);
}

/// The blocks in place change between two starts, and are taken when they are handed over.
TEST_P(EveryAlltoall, TakesWhatLiesInPlaceWhenItIsReady) {
  constexpr int count = 1501;
  std::vector<int> buffer(static_cast<std::size_t>(count * size()));
  PAT_Request request;
  ASSERT_EQ(PAT_Alltoall_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer.data(), count, MPI_INT,
                              MPI_COMM_WORLD, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  for (int call = 0; call < 4; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    test::sleep_ms(0.5 * ((rank() + call) % 3));
    const std::vector<int> mine = numbers(count, size(), call);
    std::vector<int> expected(mine.size());
    buffer = mine;
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    MPI_Alltoall(mine.data(), count, MPI_INT, expected.data(), count, MPI_INT, MPI_COMM_WORLD);
    ASSERT_EQ(buffer, expected) << "call " << call;
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

/// Blocks of a v- or w-form: how many ints each pair exchanges, the same both ways, some none.
int between(int a, int b, int call, int most) {
  return ((a + b) * 7 + a * b * 3 + call) % 4 * most / 3;
}

/// One side of a v- or w-form: blocks of ints apart from each other.
struct Side {
  std::vector<int> counts, places, values;
  std::vector<MPI_Datatype> types;

  /// `step`: ints from one that counts to the next.
  Side(const std::vector<int>& ints, int step) {
    int place = 1;
    for (const int count : ints) {
      counts.push_back(count);
      places.push_back(place);
      place += count * step + 2;
    }
    values.assign(static_cast<std::size_t>(place), -9);
  }
};

/// The two v-forms against MPI's, in all forms; `apart`: each int is received with one of room
/// behind.
struct Varying {
  std::vector<int> ints;
  MPI_Datatype apart;

  Varying(int most, int call, MPI_Datatype apart_type) : apart(apart_type) {
    for (int other = 0; other < size(); ++other) ints.push_back(between(rank(), other, call, most));
  }

  void v_form(int call, bool in_place) const {
    Side mine(ints, 1), expected(ints, 1), got(ints, 1);
    fill(mine, call);
    MPI_Alltoallv(mine.values.data(), mine.counts.data(), mine.places.data(), MPI_INT,
                  expected.values.data(), expected.counts.data(), expected.places.data(), MPI_INT,
                  MPI_COMM_WORLD);
    if (in_place) got.values = mine.values;
    ASSERT_EQ(PAT_Alltoallv(in_place ? MPI_IN_PLACE : mine.values.data(), mine.counts.data(),
                            mine.places.data(), MPI_INT, got.values.data(), got.counts.data(),
                            got.places.data(), MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(got.values, expected.values) << "call " << call << (in_place ? ", in place" : "");
  }

  /// Types that differ from block to block, displacements in bytes; as a request, whose arrays of
  /// types are gone when it is waited for.
  void w_form(int call, bool in_place) const {
    Side mine(ints, 2), got(ints, 2);
    for (Side* side : {&mine, &got})
      for (int other = 0; other < size(); ++other) {
        const bool other_way = side == &mine && !in_place;
        side->types.push_back((other + rank() + other_way) % 2 == 0 ? MPI_INT : apart);
        side->places[static_cast<std::size_t>(other)] *= static_cast<int>(sizeof(int));
      }
    fill(mine, call);
    std::vector<int> expected = in_place ? mine.values : got.values;  // gaps stay as they are
    for (int other = 0; other < size(); ++other)
      for (int i = 0; i < ints[static_cast<std::size_t>(other)]; ++i)
        expected[index(got, other, i)] = value(other, rank(), i, call);
    if (in_place) got.values = mine.values;
    const void* const from = in_place ? MPI_IN_PLACE : mine.values.data();
    if (call % 2 == 0) {
      ASSERT_EQ(PAT_Alltoallw(from, mine.counts.data(), mine.places.data(), mine.types.data(),
                              got.values.data(), got.counts.data(), got.places.data(),
                              got.types.data(), MPI_COMM_WORLD),
                MPI_SUCCESS)
          << PAT_Error_string();
    } else {
      PAT_Request request;
      ASSERT_EQ(PAT_Ialltoallw(from, mine.counts.data(), mine.places.data(), mine.types.data(),
                               got.values.data(), got.counts.data(), got.places.data(),
                               got.types.data(), MPI_COMM_WORLD, &request),
                MPI_SUCCESS)
          << PAT_Error_string();
      mine.types.assign(mine.types.size(), MPI_DATATYPE_NULL);
      got.types.assign(got.types.size(), MPI_DATATYPE_NULL);
      ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    }
    ASSERT_EQ(got.values, expected) << "call " << call << (in_place ? ", in place" : "");
  }

 private:
  static int value(int from, int to, int i, int call) {
    return from * 1000003 + to * 10007 + call * 101 + i * 7;
  }
  static std::size_t index(const Side& side, int other, int i) {
    const auto o = static_cast<std::size_t>(other);
    const int step = side.types.empty() || side.types[o] == MPI_INT ? 1 : 2;
    const int place = side.types.empty() ? side.places[o] : side.places[o] / 4;
    return static_cast<std::size_t>(place + i * step);
  }
  void fill(Side& side, int call) const {
    for (int other = 0; other < size(); ++other)
      for (int i = 0; i < ints[static_cast<std::size_t>(other)]; ++i)
        side.values[index(side, other, i)] = value(rank(), other, i, call);
  }
};

class EveryVaryingAlltoall : public EveryAlltoall {
 protected:
  void SetUp() override {
    EveryAlltoall::SetUp();
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart_);
    MPI_Type_commit(&apart_);
  }
  void TearDown() override {
    MPI_Type_free(&apart_);
    EveryAlltoall::TearDown();
  }
  MPI_Datatype apart_ = MPI_DATATYPE_NULL;
};

TEST_P(EveryVaryingAlltoall, EqualsMpi) {
  for (const int most : {0, 3, 60, 4500})
    for (int call = 0; call < 4; ++call) {
      const Varying blocks(most, call, apart_);
      blocks.v_form(call, call % 2 == 1);
      blocks.w_form(call, call / 2 == 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryVaryingAlltoall, KeepsItsTypesAndTakesFreshDataInAPersistentCall) {
  const Varying blocks(700, 1, apart_);
  Side mine(blocks.ints, 1), got(blocks.ints, 1), expected(blocks.ints, 1);
  MPI_Datatype pair;
  MPI_Type_contiguous(1, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(size()), pair);
  std::vector<int> places = mine.places;
  for (int& place : places) place *= static_cast<int>(sizeof(int));
  PAT_Request request;
  ASSERT_EQ(PAT_Alltoallw_init(mine.values.data(), mine.counts.data(), places.data(), types.data(),
                               got.values.data(), got.counts.data(), places.data(), types.data(),
                               MPI_COMM_WORLD, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  MPI_Type_free(&pair);
  types.assign(types.size(), MPI_DATATYPE_NULL);
  for (int call = 0; call < 4; ++call) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    test::sleep_ms(0.5 * ((rank() + call) % 3));
    for (std::size_t i = 0; i < mine.values.size(); ++i)
      mine.values[i] = rank() * 1000003 + call * 101 + static_cast<int>(i);
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
    MPI_Alltoallv(mine.values.data(), mine.counts.data(), mine.places.data(), MPI_INT,
                  expected.values.data(), expected.counts.data(), expected.places.data(), MPI_INT,
                  MPI_COMM_WORLD);
    ASSERT_EQ(got.values, expected.values) << "call " << call;
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

/// Calls that begin one after another, some when the program has freed their communicator.
TEST_P(EveryVaryingAlltoall, InPlaceOutlivesItsCommunicator) {
  constexpr std::size_t calls = 4;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::vector<Side> mine, got;
  std::vector<PAT_Request> requests(calls, PAT_REQUEST_NULL);
  for (std::size_t call = 0; call < calls; ++call) {
    const Varying blocks(700, static_cast<int>(call), apart_);
    mine.emplace_back(blocks.ints, 1);
    for (std::size_t i = 0; i < mine[call].values.size(); ++i)
      mine[call].values[i] = rank() * 1000003 + static_cast<int>(call * 10007 + i);
  }
  got = mine;
  for (std::size_t call = 0; call < calls; ++call)
    ASSERT_EQ(PAT_Ialltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, got[call].values.data(),
                             got[call].counts.data(), got[call].places.data(), MPI_INT, copy,
                             &requests[call]),
              MPI_SUCCESS)
        << PAT_Error_string();
  MPI_Comm_free(&copy);
  ASSERT_EQ(PAT_Waitall(static_cast<int>(calls), requests.data()), MPI_SUCCESS)
      << PAT_Error_string();
  for (std::size_t call = 0; call < calls; ++call) {
    std::vector<int> expected = mine[call].values;
    MPI_Alltoallv(mine[call].values.data(), mine[call].counts.data(), mine[call].places.data(),
                  MPI_INT, expected.data(), mine[call].counts.data(), mine[call].places.data(),
                  MPI_INT, MPI_COMM_WORLD);
    ASSERT_EQ(got[call].values, expected) << "call " << call;
  }
}

TEST_P(EveryAlltoall, WrongForecastsCostTimeButNothingElse) {
  test::call_with_broken_predictors([&](int i) {
    exchange(2001, i, i == 3);
    Varying(3000, i, MPI_DATATYPE_NULL).v_form(i, i == 2);
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryVaryingAlltoall,
                         testing::ValuesIn(test::registered(Operation::alltoall)),
                         [](const auto& test) { return test::test_name(test.param); });

INSTANTIATE_TEST_SUITE_P(Registered, EveryAlltoall,
                         testing::ValuesIn(test::registered(Operation::alltoall)),
                         [](const auto& test) { return test::test_name(test.param); });

/// A grid on which each process has more neighbours (itself, again and again) than there are
/// processes.
MPI_Comm long_grid() {
  std::vector<int> lengths(static_cast<std::size_t>(size() + 2), 1),
      periodic(static_cast<std::size_t>(size() + 2), 1);
  lengths[0] = size();
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, size() + 2, lengths.data(), periodic.data(), 0, &grid);
  return grid;
}

/// As many types as there are processes, and behind them what is none.
std::vector<MPI_Datatype> types_and_rubbish(MPI_Datatype type) {
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(3 * size() + 4));
  std::memset(static_cast<void*>(types.data()), 1, types.size() * sizeof(MPI_Datatype));
  std::fill_n(types.begin(), size(), type);
  return types;
}

/// Open MPI goes through a type for each neighbour.
TEST(Alltoall, OfTypesReadsNoMoreTypesThanThereAreProcesses) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "alg=mpi"), MPI_SUCCESS) << PAT_Error_string();
  MPI_Comm grid = long_grid();
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const std::vector<MPI_Datatype> types = types_and_rubbish(pair);
  std::vector<int> counts(static_cast<std::size_t>(size()), 1), places(counts);
  for (int other = 0; other < size(); ++other)
    places[static_cast<std::size_t>(other)] = other * 2 * static_cast<int>(sizeof(int));
  const std::vector<int> mine = numbers(2, size(), 0);
  std::vector<int> expected(mine.size()), asked(mine.size()), plain(mine.size());
  MPI_Alltoall(mine.data(), 1, pair, expected.data(), 1, pair, grid);
  PAT_Request request;
  ASSERT_EQ(PAT_Ialltoallw(mine.data(), counts.data(), places.data(), types.data(), asked.data(),
                           counts.data(), places.data(), types.data(), grid, &request),
            MPI_SUCCESS)
      << PAT_Error_string();
  ASSERT_EQ(PAT_Alltoallw(mine.data(), counts.data(), places.data(), types.data(), plain.data(),
                          counts.data(), places.data(), types.data(), grid),
            MPI_SUCCESS)
      << PAT_Error_string();
  MPI_Type_free(&pair);
  ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
  EXPECT_EQ(asked, expected);
  EXPECT_EQ(plain, expected);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  MPI_Comm_free(&grid);
}

/// What the report says of four alltoalls of 40 kB in a session with these settings; at rank 0.
nlohmann::json reported(const std::string& settings) {
  std::stringstream text = test::written_to(settings + ";report", [] {
    std::vector<int> mine(static_cast<std::size_t>(10000 * size()), rank()), theirs(mine);
    for (int call = 0; call < 4; ++call)
      EXPECT_EQ(
          PAT_Alltoall(mine.data(), 10000, MPI_INT, theirs.data(), 10000, MPI_INT, MPI_COMM_WORLD),
          MPI_SUCCESS);
  });
  if (rank() != 0) return {};
  return nlohmann::json::parse(text).at("process").at(0).at("streams").at(0);
}

/// No order of the arrivals gains much of an alltoall (docs/collectives.md), and deciding costs.
TEST(Alltoall, StaysWithTheLibraryUntilAutoIsAskedFor) {
  if (size() == 1) return;
  const nlohmann::json unasked = reported("min_bytes=0");
  const nlohmann::json asked = reported("min_bytes=0;alg=alltoall=auto");
  const nlohmann::json everywhere = reported("min_bytes=0;alg=auto");
  if (rank() != 0) return;
  EXPECT_EQ(unasked.at("decided"), false);
  EXPECT_EQ(unasked.at("calls_by_algorithm"), (nlohmann::json{{"mpi", 4}}));
  EXPECT_EQ(unasked.at("reasons").at(0).at("reason"),
            "mpi: arrivals decide little here, auto may be asked for by name");
  EXPECT_EQ(asked.at("decided"), true);
  EXPECT_EQ(everywhere.at("decided"), true);
}

}  // namespace
}  // namespace pat
