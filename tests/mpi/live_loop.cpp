// live_loop LATE_MS [STALL_MS [spin]]: until it is killed, or for five minutes, all processes
// compute 20 ms in the region "solve" and gather at rank 0; rank 2 computes LATE_MS longer, and, in
// the 50th phase, STALL_MS longer still, asleep or not. For the tests of `pat top` and of
// PAT_WATCHDOG=auto.

#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

/// As a program that computes.
[[gnu::noinline]] void spin_for(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return 2;
  constexpr int count = 4096;
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (PAT_Init() != MPI_SUCCESS) return 1;
  PAT_Region region = PAT_REGION_DEFAULT;
  if (PAT_Region_create(MPI_COMM_WORLD, "solve", &region) != MPI_SUCCESS) return 1;
  std::vector<int> mine(count, rank), all(static_cast<std::size_t>(count * size));
  const auto half = std::chrono::milliseconds(10 + (rank == 2 ? std::atoi(argv[1]) / 2 : 0));
  const auto stall = std::chrono::milliseconds(rank == 2 && argc > 2 ? std::atoi(argv[2]) : 0);
  int phases = 0;
  const double begin_s = MPI_Wtime();
  double now_s = begin_s;
  while (now_s < begin_s + 300.0) {
    PAT_Region_start(region);
    std::this_thread::sleep_for(half);
    PAT_Region_edge(region, 0.5);
    std::this_thread::sleep_for(half);
    if (++phases == 50 && argc > 3)
      spin_for(stall);
    else if (phases == 50)
      std::this_thread::sleep_for(stall);
    PAT_Region_end(region);
    PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    now_s = MPI_Wtime();
    MPI_Bcast(&now_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  PAT_Region_free(&region);
  PAT_Finalize();
  MPI_Finalize();
}
