/* different [end | recv | kinds | neighbours | blocked | crossed | early]: all gather a few times, and then
 * rank 2 comes to a barrier where the others reduce, or to MPI_Finalize, or waits for a message
 * that nobody sends. Or a program in which all is right and rank 2 is late once: after broadcasts
 * of more kinds than are told apart, or exchanges whose sizes differ between ranks that are no
 * neighbours. Or, in their first calls, rank 2 waits for a message, or in a collective on a
 * communicator of ranks 0 and 2; or rank 2 sleeps in its fourth phase. */

#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void reduce(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Ranks but 0 have other calls between, so that they take another way through PAT. */
static void many_kinds(int rank) {
  static char bytes[2000];
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &part);
  for (int i = 0; i < 700; ++i) {
    MPI_Bcast(bytes, i < 600 ? 1 + i : 1500, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int k = 1; rank != 0 && k < 9; ++k) MPI_Bcast(bytes, k, MPI_CHAR, 0, part);
  }
  MPI_Comm_free(&part);
}

/* Ranks 0 and 1 exchange; rank 2 has no neighbour, and no numbers. */
static void neighbours(int rank) {
  int mine[8] = {0}, theirs[8], neighbour = 1 - rank, has = rank < 2;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, has, &neighbour, MPI_UNWEIGHTED, has, &neighbour,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  for (int i = 0; i < 5; ++i)
    MPI_Neighbor_alltoall(mine, 8 * has, MPI_INT, theirs, 8 * has, MPI_INT, graph);
  if (rank == 2) sleep(3);
  MPI_Barrier(graph);
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && (strcmp(argv[1], "blocked") == 0 || strcmp(argv[1], "crossed") == 0)) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &part);
    MPI_Barrier(part);
    if (rank != 2)
      reduce();
    else if (argv[1][0] == 'b')
      MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Barrier(part);
  }
  for (int i = 0; argc > 1 && strcmp(argv[1], "early") == 0 && i < 4; ++i) {
    usleep(100000);
    if (i == 3 && rank == 2) sleep(60);
    reduce();
  }
  const int receives = argc > 1 && strcmp(argv[1], "recv") == 0;
  for (int i = 0; i < 20; ++i) {
    if (receives) usleep(5000);
    reduce();
  }
  if (argc > 1 && strcmp(argv[1], "kinds") == 0) {
    many_kinds(rank);
    if (rank == 2) sleep(3);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (argc > 1 && strcmp(argv[1], "neighbours") == 0)
    neighbours(rank);
  else if (rank != 2)
    reduce();
  else if (receives)
    MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (argc == 1)
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
