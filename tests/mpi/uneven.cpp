// uneven ITERATIONS BASE_MS LATE_MS: all processes sleep BASE_MS and meet in a barrier; rank 2
// sleeps LATE_MS longer. Rank 0 prints the seconds that the loop took. For the test of `pat
// report`.

#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PAT_Init();
  const int sleep_ms = std::atoi(argv[2]) + (rank == 2 ? std::atoi(argv[3]) : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began_s = MPI_Wtime();
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    PAT_ProcessingStart();
    std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
    PAT_ProcessingEnd();
    if (PAT_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
  }
  if (rank == 0) std::printf("%.6f\n", MPI_Wtime() - began_s);
  PAT_Finalize();
  MPI_Finalize();
}
