/* different [end]: all gather a few times, and then rank 2 comes to a barrier where the others reduce,
 * or to MPI_Finalize. */

#include <mpi.h>

static void reduce(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) reduce();
  if (rank != 2)
    reduce();
  else if (argc == 1)
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
