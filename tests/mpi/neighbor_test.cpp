// Every registered algorithm of the operations among neighbours, on grids and graphs of MPI,
// against messages from process to process as MPI describes them: all five functions in three
// forms, blocks of unequal length and with gaps, wrong forecasts. (The library's own calls are no
// measure: Open MPI's with a request are wrong where a periodic dimension has one or two
// processes, and all of MPICH 4.0 wherever two processes have several edges: what is left to it
// there is not looked at.)

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "collectives/operation_row.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/library_faults.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

/// A communicator with a topology and what this process knows of it, by MPI's own functions. Tag t
/// of a message tells which edge of its receiver it is for where the two may be the same process.
struct Topology {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> to, from;
  bool grid = false;
  bool double_edges = false;  ///< some two processes have several
};

Topology grid(const std::string& name, const std::vector<int>& dims,
              const std::vector<int>& periods) {
  Topology made{name, MPI_COMM_NULL, {}, {}, true};
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0,
                  &made.comm);
  for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
    int before = 0, after = 0;
    MPI_Cart_shift(made.comm, d, 1, &before, &after);
    made.to.insert(made.to.end(), {before, after});
  }
  made.from = made.to;
  return made;
}

enum class Weights { none, some };

/// The same edges on all processes, a list of pairs.
Topology distributed_graph(const std::string& name, const std::vector<std::pair<int, int>>& edges,
                           Weights weights) {
  Topology made{name, MPI_COMM_NULL, {}, {}, false};
  for (const auto& [from, to] : edges) {
    if (from == rank()) made.to.push_back(to);
    if (to == rank()) made.from.push_back(from);
  }
  made.to.reserve(1);
  made.from.reserve(1);
  const std::vector<int> heavy(edges.size() + 1, 3);  // MPI asks for an address always
  const int* const weight = weights == Weights::some ? heavy.data() : MPI_UNWEIGHTED;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(made.from.size()),
                                 made.from.data(), weight, static_cast<int>(made.to.size()),
                                 made.to.data(), weight, MPI_INFO_NULL, 0, &made.comm);
  return made;
}

/// With edges to oneself, double ones and a process without any.
Topology random_graph(unsigned seed, Weights weights) {
  std::mt19937 random(seed);
  const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(size())); };
  const int isolated = size() > 2 ? any() : -1;
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < 3 * size(); ++i) {
    const int from = any(), to = i % 5 == 0 ? from : any();
    if (from == isolated || to == isolated) continue;
    edges.emplace_back(from, to);
    if (i % 4 == 0) edges.emplace_back(from, to);
  }
  return distributed_graph("random graph " + std::to_string(seed), edges, weights);
}

/// One of MPI-1's graphs; `neighbours_of(rank)`: both ways.
template <class NeighboursOf>
Topology graph(const std::string& name, const NeighboursOf& neighbours_of) {
  std::vector<int> ends, all;
  for (int r = 0; r < size(); ++r) {
    const std::vector<int> others = neighbours_of(r);
    all.insert(all.end(), others.begin(), others.end());
    ends.push_back(static_cast<int>(all.size()));
  }
  all.reserve(1);
  Topology made{name, MPI_COMM_NULL, neighbours_of(rank()), neighbours_of(rank()), false};
  MPI_Graph_create(MPI_COMM_WORLD, size(), ends.data(), all.data(), 0, &made.comm);
  return made;
}

/// Rank 0 is its centre.
Topology star() {
  return graph("star", [](int r) {
    std::vector<int> others;
    for (int other = 1; r == 0 && other < size(); ++other) others.push_back(other);
    return r == 0 ? others : std::vector<int>{0};
  });
}

/// Everybody is his own neighbour, too.
Topology double_ring() {
  return graph("double ring", [](int r) {
    const int left = (r + size() - 1) % size(), right = (r + 1) % size();
    return std::vector<int>{left, right, r, left, right};
  });
}

std::vector<Topology> topologies() {
  std::vector<int> square(2, 0);
  MPI_Dims_create(size(), 2, square.data());
  return {grid("ring", {size()}, {1}),
          grid("line", {size()}, {0}),
          grid("torus", square, {1, 1}),
          grid("tube", square, {0, 1}),
          grid("thin", {1, size()}, {1, 0}),
          random_graph(1, Weights::none),
          random_graph(2, Weights::some),
          star(),
          double_ring()};
}

