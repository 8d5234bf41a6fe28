/* What PAT costs a program that was not changed: run it alone and by `pat run`, and compare. Prints
 * medians of turns: nanoseconds of calls that find what they need here, and so cost the MPI library
 * little; and the CPU time of all threads that comes with a phase of computing.
 *
 *   for with in '' 'pat run --' 'pat run --watch --'; do mpirun -n 1 $with preload_bench; done
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { calls = 2000, turns = 101 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values) {
  qsort(values, turns, sizeof(double), compare);
  return values[turns / 2];
}

static int rank;

static double cpu_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* As long as the shortest phases that PAT looks at one by one. The process sleeps, so that the CPU
 * time is the collective's and PAT's. */
static void compute(void) {
  const struct timespec time = {0, 1050000};
  nanosleep(&time, NULL);
}

static void phases(void) {
  double us[turns], sum = 0.0, all = 0.0;
  for (int t = 0; t < turns; ++t) {
    const double start = cpu_s();
    for (int i = 0; i < 10; ++i) {
      compute();
      sum += 1.0;
      MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    us[t] = 1e6 * (cpu_s() - start) / 10;
  }
  const double middle = median(us);
  if (rank == 0)
    printf("%-28s %10.1f us of CPU\n", all > 0 ? "1 ms phase and MPI_Allreduce" : "", middle);
}

#define MEASURE(name, call)                                \
  do {                                                     \
    double ns[turns];                                      \
    for (int t = 0; t < turns; ++t) {                      \
      const double start = MPI_Wtime();                    \
      for (int i = 0; i < calls; ++i) call;                \
      ns[t] = 1e9 * (MPI_Wtime() - start) / calls;         \
    }                                                      \
    const double middle = median(ns);                      \
    if (rank == 0) printf("%-28s %10.1f\n", name, middle); \
  } while (0)

int main(int argc, char** argv) {
  double in[1024] = {0}, out[8192] = {0};
  int size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) {
    MEASURE("MPI_Allreduce, 1 process",
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    MEASURE("MPI_Gather, 1 process",
            MPI_Gather(in, 8, MPI_DOUBLE, out, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    MEASURE("MPI_Alltoall, 1 process",
            MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    MEASURE("MPI_Wait of nothing", MPI_Wait(&request, MPI_STATUS_IGNORE));
    MEASURE("MPI_Sendrecv to itself", MPI_Sendrecv(in, 1, MPI_DOUBLE, 0, 1, out, 1, MPI_DOUBLE, 0,
                                                   1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    phases();
  } else {
    MEASURE("MPI_Allreduce, 8 bytes",
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    MEASURE("MPI_Gather, 8 bytes",
            MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    MEASURE("MPI_Bcast, 8 KiB", MPI_Bcast(in, 1024, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    MEASURE("MPI_Alltoall, 8 bytes",
            MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  }
  MPI_Finalize();
  return 0;
}
