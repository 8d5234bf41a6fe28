/* Records when each rank arrives at one collective, through MPI's profiling interface, without
   touching the program:

     mpicc -O2 -shared -fPIC -o librecorder.so recorder.c
     mpirun -n 4 -x LD_PRELOAD=./librecorder.so -x RECORD=MPI_Allreduce -x RECORD_FILE=run.trace \
            -x RECORD_MIN_S=1e-4 -x RECORD_ORIGIN="what was run" program

   Only calls on communicators that span all ranks count. A computing phase is the time from leaving
   one such call to entering the next; calls whose phase is on average shorter than RECORD_MIN_S
   seconds are left out, as they only follow up another one. At MPI_Finalize rank 0 writes the trace.

   RECORD_CLOCK=wall (the default): CLOCK_MONOTONIC, common to all ranks of one machine; arrivals and
   computing times are written.
   RECORD_CLOCK=cpu: for machines with fewer free cores than ranks, where wall clock times would show
   the scheduler. A phase is the processor time that the rank's thread has used outside MPI; the
   arrivals are those of ranks that start together with a core each.

   RECORD_HINT=NAME: the program decides by an MPI_Allreduce of one int with MPI_MAX whether it
   does something next (LAMMPS: 1 if the coming step rebuilds its neighbour lists). The last such
   result of 0 or 1 before a phase is what the program knows when the phase begins; it is written as the hint NAME. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_calls = 1 << 20 };

static double* entered;
static double* left;
static int* known; /* the last decision when a call was left */
static int last_known;
static int calls, ranks, rank, recording, by_cpu;
static double in_mpi_s; /* processor time spent in point-to-point calls */

static double clock_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_s(void) {
  return by_cpu ? clock_s(CLOCK_THREAD_CPUTIME_ID) - in_mpi_s : clock_s(CLOCK_MONOTONIC);
}

static const char* setting(const char* name, const char* fallback) {
  const char* value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : fallback;
}

static int counts(const char* function, MPI_Comm comm) {
  int size = 0;
  if (!recording || calls == most_calls || strcmp(setting("RECORD", "MPI_Allreduce"), function) != 0)
    return 0;
  PMPI_Comm_size(comm, &size);
  return size == ranks;
}

static void start(void) {
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  entered = malloc(sizeof(double) * most_calls);
  left = malloc(sizeof(double) * most_calls);
  known = malloc(sizeof(int) * most_calls);
  by_cpu = strcmp(setting("RECORD_CLOCK", "wall"), "cpu") == 0;
  recording = entered != NULL && left != NULL && known != NULL;
}

int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  start();
  return error;
}

int MPI_Init_thread(int* argc, char*** argv, int wanted, int* provided) {
  const int error = PMPI_Init_thread(argc, argv, wanted, provided);
  start();
  return error;
}

#define RECORDED(name, comm, call)              \
  do {                                          \
    int error;                                  \
    if (!counts(name, comm)) return call;       \
    entered[calls] = now_s();                   \
    error = call;                               \
    known[calls] = last_known;                  \
    left[calls++] = now_s();                    \
    return error;                               \
  } while (0)

static int allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int error = PMPI_Allreduce(from, to, n, type, op, comm);
  if (n == 1 && type == MPI_INT && op == MPI_MAX && (*(const int*)to & ~1) == 0)
    last_known = *(const int*)to;
  return error;
}

int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  RECORDED("MPI_Allreduce", comm, allreduce(from, to, n, type, op, comm));
}

int MPI_Reduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  RECORDED("MPI_Reduce", comm, PMPI_Reduce(from, to, n, type, op, root, comm));
}

int MPI_Alltoall(const void* from, int n, MPI_Datatype a, void* to, int m, MPI_Datatype b,
                 MPI_Comm comm) {
  RECORDED("MPI_Alltoall", comm, PMPI_Alltoall(from, n, a, to, m, b, comm));
}

int MPI_Barrier(MPI_Comm comm) { RECORDED("MPI_Barrier", comm, PMPI_Barrier(comm)); }

/* Calls in which a rank waits for another one: their processor time is no computing. */
#define EXCLUDED(call)                                              \
  do {                                                              \
    const double before_s = clock_s(CLOCK_THREAD_CPUTIME_ID);       \
    const int error = call;                                         \
    in_mpi_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - before_s;        \
    return error;                                                   \
  } while (0)

int MPI_Wait(MPI_Request* request, MPI_Status* status) { EXCLUDED(PMPI_Wait(request, status)); }

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  EXCLUDED(PMPI_Waitall(n, requests, statuses));
}

