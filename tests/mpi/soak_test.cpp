// Randomised soak: every operation with every registered algorithm (the dynamic ones too), plain
// and persistent, roots, sizes, communicators that come and go, delays and wrong forecasts in
// random order, control messages reordered. Reductions with operations and types of MPI's and of
// the user's, also one that does not commute. Every result is checked. SOAK_CALLS sets how many
// collectives (default 2000); PAT_SOAK_SEED the seed.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "libpat/session/measurement.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;

long from_environment(const char* name, long fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : fallback;
}

int value_of(int sender, long call, int element) {
  return static_cast<int>((sender * 7919L + call * 104729L + element) % 1000003L);
}

/// One collective of the soak; the same on all ranks.
struct Call {
  long number;
  MPI_Comm comm;
  int root, count;
  unsigned variety;  ///< a random number that chooses among the forms of the collective
  int me, ranks;
};

void check_gather(const Call& c) {
  std::vector<int> mine(static_cast<std::size_t>(c.count));
  for (int i = 0; i < c.count; ++i) mine[static_cast<std::size_t>(i)] = value_of(c.me, c.number, i);
  std::vector<int> all(c.me == c.root ? static_cast<std::size_t>(c.count * c.ranks) : 0, -1);
  ASSERT_EQ(PAT_Gather(mine.data(), c.count, MPI_INT, all.data(), c.count, MPI_INT, c.root, c.comm),
            MPI_SUCCESS);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const int sender = static_cast<int>(k) / c.count, element = static_cast<int>(k) % c.count;
    ASSERT_EQ(all[k], value_of(sender, c.number, element)) << "gather, call " << c.number;
  }
}

void check_scatter(const Call& c) {
  std::vector<int> all(c.me == c.root ? static_cast<std::size_t>(c.count * c.ranks) : 0);
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = value_of(static_cast<int>(k) / c.count, c.number, static_cast<int>(k) % c.count);
  std::vector<int> mine(static_cast<std::size_t>(c.count), -1);
  ASSERT_EQ(
      PAT_Scatter(all.data(), c.count, MPI_INT, mine.data(), c.count, MPI_INT, c.root, c.comm),
      MPI_SUCCESS);
  for (int i = 0; i < c.count; ++i)
    ASSERT_EQ(mine[static_cast<std::size_t>(i)], value_of(c.me, c.number, i))
        << "scatter, call " << c.number;
}

/// Who has how much of a v-form's data.
struct Layout {
  std::vector<int> counts, displacements;
  int total = 0;
  explicit Layout(const Call& c) {
    for (int r = 0; r < c.ranks; ++r) {
      counts.push_back(static_cast<int>((r + c.number) % 3) * c.count / 2);
      displacements.push_back(total);
      total += counts.back();
    }
  }
};

void check_gatherv(const Call& c) {
  const auto [counts, displacements, total] = Layout(c);
  const int own = counts[static_cast<std::size_t>(c.me)];
  std::vector<int> mine(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) mine[static_cast<std::size_t>(i)] = value_of(c.me, c.number, i);
  std::vector<int> all(c.me == c.root ? static_cast<std::size_t>(total) : 0, -1);
  ASSERT_EQ(PAT_Gatherv(mine.data(), own, MPI_INT, all.data(), counts.data(), displacements.data(),
                        MPI_INT, c.root, c.comm),
            MPI_SUCCESS);
  if (c.me != c.root) return;
  for (int r = 0; r < c.ranks; ++r)
    for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
      ASSERT_EQ(all[static_cast<std::size_t>(displacements[static_cast<std::size_t>(r)] + i)],
                value_of(r, c.number, i))
          << "gatherv, call " << c.number;
}

void check_scatterv(const Call& c) {
  const auto [counts, displacements, total] = Layout(c);
  const int own = counts[static_cast<std::size_t>(c.me)];
  std::vector<int> all(c.me == c.root ? static_cast<std::size_t>(total) : 0);
  for (int r = 0; r < c.ranks && c.me == c.root; ++r)
    for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
      all[static_cast<std::size_t>(displacements[static_cast<std::size_t>(r)] + i)] =
          value_of(r, c.number, i);
  std::vector<int> mine(static_cast<std::size_t>(own), -1);
  ASSERT_EQ(PAT_Scatterv(all.data(), counts.data(), displacements.data(), MPI_INT, mine.data(), own,
                         MPI_INT, c.root, c.comm),
            MPI_SUCCESS);
  for (int i = 0; i < own; ++i)
    ASSERT_EQ(mine[static_cast<std::size_t>(i)], value_of(c.me, c.number, i))
        << "scatterv, call " << c.number;
}