bool has_doubles(std::vector<int> ranks) {
  std::erase(ranks, MPI_PROC_NULL);
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

/// For the length of a test.
struct Topologies {
  Topologies() : all(topologies()) {
    for (Topology& one : all) {
      int doubles = has_doubles(one.to) || has_doubles(one.from);
      MPI_Allreduce(MPI_IN_PLACE, &doubles, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      one.double_edges = doubles != 0;
    }
  }
  ~Topologies() {
    for (Topology& one : all) MPI_Comm_free(&one.comm);
  }
  Topologies(const Topologies&) = delete;
  Topologies& operator=(const Topologies&) = delete;
  std::vector<Topology> all;
};

enum class Function { allgather, allgatherv, alltoall, alltoallv, alltoallw };
enum class Form { plain, nonblocking, persistent };

bool is_allgather(Function function) {
  return function == Function::allgather || function == Function::allgatherv;
}

/// Ints of the block of `from` for `to`; the same on both sides, whichever edge it is.
int length(Function function, int from, int to, int call) {
  constexpr int alike = 301;
  if (function == Function::allgather || function == Function::alltoall) return alike;
  const int drawn = function == Function::allgatherv ? from : from * 3 + to * 5;
  return (drawn + call) % 4 * 57;
}

/// One side of a call: where its blocks lie, an int apart.
struct Blocks {
  std::vector<int> counts, places;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;
  std::vector<int> data;
};

constexpr int untouched = -77;

Blocks blocks(const std::vector<int>& lengths, bool gaps) {
  Blocks made;
  int place = 0;
  for (const int one : lengths) {
    made.counts.push_back(one);
    made.places.push_back(place);
    made.bytes.push_back(place * static_cast<MPI_Aint>(sizeof(int)));
    made.types.push_back(MPI_INT);
    place += one + (gaps ? 1 : 0);
  }
  for (std::vector<int>* never_null : {&made.counts, &made.places}) never_null->reserve(1);
  made.bytes.reserve(1);
  made.types.reserve(1);
  made.data.assign(static_cast<std::size_t>(place), untouched);
  made.data.reserve(1);
  return made;
}

/// What a process gives and takes in a call.
struct Exchange {
  Function function;
  const Topology* on;
  int call;
  Blocks sent, received;
};

Exchange exchange(Function function, const Topology& on, int call) {
  const bool gaps = function != Function::allgather && function != Function::alltoall;
  std::vector<int> out, in;
  for (const int to : on.to)
    out.push_back(length(function, rank(), to == MPI_PROC_NULL ? 0 : to, call));
  for (const int from : on.from)
    in.push_back(length(function, from == MPI_PROC_NULL ? 0 : from, rank(), call));
  if (is_allgather(function)) out = {length(function, rank(), 0, call)};
  Exchange made{function, &on, call, blocks(out, gaps), blocks(in, gaps)};
  for (std::size_t i = 0; i < made.sent.data.size(); ++i)
    made.sent.data[i] = rank() * 100003 + call * 1009 + static_cast<int>(i);
  return made;
}

/// The block that goes along an edge.
std::size_t block_of(const Exchange& e, std::size_t edge) {
  return is_allgather(e.function) ? 0 : edge;
}

/// What must lie in the receive buffer. On a grid a message says which edge of the receiver it is
/// for, on a graph those between two processes follow each other.
std::vector<int> expected(const Exchange& e) {
  const Topology& on = *e.on;
  std::vector<int> got = e.received.data;
  std::vector<MPI_Request> requests;
  for (std::size_t edge = 0; edge < on.from.size(); ++edge) {
    const int tag = on.grid ? static_cast<int>(edge) : 0;
    MPI_Irecv(got.data() + e.received.places[edge], e.received.counts[edge], MPI_INT, on.from[edge],
              tag, on.comm, &requests.emplace_back());
  }
  for (std::size_t edge = 0; edge < on.to.size(); ++edge) {
    const std::size_t block = block_of(e, edge);
    const int tag = on.grid ? static_cast<int>(edge ^ 1) : 0;
    MPI_Isend(e.sent.data.data() + e.sent.places[block], e.sent.counts[block], MPI_INT, on.to[edge],
              tag, on.comm, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return got;
}

#define PAT_ALL_FORMS(name, ...)                                           \
  form == Form::plain         ? PAT_Neighbor_##name(__VA_ARGS__)           \
  : form == Form::nonblocking ? PAT_Ineighbor_##name(__VA_ARGS__, request) \
                              : PAT_Neighbor_##name##_init(__VA_ARGS__, request)

int begin(Exchange& e, Form form, PAT_Request* request) {
  const void* const in = e.sent.data.data();
  void* const out = e.received.data.data();
  const Blocks &s = e.sent, &r = e.received;
  const MPI_Comm comm = e.on->comm;
  switch (e.function) {
    case Function::allgather:
      return PAT_ALL_FORMS(allgather, in, 301, MPI_INT, out, 301, MPI_INT, comm);
    case Function::allgatherv:
      return PAT_ALL_FORMS(allgatherv, in, s.counts[0], MPI_INT, out, r.counts.data(),
                           r.places.data(), MPI_INT, comm);
    case Function::alltoall:
      return PAT_ALL_FORMS(alltoall, in, 301, MPI_INT, out, 301, MPI_INT, comm);
    case Function::alltoallv:
      return PAT_ALL_FORMS(alltoallv, in, s.counts.data(), s.places.data(), MPI_INT, out,
                           r.counts.data(), r.places.data(), MPI_INT, comm);
    case Function::alltoallw:
      return PAT_ALL_FORMS(alltoallw, in, s.counts.data(), s.bytes.data(), s.types.data(), out,
                           r.counts.data(), r.bytes.data(), r.types.data(), comm);
  }
  return MPI_ERR_INTERN;
}

void run(Exchange& e, Form form) {
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(begin(e, form, &request), MPI_SUCCESS) << PAT_Error_string();
  if (form == Form::plain) return;
  if (form == Form::persistent) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS) << PAT_Error_string();
  }
  ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
  if (form == Form::persistent) {
    ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS) << PAT_Error_string();
  }
}

class EveryNeighbour : public test::Running, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    test::Running::SetUp();
    for (const OperationRow& one : operation_rows())
      if (one.among_neighbours()) {
        ASSERT_EQ(PAT_UseAlgName(std::string(one.name).c_str(), GetParam().c_str()), MPI_SUCCESS)
            << PAT_Error_string();
      }
    const bool by_library = GetParam() == "auto" || GetParam() == "mpi" || size() == 1;
    looks_at_double_edges_ = !by_library || test::library_tells_edges_apart();
  }
  bool is_looked_at(const Topology& topology) const {
    return looks_at_double_edges_ || !topology.double_edges;
  }

 private:
  bool looks_at_double_edges_ = true;
};

