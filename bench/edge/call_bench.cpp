// What a PAT call adds to MPI's own when prediction cannot help: MPI_Gather and PAT_Gather under a
// leased decision for `mpi`, in turn, and what the caller waited for decisions. One call after the
// other, and single ones after a program's data has gone through the caches, as between the calls
// of a solver; those are timed on rank 1, which sends its block and does not wait.
//
//   mpirun -n 2 build/release/bin/call_bench [BLOCK_BYTES]

#include <mpi.h>
#include <pat/pat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/statistics.hpp"

namespace {

constexpr int calls_a_turn = 500;
constexpr int turns = 201;
constexpr int cold_calls = 2001;
constexpr std::size_t cache_bytes = std::size_t{16} << 20;  // more than a core has for itself
const char* const report_file = "call_bench-report.json";

template <class Call>
double microseconds_a_call(const Call& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  for (int i = 0; i < calls_a_turn; ++i) call();
  return 1e6 * (MPI_Wtime() - start_s) / calls_a_turn;
}

/// What a program does between its calls: no line of theirs stays near.
void compute() {
  static std::vector<unsigned char> data(cache_bytes);
  for (std::size_t i = 0; i < data.size(); i += 64) ++data[i];
}

template <class Call>
double microseconds_of_a_cold_call(const Call& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  compute();
  const double start_s = MPI_Wtime();
  call();
  return 1e6 * (MPI_Wtime() - start_s);
}

/// The library's and ours, in turn.
struct Microseconds {
  std::vector<double> library, ours;
};

void print(const char* how, const Microseconds& us) {
  std::vector<double> added;
  for (std::size_t i = 0; i < us.ours.size(); ++i) added.push_back(us.ours[i] - us.library[i]);
  std::printf("%-10s %12.3f %22.3f %8.3f\n", how, pat::median(us.library), pat::median(us.ours),
              pat::median(added));
}

/// Rank 0 gets what rank 1 has measured.
void take_from_rank_1(Microseconds& us, int rank) {
  const int count = static_cast<int>(us.library.size());
  for (std::vector<double>* values : {&us.library, &us.ours})
    if (rank == 1)
      MPI_Send(values->data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
      MPI_Recv(values->data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Microseconds a call that rank 0 waited for decisions, from the report.
double waited_for_decisions() {
  std::ifstream file(report_file);
  const auto report = nlohmann::json::parse(file);
  std::remove(report_file);
  double waited_s = 0.0, calls = 0.0;
  for (const auto& stream : report["process"][0]["streams"]) {
    waited_s += stream["waited_for_decisions_s"].get<double>();
    calls += stream["calls"].get<double>();
  }
  return 1e6 * waited_s / calls;
}

}  // namespace

int main(int argc, char** argv) {
  const int bytes = argc > 1 ? std::atoi(argv[1]) : 4096;
  int level = MPI_THREAD_SINGLE, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (bytes < 1 || ranks < 2) {
    std::fprintf(stderr, "usage: mpirun -n P call_bench [BLOCK_BYTES], P at least 2\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const std::string config = std::string("min_bytes=1;report=") + report_file;
  if (PAT_Init_comm(MPI_COMM_WORLD, config.c_str()) != MPI_SUCCESS) {
    std::fprintf(stderr, "call_bench: %s\n", PAT_Error_string());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::vector<char> block(static_cast<std::size_t>(bytes)), whole(block.size() * ranks);
  const auto library = [&] {
    MPI_Gather(block.data(), bytes, MPI_CHAR, whole.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  };
  const auto ours = [&] {
    PAT_Gather(block.data(), bytes, MPI_CHAR, whole.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  };
  Microseconds warm, cold;
  for (int turn = 0; turn < turns; ++turn) {
    warm.library.push_back(microseconds_a_call(library));
    warm.ours.push_back(microseconds_a_call(ours));
  }
  for (int call = 0; call < cold_calls; ++call) {
    cold.library.push_back(microseconds_of_a_cold_call(library));
    cold.ours.push_back(microseconds_of_a_cold_call(ours));
  }
  take_from_rank_1(cold, rank);
  PAT_Finalize();
  if (rank == 0) {
    std::printf("%d ranks, %d bytes a block, %d turns of %d calls, %d single ones\n", ranks, bytes,
                turns, calls_a_turn, cold_calls);
    std::printf("median us    MPI_Gather  PAT_Gather, auto, leased    added\n");
    print("warm", warm);
    print("cold", cold);
    std::printf("waited for decisions, mean us a call: %.3f\n", waited_for_decisions());
  }
  MPI_Finalize();
  return 0;
}
