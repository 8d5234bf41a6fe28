// wrong_annotation all|odd|none: a program that ignores PAT's return codes and says wrongly how far
// it is, on all ranks, on the odd ones or on none. For the test cli_annotation.

#include <mpi.h>
#include <pat/pat.h>

#include <string>
#include <vector>

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 0;
  if (argc != 2) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string who = argv[1];
  const bool wrong = who == "all" || (who == "odd" && rank % 2 == 1);
  std::vector<int> mine(1000, rank), all(static_cast<std::size_t>(1000 * size));
  PAT_Init();
  for (int i = 0; i < 4; ++i) {
    PAT_ProcessingStart();
    PAT_Edge(wrong ? 50 : 0.5);
    if (!wrong) PAT_ProcessingEnd();
    PAT_Gather(mine.data(), 1000, MPI_INT, all.data(), 1000, MPI_INT, 0, MPI_COMM_WORLD);
  }
  PAT_Finalize();
  MPI_Finalize();
  return 0;
}