void compare(const Topology& on, Function function, Form form, int call) {
  Exchange e = exchange(function, on, call);
  const std::vector<int> want = expected(e), given = e.sent.data;
  run(e, form);
  ASSERT_EQ(e.received.data, want) << on.name << ", function " << static_cast<int>(function)
                                   << ", form " << static_cast<int>(form) << ", call " << call;
  ASSERT_EQ(e.sent.data, given);
}

constexpr Function all_functions[] = {Function::allgather, Function::allgatherv, Function::alltoall,
                                      Function::alltoallv, Function::alltoallw};
constexpr std::span<const Function> functions(all_functions);

TEST_P(EveryNeighbour, ReceivesWhatMpiSays) {
  const Topologies on;
  for (int call = 0; call < 3; ++call)
    for (const Topology& topology : on.all)
      for (const Function function :
           is_looked_at(topology) ? functions : std::span<const Function>())
        for (const Form form : {Form::plain, Form::nonblocking, Form::persistent}) {
          compare(topology, function, form, call);
          if (HasFatalFailure()) return;
        }
}

TEST_P(EveryNeighbour, WrongForecastsCostTimeButNothingElse) {
  const Topologies on;
  test::call_with_broken_predictors([&](int call) {
    for (const std::size_t place : {0, 2, 5}) {
      if (!is_looked_at(on.all[place])) continue;
      compare(on.all[place], Function::alltoall, Form::plain, call);
      compare(on.all[place], Function::allgatherv, Form::plain, call);
    }
  });
}