int MPI_Waitany(int n, MPI_Request requests[], int* index, MPI_Status* status) {
  EXCLUDED(PMPI_Waitany(n, requests, index, status));
}

int MPI_Send(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  EXCLUDED(PMPI_Send(from, n, type, to, tag, comm));
}

int MPI_Recv(void* to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* s) {
  EXCLUDED(PMPI_Recv(to, n, type, from, tag, comm, s));
}

int MPI_Sendrecv(const void* out, int n, MPI_Datatype a, int to, int t, void* in, int m, MPI_Datatype b,
                 int from, int u, MPI_Comm comm, MPI_Status* status) {
  EXCLUDED(PMPI_Sendrecv(out, n, a, to, t, in, m, b, from, u, comm, status));
}

/* Least and mean over the ranks of call i: the earliest start and the mean computing time. */
static void of_call(const double* all_entered, const double* all_left, int count, int i,
                    double* first_start, double* mean_computing) {
  *first_start = all_left[i - 1];
  *mean_computing = 0.0;
  for (int r = 0; r < ranks; ++r) {
    const double started = all_left[r * count + i - 1];
    if (started < *first_start) *first_start = started;
    *mean_computing += (all_entered[r * count + i] - started) / ranks;
  }
}

static void write_trace(const double* all_entered, const double* all_left, int count) {
  const char* path = setting("RECORD_FILE", "recorded.trace");
  const double least_s = atof(setting("RECORD_MIN_S", "0"));
  char part[4096];
  int kept = 0;
  snprintf(part, sizeof part, "%s.part", path);
  FILE* file = fopen(part, "w");
  if (file == NULL) {
    fprintf(stderr, "recorder: %s cannot be written\n", part);
    return;
  }
  for (int i = 1; i < count; ++i) {
    double start_s, mean_s;
    of_call(all_entered, all_left, count, i, &start_s, &mean_s);
    kept += mean_s >= least_s;
  }
  fprintf(file, "# pat-trace 1\n# P: %d\n# iterations: %d\n# unit: s\n# region: before %s\n", ranks,
          kept, setting("RECORD", "MPI_Allreduce"));
  fprintf(file, "# clock: %s\n# origin: %s\n",
          by_cpu ? "processor time outside MPI, ranks taken to start together"
                 : "CLOCK_MONOTONIC, common to all ranks of the machine",
          setting("RECORD_ORIGIN", "recorded through MPI's profiling interface"));
  for (int block = 0; block < (by_cpu ? 1 : 2); ++block) {
    fprintf(file, "# block: %s\n", block == 0 ? "arrival" : "computing");
    for (int i = 1; i < count; ++i) {
      double start_s, mean_s;
      of_call(all_entered, all_left, count, i, &start_s, &mean_s);
      if (mean_s < least_s) continue;
      for (int r = 0; r < ranks; ++r) {
        const double from_s = block == 0 && !by_cpu ? start_s : all_left[r * count + i - 1];
        fprintf(file, "%s%.7f", r > 0 ? " " : "", all_entered[r * count + i] - from_s);
      }
      fputc('\n', file);
    }
  }
  if (setting("RECORD_HINT", "")[0] != '\0') {
    fprintf(file, "# block: hint %s\n", setting("RECORD_HINT", ""));
    for (int i = 1; i < count; ++i) {
      double start_s, mean_s;
      of_call(all_entered, all_left, count, i, &start_s, &mean_s);
      if (mean_s < least_s) continue;
      for (int r = 0; r < ranks; ++r) fprintf(file, "%s%d", r > 0 ? " " : "", known[i - 1]);
      fputc('\n', file);
    }
  }
  if (fclose(file) != 0 || rename(part, path) != 0)
    fprintf(stderr, "recorder: %s cannot be written\n", path);
}

int MPI_Finalize(void) {
  if (recording) {
    int count = 0;
    double *all_entered = NULL, *all_left = NULL;
    recording = 0;
    PMPI_Allreduce(&calls, &count, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) {
      all_entered = malloc(sizeof(double) * (size_t)count * (size_t)ranks + 1);
      all_left = malloc(sizeof(double) * (size_t)count * (size_t)ranks + 1);
    }
    PMPI_Gather(entered, count, MPI_DOUBLE, all_entered, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    PMPI_Gather(left, count, MPI_DOUBLE, all_left, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0 && count > 1) write_trace(all_entered, all_left, count);
  }
  return PMPI_Finalize();
}