void check_allgather(const Call& c) {
  std::vector<int> mine(static_cast<std::size_t>(c.count));
  for (int i = 0; i < c.count; ++i) mine[static_cast<std::size_t>(i)] = value_of(c.me, c.number, i);
  std::vector<int> all(static_cast<std::size_t>(c.count * c.ranks), -1);
  const bool in_place = c.variety % 2 == 0;
  if (in_place) std::copy(mine.begin(), mine.end(), all.begin() + c.me * c.count);
  ASSERT_EQ(PAT_Allgather(in_place ? MPI_IN_PLACE : mine.data(), c.count, MPI_INT, all.data(),
                          c.count, MPI_INT, c.comm),
            MPI_SUCCESS);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const int sender = static_cast<int>(k) / c.count, element = static_cast<int>(k) % c.count;
    ASSERT_EQ(all[k], value_of(sender, c.number, element)) << "allgather, call " << c.number;
  }
}

void check_allgatherv(const Call& c) {
  const auto [counts, displacements, total] = Layout(c);
  const int own = counts[static_cast<std::size_t>(c.me)];
  std::vector<int> mine(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) mine[static_cast<std::size_t>(i)] = value_of(c.me, c.number, i);
  std::vector<int> all(static_cast<std::size_t>(total), -1);
  ASSERT_EQ(PAT_Allgatherv(mine.data(), own, MPI_INT, all.data(), counts.data(),
                           displacements.data(), MPI_INT, c.comm),
            MPI_SUCCESS);
  for (int r = 0; r < c.ranks; ++r)
    for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
      ASSERT_EQ(all[static_cast<std::size_t>(displacements[static_cast<std::size_t>(r)] + i)],
                value_of(r, c.number, i))
          << "allgatherv, call " << c.number;
}

/// x -> slope x + shift modulo 2^32, in a type with a gap. Composed, such maps do not commute; with
/// slope 1 they do.
struct Map {
  unsigned slope = 1, gap = 7, shift = 0;
  bool operator==(const Map&) const = default;
};

Map compose(const Map& outer, const Map& inner) {
  return {outer.slope * inner.slope, inner.gap, outer.slope * inner.shift + outer.shift};
}

void compose_all(void* in, void* inout, int* length, MPI_Datatype*) {
  const Map* outer = static_cast<const Map*>(in);
  Map* inner = static_cast<Map*>(inout);
  for (int i = 0; i < *length; ++i) inner[i] = compose(outer[i], inner[i]);
}

/// What the soak reduces beside MPI's own types and operations.
struct MapReductions {
  MPI_Datatype ends, type;
  MPI_Op ordered, commuting;

  MapReductions() {
    MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &ends);
    MPI_Type_create_resized(ends, 0, sizeof(Map), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose_all, 0, &ordered);
    MPI_Op_create(compose_all, 1, &commuting);
  }
  ~MapReductions() {
    MPI_Op_free(&commuting);
    MPI_Op_free(&ordered);
    MPI_Type_free(&type);
    MPI_Type_free(&ends);
  }
  MapReductions(const MapReductions&) = delete;
  MapReductions& operator=(const MapReductions&) = delete;
};

/// `element_of(rank, i)` is what a process puts in; `combine` does what `op` should.
template <class T, class Element, class Combine>
void check_reduction(const Call& c, MPI_Datatype type, MPI_Op op, Element element_of,
                     Combine combine) {
  std::vector<T> mine(static_cast<std::size_t>(c.count));
  for (int i = 0; i < c.count; ++i) mine[static_cast<std::size_t>(i)] = element_of(c.me, i);
  const bool is_root = c.me == c.root, in_place = is_root && c.variety % 2 == 0;
  std::vector<T> result = in_place ? mine : std::vector<T>(is_root ? mine.size() : 0);
  ASSERT_EQ(PAT_Reduce(in_place ? MPI_IN_PLACE : mine.data(), result.data(), c.count, type, op,
                       c.root, c.comm),
            MPI_SUCCESS)
      << PAT_Error_string();
  for (int i = 0; i < c.count && is_root; ++i) {
    T expected = element_of(0, i);
    for (int r = 1; r < c.ranks; ++r) expected = combine(expected, element_of(r, i));
    ASSERT_TRUE(result[static_cast<std::size_t>(i)] == expected)
        << "reduce, call " << c.number << ", element " << i;
  }
}

