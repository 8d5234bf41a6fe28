/* Uneven work: how long Collatz sequences are, in blocks that rank 0 hands out. Round after round each
 * worker takes as many numbers as it is given, and the numbers differ in what they cost; what it takes
 * depends on how many steps the last block had, which PAT is told as a hint. Rank 0 computes nothing, so
 * it comes first to the gather; PAT lets it take the blocks in the order of arrival.
 *
 *     mpicc -O2 master_worker.c $(pkg-config --cflags --libs pat) -o master_worker
 *     PAT_REPORT=stderr mpirun -n 4 ./master_worker
 */
#include <pat/pat.h>
#include <stdio.h>
#include <stdlib.h>

enum { numbers = 2000, rounds = 20 };

static int length_of(unsigned long number) {
  int steps = 0;
  for (; number != 1; ++steps) number = number % 2 ? 3 * number + 1 : number / 2;
  return steps;
}

int main(int argc, char** argv) {
  int provided, rank, ranks, lengths[numbers] = {0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (PAT_Init() != MPI_SUCCESS) {
    if (rank == 0) fprintf(stderr, "%s\n", PAT_Error_string());
    MPI_Finalize();
    return 1;
  }
  unsigned long* firsts = malloc(sizeof(unsigned long) * ranks);
  int* all = malloc(sizeof(int) * ranks * numbers);
  unsigned long next = 1, longest = 1;
  int most = 0;
  for (int round = 0; round < rounds; ++round) {
    unsigned long first;
    /* The master has no numbers of its own: block r is worker r's. */
    for (int r = 1; rank == 0 && r < ranks; ++r, next += numbers) firsts[r] = next;
    PAT_Scatter(firsts, 1, MPI_UNSIGNED_LONG, &first, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    if (rank > 0) {
      PAT_ProcessingStart();
      PAT_Hint("first", (double)first); /* later numbers have longer sequences */
      for (int i = 0; i < numbers; ++i) {
        lengths[i] = length_of(first + i);
        if (i % (numbers / 4) == 0) PAT_Progress(i, numbers);
      }
      PAT_ProcessingEnd();
    }
    PAT_Gather(lengths, numbers, MPI_INT, all, numbers, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < ranks; ++r)
      for (int i = 0; i < numbers; ++i)
        if (all[r * numbers + i] > most) {
          most = all[r * numbers + i];
          longest = firsts[r] + i;
        }
  }
  if (rank == 0) printf("of %lu numbers %lu has the longest sequence, %d steps\n", next - 1, longest, most);
  free(firsts), free(all);
  PAT_Finalize();
  MPI_Finalize();
  return 0;
}
