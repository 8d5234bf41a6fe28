// Every registered allgather against MPI's own, in each form: counts, derived types with gaps, in
// place, blocks that differ, segments that cut elements, sub-communicators, parts, annotated
// phases.

#include <algorithm>
#include <numeric>
#include <vector>

#include "collectives/algorithm.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

enum class Form { plain, nonblocking, persistent };
constexpr Form forms[] = {Form::plain, Form::nonblocking, Form::persistent};

/// Elements of a type and the memory from one to the next, ints; `lead` of it before the address.
struct Kind {
  MPI_Datatype type;
  int ints, extent, lead = 0;
};

/// Types of 2 and 6 ints, the program's for the length of a test.
struct Types {
  MPI_Datatype six, gapped_six, swapped_two, gapped_two, negative_two;

  Types() {
    MPI_Datatype gaps, two;
    MPI_Type_contiguous(6, MPI_INT, &six);
    MPI_Type_vector(3, 2, 4, MPI_INT, &gaps);  // 6 ints in 10
    MPI_Type_create_resized(gaps, 0, 12 * sizeof(int), &gapped_six);
    const int lengths[] = {1, 1}, reversed[] = {1, 0}, apart[] = {1, 3}, before[] = {-2};
    MPI_Type_indexed(2, lengths, reversed, MPI_INT, &swapped_two);
    MPI_Type_create_indexed_block(2, 1, apart, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 5 * sizeof(int), &gapped_two);  // gaps on all sides
    MPI_Type_create_indexed_block(1, 2, before, MPI_INT, &negative_two);
    for (MPI_Datatype* type : {&six, &gapped_six, &swapped_two, &gapped_two, &negative_two})
      MPI_Type_commit(type);
    MPI_Type_free(&gaps);
    MPI_Type_free(&two);
  }
  ~Types() {
    for (MPI_Datatype* type : {&six, &gapped_six, &swapped_two, &gapped_two, &negative_two})
      MPI_Type_free(type);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  std::vector<Kind> all() const {
    return {{MPI_INT, 1, 1},     {six, 6, 6},        {gapped_six, 6, 12},
            {swapped_two, 2, 2}, {gapped_two, 2, 5}, {negative_two, 2, 2, 2}};
  }
};

/// How many ints each rank gives, and where its block begins in the receive buffer, in elements of
/// the receiving type.
struct Layout {
  bool varies = false;
  std::vector<int> ints, counts, displacements;
  int elements = 0;  ///< of room

  static Layout equal(int ranks, int ints, const Kind& recv) {
    Layout layout;
    for (int r = 0; r < ranks; ++r) layout.add(ints, recv, 0);
    return layout;
  }
  /// Counts that change with `salt`, some of them 0; blocks in reverse order with gaps.
  static Layout varying(int ranks, int salt, int unit, const Kind& recv) {
    Layout layout;
    layout.varies = true;
    for (int r = 0; r < ranks; ++r) layout.add((r * 5 + salt) % 4 * unit, recv, 1);
    for (int& displacement : layout.displacements)
      displacement = layout.elements - displacement -
                     layout.counts[&displacement - layout.displacements.data()];
    return layout;
  }
  /// All that there is lies at one rank.
  static Layout one_alone(int ranks, int owner, int ints, const Kind& recv) {
    Layout layout;
    layout.varies = true;
    for (int r = 0; r < ranks; ++r) layout.add(r == owner ? ints : 0, recv, 0);
    return layout;
  }

 private:
  void add(int more, const Kind& recv, int gap) {
    ints.push_back(more);
    counts.push_back(more / recv.ints);
    displacements.push_back(elements);
    elements += counts.back() + gap;
  }
};

/// One allgather's arguments but for the receive buffer.
struct Call {
  const void* source;
  int count;
  MPI_Datatype send_type;
  const Layout& layout;
  MPI_Datatype recv_type;
  MPI_Comm comm;

