// pat-barriers N MS: N times all processes compute MS milliseconds and meet in a barrier. For the
// test of clocks that drift.

#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (PAT_Init() != MPI_SUCCESS) return 1;
  const auto half = std::chrono::milliseconds(std::atoi(argv[2])) / 2;
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    PAT_ProcessingStart();
    std::this_thread::sleep_for(half);
    PAT_Edge(0.5);
    std::this_thread::sleep_for(half);
    PAT_ProcessingEnd();
    PAT_Barrier(MPI_COMM_WORLD);
  }
  PAT_Finalize();
  MPI_Finalize();
}