/// A call with a request before it keeps a plain one from blocking, which Open MPI's non-blocking
/// calls on a short circle must not spoil.
TEST_P(EveryNeighbour, PlainCallsAreRightBesideRequests) {
  const Topologies on;
  for (const Topology& topology : on.all)
    for (int call = 0; call < 3 && is_looked_at(topology); ++call) {
      PAT_Request request = PAT_REQUEST_NULL;
      Exchange beside = exchange(Function::alltoallv, topology, call);
      const std::vector<int> want = expected(beside);
      ASSERT_EQ(begin(beside, Form::nonblocking, &request), MPI_SUCCESS) << PAT_Error_string();
      compare(topology, Function::alltoall, Form::plain, call);
      ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS) << PAT_Error_string();
      ASSERT_EQ(beside.received.data, want) << topology.name;
      if (HasFatalFailure()) return;
    }
}

TEST_P(EveryNeighbour, LeavesGapsAlone) {
  const Topologies on;
  MPI_Datatype ends, gapped;
  MPI_Type_vector(2, 1, 2, MPI_INT, &ends);
  MPI_Type_create_resized(ends, 0, 4 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  MPI_Type_free(&ends);
  for (const Topology& topology : on.all) {
    if (!is_looked_at(topology)) continue;
    Exchange packed = exchange(Function::alltoall, topology, 1);
    packed.sent = blocks(std::vector<int>(topology.to.size(), 10), false);
    packed.received = blocks(std::vector<int>(topology.from.size(), 10), false);
    for (std::size_t i = 0; i < packed.sent.data.size(); ++i)
      packed.sent.data[i] = rank() * 1000 + static_cast<int>(i);
    const std::vector<int> want = expected(packed);
    std::vector<int> got(2 * want.size() + 1, untouched);
    ASSERT_EQ(PAT_Neighbor_alltoall(packed.sent.data.data(), 10, MPI_INT, got.data(), 5, gapped,
                                    topology.comm),
              MPI_SUCCESS)
        << PAT_Error_string();
    for (std::size_t i = 0; i < 2 * want.size(); ++i)
      ASSERT_EQ(got[i], i % 2 == 0 ? want[i / 2] : untouched) << topology.name << ", int " << i;
  }
  MPI_Type_free(&gapped);
}

/// An inter-communicator between rank 0 and the others; none where rank 0 is alone.
struct TwoGroups {
  TwoGroups() {
    if (size() == 1) return;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank() == 0 ? 0 : 1, rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank() == 0 ? 1 : 0, 0, &comm);
    MPI_Comm_free(&half);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~TwoGroups() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  TwoGroups(const TwoGroups&) = delete;
  TwoGroups& operator=(const TwoGroups&) = delete;
  MPI_Comm comm = MPI_COMM_NULL;
};

TEST(Neighbour, MistakesAreRefused) {
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int one = 0, all = 0;
  EXPECT_EQ(PAT_Neighbor_allgather(&one, 1, MPI_INT, &all, 1, MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_TOPOLOGY);
  EXPECT_NE(std::string(PAT_Error_string()).find("PAT_Neighbor_allgather: comm has no topology"),
            std::string::npos)
      << PAT_Error_string();
  const TwoGroups between;
  EXPECT_EQ(PAT_Neighbor_allgather(&one, 1, MPI_INT, &all, 1, MPI_INT, between.comm),
            between.comm == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_ERR_TOPOLOGY);
  Topology line = grid("line", {size()}, {0});
  MPI_Comm_set_errhandler(line.comm, MPI_ERRORS_RETURN);
  int two[2] = {0, 0};
  EXPECT_NE(PAT_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, two, 1, MPI_INT, line.comm),
            MPI_SUCCESS);
  EXPECT_NE(std::string(PAT_Error_string()).find("MPI_IN_PLACE"), std::string::npos)
      << PAT_Error_string();
  const int counts[2] = {1, -1}, places[2] = {0, 1};
  EXPECT_NE(PAT_Neighbor_allgatherv(&one, 1, MPI_INT, two, counts, places, MPI_INT, line.comm),
            MPI_SUCCESS);
  EXPECT_NE(std::string(PAT_Error_string()).find("recvcounts[1] is -1"), std::string::npos)
      << PAT_Error_string();
  MPI_Comm_free(&line.comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

std::vector<std::string> all_algorithms() {
  return test::registered(Operation::neighbor_alltoall);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryNeighbour, testing::ValuesIn(all_algorithms()),
                         [](const auto& test) { return test::test_name(test.param); });

}  // namespace
}  // namespace pat