  int mpi(void* to) const {
    return layout.varies
               ? MPI_Allgatherv(source, count, send_type, to, layout.counts.data(),
                                layout.displacements.data(), recv_type, comm)
               : MPI_Allgather(source, count, send_type, to, layout.counts[0], recv_type, comm);
  }
  int plain(void* to) const {
    return layout.varies
               ? PAT_Allgatherv(source, count, send_type, to, layout.counts.data(),
                                layout.displacements.data(), recv_type, comm)
               : PAT_Allgather(source, count, send_type, to, layout.counts[0], recv_type, comm);
  }
  int start(void* to, PAT_Request* request) const {
    return layout.varies ? PAT_Iallgatherv(source, count, send_type, to, layout.counts.data(),
                                           layout.displacements.data(), recv_type, comm, request)
                         : PAT_Iallgather(source, count, send_type, to, layout.counts[0], recv_type,
                                          comm, request);
  }
  int init(void* to, PAT_Request* request) const {
    return layout.varies
               ? PAT_Allgatherv_init(source, count, send_type, to, layout.counts.data(),
                                     layout.displacements.data(), recv_type, comm, request)
               : PAT_Allgather_init(source, count, send_type, to, layout.counts[0], recv_type, comm,
                                    request);
  }
};

void run_persistent(const Call& call, void* to) {
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(call.init(to, &request), MPI_SUCCESS) << PAT_Error_string();
  for (int start = 0; start < 3; ++start) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
}

void run(Form form, const Call& call, void* to) {
  if (form == Form::persistent) return run_persistent(call, to);
  if (form == Form::plain) {
    ASSERT_EQ(call.plain(to), MPI_SUCCESS) << PAT_Error_string();
    return;
  }
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(call.start(to, &request), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Waitall(1, &request), MPI_SUCCESS) << PAT_Error_string();
}

constexpr int margin = 4;  // ints before and after, which must stay as they are

/// With PAT and with MPI, of the same data into equally filled buffers; compares all memory.
void compare(Form form, const Kind& send, const Kind& recv, const Layout& layout, int salt,
             bool in_place = false, MPI_Comm comm = MPI_COMM_WORLD) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const auto mine = static_cast<std::size_t>(me);
  const int count = layout.ints[mine] / send.ints;
  std::vector<int> data(static_cast<std::size_t>(count * send.extent + 2 * margin));
  std::iota(data.begin(), data.end(), 100000 * me + 1000 * salt);
  std::vector<int> expected(static_cast<std::size_t>(layout.elements * recv.extent + 2 * margin),
                            -7);
  if (in_place)  // what lies in the own block is what is sent
    std::iota(expected.begin() + margin + layout.displacements[mine] * recv.extent,
              expected.begin() + margin +
                  (layout.displacements[mine] + layout.counts[mine]) * recv.extent,
              100000 * me + 1000 * salt);
  std::vector<int> got = expected;
  const Call call{in_place ? MPI_IN_PLACE : data.data() + margin + send.lead,
                  count,
                  send.type,
                  layout,
                  recv.type,
                  comm};
  ASSERT_EQ(call.mpi(expected.data() + margin + recv.lead), MPI_SUCCESS);
  run(form, call, got.data() + margin + recv.lead);
  ASSERT_EQ(expected, got) << "form " << static_cast<int>(form) << ", salt " << salt
                           << (in_place ? ", in place" : "");
}

/// An algorithm, and how it is to be cut.
struct Choice {
  std::string algorithm, config;
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const std::string& name : test::registered(Operation::allgather)) {
    all.push_back({name, ""});
    const Algorithm* algorithm = find_algorithm(Operation::allgather, name);
    if (algorithm != nullptr && algorithm->tune != nullptr) all.push_back({name, "segments=7"});
  }
  return all;
}

class EveryAllgather : public testing::TestWithParam<Choice> {
 protected:
  void SetUp() override {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, GetParam().config.c_str()), MPI_SUCCESS)
        << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName("allgather", GetParam().algorithm.c_str()), MPI_SUCCESS)
        << PAT_Error_string();
  }
  void TearDown() override { ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string(); }

  const Kind ints_{MPI_INT, 1, 1};
};

