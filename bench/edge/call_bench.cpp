// What a PAT call adds to MPI's own when prediction cannot help: MPI_Gather and PAT_Gather under a
// leased decision for `mpi`, in turn, and what the caller waited for decisions.
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
const char* const report_file = "call_bench-report.json";

template <class Call>
double microseconds_a_call(const Call& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  for (int i = 0; i < calls_a_turn; ++i) call();
  return 1e6 * (MPI_Wtime() - start_s) / calls_a_turn;
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
  std::vector<double> library_us, ours_us, added_us;
  for (int turn = 0; turn < turns; ++turn) {
    library_us.push_back(microseconds_a_call(library));
    ours_us.push_back(microseconds_a_call(ours));
    added_us.push_back(ours_us.back() - library_us.back());
  }
  PAT_Finalize();
  if (rank == 0) {
    std::printf("%d ranks, %d bytes a block, %d turns of %d calls, microseconds a call\n", ranks,
                bytes, turns, calls_a_turn);
    std::printf("%-38s %8.3f\n", "MPI_Gather, median", pat::median(library_us));
    std::printf("%-38s %8.3f\n", "PAT_Gather, auto, leased, median", pat::median(ours_us));
    std::printf("%-38s %8.3f\n", "added, median of the turns", pat::median(added_us));
    std::printf("%-38s %8.3f\n", "waited for decisions, mean", waited_for_decisions());
  }
  MPI_Finalize();
  return 0;
}