/// Numbers whose sums and products are exact in any order.
template <class T>
void check_predefined(const Call& c, MPI_Datatype type) {
  struct Predefined {
    MPI_Op op;
    int values;  // 1 to so much
    T (*combine)(T, T);
  };
  const Predefined operations[] = {{MPI_SUM, 1000, [](T a, T b) { return a + b; }},
                                   {MPI_MAX, 1000, [](T a, T b) { return std::max(a, b); }},
                                   {MPI_MIN, 1000, [](T a, T b) { return std::min(a, b); }},
                                   {MPI_PROD, 3, [](T a, T b) { return a * b; }}};
  for (const unsigned call : {0u, 1u}) {
    const Predefined& operation = operations[(c.variety / 8 + call) % 4];
    check_reduction<T>(
        c, type, operation.op,
        [&](int r, int i) {
          return static_cast<T>(value_of(r, c.number, i) % operation.values + 1);
        },
        operation.combine);
  }
}

void check_maps(const Call& c, MPI_Datatype type, MPI_Op op, bool commute) {
  const auto element_of = [&](int r, int i) {
    const auto value = static_cast<unsigned>(value_of(r, c.number, i));
    return Map{.slope = commute ? 1 : value, .shift = value};
  };
  for (int call = 0; call < 2; ++call) check_reduction<Map>(c, type, op, element_of, compose);
}

/// Whether the algorithm that was chosen may run the reduction.
bool commutes(const Call& c) {
  return c.variety / 2 % 4 != 0;
}

/// Two reductions in one stream: the first of a stream does not follow the arrivals.
void check_reduce(const Call& c, const MapReductions& maps) {
  switch (c.variety / 2 % 4) {
    case 0:
      return check_maps(c, maps.type, maps.ordered, commutes(c));
    case 1:
      return check_maps(c, maps.type, maps.commuting, commutes(c));
    case 2:
      return check_predefined<int>(c, MPI_INT);
    default:
      return check_predefined<double>(c, MPI_DOUBLE);
  }
}

/// A gather or scatter in the persistent form, its own process's data handed over in two parts.
void check_persistent(const Call& c, bool gathers) {
  const auto blocks = [&](bool here) { return here ? c.count * c.ranks : 0; };
  const bool is_root = c.me == c.root;
  std::vector<int> send(static_cast<std::size_t>(gathers ? c.count : blocks(is_root)));
  std::vector<int> recv(static_cast<std::size_t>(gathers ? blocks(is_root) : c.count), -1);
  PAT_Request request = PAT_REQUEST_NULL;
  ASSERT_EQ(
      (gathers ? PAT_Gather_init : PAT_Scatter_init)(send.data(), c.count, MPI_INT, recv.data(),
                                                     c.count, MPI_INT, c.root, c.comm, &request),
      MPI_SUCCESS);
  ASSERT_EQ(PAT_Request_parts(request, 2), MPI_SUCCESS);
  for (int start = 0; start < 3; ++start) {
    ASSERT_EQ(PAT_Start(request), MPI_SUCCESS);
    for (std::size_t k = 0; k < send.size(); ++k) {
      const int block = gathers ? c.me : static_cast<int>(k) / c.count;
      send[k] = value_of(block, c.number + start, static_cast<int>(k) % c.count);
    }
    if ((c.me + start) % 2 == 0) {
      ASSERT_EQ(PAT_Pready(request, 1), MPI_SUCCESS);
    }
    ASSERT_EQ(PAT_Ready(request), MPI_SUCCESS);
    ASSERT_EQ(PAT_Wait(request), MPI_SUCCESS);
    for (std::size_t k = 0; k < recv.size(); ++k) {
      const int block = gathers ? static_cast<int>(k) / c.count : c.me;
      ASSERT_EQ(recv[k], value_of(block, c.number + start, static_cast<int>(k) % c.count))
          << "persistent, call " << c.number;
    }
  }
  ASSERT_EQ(PAT_Request_free(&request), MPI_SUCCESS);
}

/// What a predictor that is wrong in one of several ways says; changes every hundred calls.
Forecast wrong_forecast(const Forecast& forecast, long call) {
  static std::mt19937 random(static_cast<unsigned>(rank()));
  switch ((call / 100) % 6) {
    case 1:
      return {std::max(0.0, 0.01 - forecast.mean_s), 0.0, 1.0, forecast.known};
    case 2:
      return {static_cast<double>(random() % 20) * 1e-3, 0.0, 1.0, true};
    case 3:
      return {0.002, 0.002, 0.002, true};
    case 4:
      return {std::nan(""), std::nan(""), std::nan(""), true};
    case 5:
      return {-1.0, -1.0, -1.0, true};
    default:
      return forecast;
  }
}