TEST_P(EveryAllgather, EqualsMpiForEveryCount) {
  for (const Form form : forms)
    for (const int count : {0, 1, 3, 1000, 20000}) {
      const Layout layout = Layout::equal(size(), count, ints_);
      for (int call = 0; call < 3; ++call) compare(form, ints_, ints_, layout, call);
      compare(form, ints_, ints_, layout, 9, true);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAllgather, EqualsMpiForDerivedTypes) {
  const Types types;
  int call = 0;
  for (const int ints : {6, 6000})  // a seventh of it begins and ends within elements
    for (const Kind& send : types.all())
      for (const Kind& recv : types.all()) {
        compare(forms[call % 3], send, recv, Layout::equal(size(), ints, recv), call,
                call / 3 % 2 == 1);
        if (HasFatalFailure()) return;
        ++call;
      }
}

TEST_P(EveryAllgather, EqualsMpiForBlocksThatDiffer) {
  const Types types;
  const std::vector<Kind> kinds = types.all();
  for (std::size_t salt = 0; salt < 12; ++salt)
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Kind &send = kinds[k], &recv = kinds[(k + salt) % kinds.size()];
      const Layout layout =
          Layout::varying(size(), static_cast<int>(salt), salt % 2 ? 6 : 1200, recv);
      compare(forms[(k + salt) % 3], send, recv, layout, static_cast<int>(salt), k % 2 == 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryAllgather, EqualsMpiWhereOneRankHasAll) {
  for (const Form form : forms)
    for (int owner = 0; owner < size(); ++owner)
      for (const int ints : {0, 1, 5000}) {
        compare(form, ints_, ints_, Layout::one_alone(size(), owner, ints, ints_), owner);
        if (HasFatalFailure()) return;
      }
}

TEST_P(EveryAllgather, WorksOnSubCommunicatorsInterleaved) {
  const test::SubCommunicators on;
  for (int call = 0; call < 6; ++call) {
    const Form form = forms[call % 3];
    compare(form, ints_, ints_, Layout::equal(on.half_size, 2000, ints_), call, false, on.half);
    compare(form, ints_, ints_, Layout::varying(size(), call, 500, ints_), call, false,
            on.reversed);
    compare(form, ints_, ints_, Layout::equal(size(), 2000, ints_), call);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryAllgather, FollowsAnnotatedPhases) {
  const Layout equal = Layout::equal(size(), 5000, ints_);
  for (int iteration = 0; iteration < 12; ++iteration) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(1.0 + (rank() * 7 + iteration) % 5);
    for (int edge = 1; edge <= rank() % 3; ++edge) ASSERT_EQ(PAT_Edge(edge / 4.0), MPI_SUCCESS);
    test::sleep_ms(1.0 + rank() % 2);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    compare(Form::plain, ints_, ints_, equal, iteration);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EveryAllgather, WrongForecastsCostTimeButNothingElse) {
  const Layout equal = Layout::equal(size(), 4001, ints_);
  test::call_with_broken_predictors(
      [&](int i) { compare(Form::plain, ints_, ints_, equal, i, i == 3); });
}

/// Of a persistent call's send buffer two parts are ready before the rest; the receive buffer is
/// handed over long before that on some ranks.
TEST_P(EveryAllgather, TakesItsOwnBlockInParts) {
  constexpr int ints = 3000;
  const Types types;
  for (const Kind& kind : types.all()) {
    const Layout layout = Layout::equal(size(), ints, kind);
    const int room = ints / kind.ints * kind.extent + 2 * margin;
    std::vector<int> data(static_cast<std::size_t>(room)),
        got(static_cast<std::size_t>(layout.elements * kind.extent + 2 * margin), -7), expected;
    const Call call{data.data() + margin + kind.lead,
                    ints / kind.ints,
                    kind.type,
                    layout,
                    kind.type,
                    MPI_COMM_WORLD};
    PAT_Request request = PAT_REQUEST_NULL;
    ASSERT_EQ(call.init(got.data() + margin + kind.lead, &request), MPI_SUCCESS);
    ASSERT_EQ(PAT_Request_parts(request, 3), MPI_SUCCESS) << PAT_Error_string();
    for (int start = 0; start < 4; ++start) {
      std::fill(got.begin(), got.end(), -7);
      expected = got;
      ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
      if ((rank() + start) % 3 == 0) test::sleep_ms(2.0);
      std::iota(data.begin(), data.end(), 100000 * rank() + 1000 * start);
      for (const int part : {2, 0}) ASSERT_EQ(PAT_Pready(request, part), MPI_SUCCESS);
      if ((rank() + start) % 3 == 1) test::sleep_ms(2.0);
      ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
      ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
      ASSERT_EQ(call.mpi(expected.data() + margin + kind.lead), MPI_SUCCESS);
      ASSERT_EQ(expected, got) << "start " << start;
    }
    ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryAllgather, testing::ValuesIn(choices()),
                         [](const auto& test) {
                           return test::test_name(test.param.algorithm) +
                                  (test.param.config.empty() ? "" : "_cut");
                         });

}  // namespace
}  // namespace pat
