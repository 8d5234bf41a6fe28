#include <pat/pat.h>

int main(int argc, char** argv) {
  int rank, size, sum = -1;
  MPI_Init(&argc, &argv);
  if (PAT_Init() != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PAT_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  PAT_Finalize();
  MPI_Finalize();
  return rank == 0 && sum != size * (size - 1) / 2;
}