/// The world, its halves in reversed order, and a copy; the last two are freed and made again.
struct Communicators {
  MPI_Comm all[3] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};

  void make() {
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &all[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &all[2]);
  }
  void free() {
    MPI_Comm_free(&all[1]);
    MPI_Comm_free(&all[2]);
  }
};

TEST(Soak, EveryResultIsRight) {
  const long calls = from_environment("SOAK_CALLS", 2000);
  const long seed = from_environment("PAT_SOAK_SEED", 1);
  if (rank() == 0) std::printf("soak: %ld collectives, seed %ld\n", calls, seed);
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "disturb=0.2"), MPI_SUCCESS) << PAT_Error_string();
  std::atomic<long> now{0};  // the daemon reads it
  detail::filter_forecasts([&now](const Forecast& f) { return wrong_forecast(f, now); });
  Communicators comms;
  comms.make();
  const MapReductions maps;
  std::mt19937 same(static_cast<unsigned>(seed));  // the same choices on all ranks
  std::mt19937 own(static_cast<unsigned>(seed * 1000 + rank()));
  const std::pair<const char*, Operation> operations[] = {{"gather", Operation::gather},
                                                          {"scatter", Operation::scatter},
                                                          {"reduce", Operation::reduce},
                                                          {"allgather", Operation::allgather}};
  constexpr int counts[] = {1, 97, 1501, 1501, 6007};
  std::string chosen[4];
  std::map<std::string, long> played;  // calls by operation and algorithm
  for (long number = 0; number < calls && !testing::Test::HasFatalFailure(); now = ++number) {
    if (number % 25 == 0)  // streams need some calls to get leases and begin early
      for (std::size_t o = 0; o < 4; ++o) {
        const auto& [name, operation] = operations[o];
        const auto names = test::registered(operation);  // all of them in turn
        chosen[o] = names[static_cast<std::size_t>(seed + number / 25) % names.size()];
        ASSERT_EQ(PAT_UseAlgName(name, chosen[o].c_str()), MPI_SUCCESS);
      }
    if (number % 370 == 369) {
      comms.free();
      comms.make();
    }
    Call call{
        number, comms.all[same() % 3], 0, counts[same() % 5], static_cast<unsigned>(same()), 0, 0};
    MPI_Comm_rank(call.comm, &call.me);
    MPI_Comm_size(call.comm, &call.ranks);
    // The same on all ranks of each communicator; those differ in size. The streams of a
    // communicator are few, and each root has its own: rank 0 is meant more often.
    const unsigned drawn = same();
    call.root =
        drawn % 2 == 0 ? 0 : static_cast<int>(drawn / 2 % static_cast<unsigned>(call.ranks));
    const unsigned kind = same() % 8;
    const bool annotated = own() % 4 != 0;
    if (annotated) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    }
    if (own() % 3 == 0) test::sleep_ms(static_cast<double>(own() % 30) / 10.0);
    if (annotated && own() % 2 == 0) {
      ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    }
    if (own() % 3 == 0) test::sleep_ms(static_cast<double>(own() % 30) / 10.0);
    if (annotated) {
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    }
    if (kind == 0) check_gather(call);
    if (kind == 1) check_scatter(call);
    if (kind == 2) check_gatherv(call);
    if (kind == 3) check_reduce(call, maps);
    if (kind == 4) check_persistent(call, number % 2 == 0);
    if (kind == 5) check_scatterv(call);
    if (kind == 6) check_allgather(call);
    if (kind == 7) check_allgatherv(call);
    if (kind == 0 || kind == 2) ++played["gather " + chosen[0]];
    if (kind == 1 || kind == 5) ++played["scatter " + chosen[1]];
    if (kind == 6 || kind == 7) ++played["allgather " + chosen[3]];
    if (kind == 3 && commutes(call)) played["reduce " + chosen[2]] += 2;
  }
  for (const auto& [name, operation] : operations)
    for (const std::string& algorithm : test::registered(operation))
      EXPECT_GE(played[std::string(name) + " " + algorithm], calls / 200) << algorithm;
  comms.free();
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

}  // namespace
}  // namespace pat
