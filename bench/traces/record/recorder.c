/* Records when each rank arrives at collectives, through MPI's profiling interface, without
   touching the program:

     mpicc -O2 -shared -fPIC -o librecorder.so recorder.c
     mpirun -n 4 -x LD_PRELOAD=./librecorder.so -x RECORD=MPI_Allreduce -x RECORD_FILE=run.trace \
            -x RECORD_MIN_S=1e-4 -x RECORD_ORIGIN="what was run" program

   RECORD names one function or several, separated by commas. Only calls on communicators that span
   all ranks count. Each is a place of the trace, such as "allreduce, 8 bytes". A computing phase is
   the time from leaving one such call to entering the next; calls whose phase is on average shorter
   than RECORD_MIN_S seconds are left out, as they only follow up another one. At MPI_Finalize rank
   0 writes the trace.

   RECORD_CLOCK=wall (the default): CLOCK_MONOTONIC, common to all ranks of one machine; arrivals
   and computing times are written. RECORD_CLOCK=cpu: for machines with fewer free cores than ranks,
   where wall clock times would show the scheduler. A phase is the processor time that the rank's
   thread has used outside MPI; the arrivals are those of ranks that start together with a core
   each.

   RECORD=panels: HPL broadcasts its panels by messages of its own, in a ring (BCAST 0, a grid of 1
   x Q, three ranks or more). Each panel counts as one broadcast. Two hints say what the program
   knows beforehand: `factors`, 1 for the rank that makes the panel, and `bytes`.

   RECORD_HINT=NAME: the program decides by an MPI_Allreduce of one int with MPI_MAX whether it
   does something next (LAMMPS: 1 if the coming step rebuilds its neighbour lists). The last such
   result of 0 or 1 before a phase is what the program knows when the phase begins; it is written as
   the hint NAME. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_calls = 1 << 20, most_places = 1024, first_panel_tag = 2001, last_panel_tag = 3000 };

static double* entered;
static double* left;
static int* known; /* the last decision when a call was left; of panels whether this rank made it */
static int* place; /* which of `places` a call is; of panels the bytes */
static char places[most_places][64];
static int place_count;
static int last_known;
static int received_bytes;     /* of the panel that this rank has received and not handed on */
static double probed_s = -1.0; /* when it began to look for a panel that has not come */
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

static int is_recorded(const char* function) {
  const char* names = setting("RECORD", "MPI_Allreduce");
  const size_t length = strlen(function);
  for (const char* at = strstr(names, function); at != NULL; at = strstr(at + 1, function))
    if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

static int counts(const char* function, MPI_Comm comm) {
  int size = 0;
  if (!recording || calls == most_calls || !is_recorded(function)) return 0;
  PMPI_Comm_size(comm, &size);
  return size == ranks;
}

static int records_panels(void) {
  return strcmp(setting("RECORD", ""), "panels") == 0;
}

static int bytes_of(int n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return n * size;
}

/* "bcast, root 0, 8 bytes": the number of the place of that name, which all ranks count alike. */
static int place_of(const char* operation, int root, int bytes) {
  char name[64];
  int length = snprintf(name, sizeof name, "%s", operation);
  if (root >= 0) length += snprintf(name + length, sizeof name - (size_t)length, ", root %d", root);
  if (bytes >= 0) snprintf(name + length, sizeof name - (size_t)length, ", %d bytes", bytes);
  for (int i = 0; i < place_count; ++i)
    if (strcmp(places[i], name) == 0) return i;
  if (place_count == most_places) return most_places - 1;
  strcpy(places[place_count], name);
  return place_count++;
}

static void start(void) {
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  entered = malloc(sizeof(double) * most_calls);
  left = malloc(sizeof(double) * most_calls);
  known = malloc(sizeof(int) * most_calls);
  place = malloc(sizeof(int) * most_calls);
  by_cpu = strcmp(setting("RECORD_CLOCK", "wall"), "cpu") == 0;
  recording = entered != NULL && left != NULL && known != NULL && place != NULL;
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

/* Root and bytes are -1 for operations that have none. */
#define RECORDED(name, comm, operation, root, bytes, call) \
  do {                                                     \
    int error;                                             \
    if (!counts(name, comm)) return call;                  \
    entered[calls] = now_s();                              \
    error = call;                                          \
    known[calls] = last_known;                             \
    place[calls] = place_of(operation, root, bytes);       \
    left[calls++] = now_s();                               \
    return error;                                          \
  } while (0)

static int allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm) {
  const int error = PMPI_Allreduce(from, to, n, type, op, comm);
  if (n == 1 && type == MPI_INT && op == MPI_MAX && (*(const int*)to & ~1) == 0)
    last_known = *(const int*)to;
  return error;
}

int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  RECORDED("MPI_Allreduce", comm, "allreduce", -1, bytes_of(n, type),
           allreduce(from, to, n, type, op, comm));
}

int MPI_Reduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  RECORDED("MPI_Reduce", comm, "reduce", root, bytes_of(n, type),
           PMPI_Reduce(from, to, n, type, op, root, comm));
}

int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  RECORDED("MPI_Bcast", comm, "bcast", root, bytes_of(n, type),
           PMPI_Bcast(data, n, type, root, comm));
}

int MPI_Alltoall(const void* from, int n, MPI_Datatype a, void* to, int m, MPI_Datatype b,
                 MPI_Comm comm) {
  RECORDED("MPI_Alltoall", comm, "alltoall", -1, bytes_of(m, b),
           PMPI_Alltoall(from, n, a, to, m, b, comm));
}

int MPI_Barrier(MPI_Comm comm) {
  RECORDED("MPI_Barrier", comm, "barrier", -1, -1, PMPI_Barrier(comm));
}

/* Calls in which a rank waits for another one: their processor time is no computing. */
#define EXCLUDED(call)                                        \
  do {                                                        \
    const double before_s = clock_s(CLOCK_THREAD_CPUTIME_ID); \
    const int error = call;                                   \
    in_mpi_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - before_s;  \
    return error;                                             \
  } while (0)

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  EXCLUDED(PMPI_Wait(request, status));
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  EXCLUDED(PMPI_Waitall(n, requests, statuses));
}

int MPI_Waitany(int n, MPI_Request requests[], int* index, MPI_Status* status) {
  EXCLUDED(PMPI_Waitany(n, requests, index, status));
}

static int send(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  EXCLUDED(PMPI_Send(from, n, type, to, tag, comm));
}

static int receive(void* to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Status* s) {
  EXCLUDED(PMPI_Recv(to, n, type, from, tag, comm, s));
}

static int probe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* s) {
  EXCLUDED(PMPI_Iprobe(from, tag, comm, there, s));
}

static int is_panel(int tag, MPI_Comm comm) {
  return records_panels() && tag >= first_panel_tag && tag <= last_panel_tag &&
         counts("panels", comm);
}

/* A panel's call begins with the first message of it here, and ends with the last. */
static void begin_panel(int bytes, int made_here) {
  entered[calls] = probed_s >= 0.0 ? probed_s : now_s();
  known[calls] = made_here;
  place[calls++] = bytes;
  probed_s = -1.0;
}

int MPI_Send(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  int error;
  if (!is_panel(tag, comm)) return send(from, n, type, to, tag, comm);
  if (received_bytes == 0) begin_panel(bytes_of(n, type), 1);
  received_bytes = 0;
  error = send(from, n, type, to, tag, comm);
  left[calls - 1] = now_s();
  return error;
}

int MPI_Recv(void* to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* s) {
  int error;
  if (!is_panel(tag, comm)) return receive(to, n, type, from, tag, comm, s);
  begin_panel(bytes_of(n, type), 0);
  received_bytes = bytes_of(n, type);
  error = receive(to, n, type, from, tag, comm, s);
  left[calls - 1] = now_s();
  return error;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* s) {
  if (is_panel(tag, comm) && probed_s < 0.0) probed_s = now_s();
  return probe(from, tag, comm, there, s);
}

int MPI_Isend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  EXCLUDED(PMPI_Isend(from, n, type, to, tag, comm, request));
}

int MPI_Sendrecv(const void* out, int n, MPI_Datatype a, int to, int t, void* in, int m,
                 MPI_Datatype b, int from, int u, MPI_Comm comm, MPI_Status* status) {
  EXCLUDED(PMPI_Sendrecv(out, n, a, to, t, in, m, b, from, u, comm, status));
}

/* What all ranks have recorded, rank by rank, at rank 0. */
struct All {
  int count;
  double *entered, *left;
  int *known, *place;
};

/* Least and mean over the ranks of call i: the earliest start and the mean computing time. */
static void of_call(const struct All* all, int i, double* first_start, double* mean_computing) {
  *first_start = all->left[i - 1];
  *mean_computing = 0.0;
  for (int r = 0; r < ranks; ++r) {
    const double started = all->left[r * all->count + i - 1];
    if (started < *first_start) *first_start = started;
    *mean_computing += (all->entered[r * all->count + i] - started) / ranks;
  }
}

/* The calls that follow a phase long enough, in `kept`; returns how many. */
static int long_enough(const struct All* all, int* kept) {
  const double least_s = atof(setting("RECORD_MIN_S", "0"));
  int count = 0;
  for (int i = 1; i < all->count; ++i) {
    double start_s, mean_s;
    of_call(all, i, &start_s, &mean_s);
    if (mean_s >= least_s) kept[count++] = i;
  }
  return count;
}

/* Names the places of the kept calls in the head of the trace, and numbers them from 1 in `number`;
   0 where there is one alone. */
static void write_places(FILE* file, const struct All* all, const int* kept, int count,
                         int number[]) {
  int used = 0, next = 1;
  for (int k = 0; k < count; ++k) used += number[all->place[kept[k]]]++ == 0;
  for (int p = 0; p < place_count; ++p) {
    if (number[p] == 0) continue;
    fprintf(file, "# %s: %s\n", used == 1 ? "region" : "place", places[p]);
    number[p] = used == 1 ? 0 : next++;
  }
}

static void write_place_block(FILE* file, const struct All* all, const int* kept, int count,
                              const int number[]) {
  if (count == 0 || number[all->place[kept[0]]] == 0) return;
  fprintf(file, "# block: place\n");
  for (int k = 0; k < count; ++k) fprintf(file, "%d\n", number[all->place[kept[k]]]);
}

static void write_times(FILE* file, const struct All* all, const int* kept, int count) {
  for (int block = 0; block < (by_cpu ? 1 : 2); ++block) {
    fprintf(file, "# block: %s\n", block == 0 ? "arrival" : "computing");
    for (int k = 0; k < count; ++k) {
      const int i = kept[k];
      double start_s, mean_s;
      of_call(all, i, &start_s, &mean_s);
      for (int r = 0; r < ranks; ++r) {
        const double own_s = all->left[r * all->count + i - 1];
        const double from_s = block == 0 && !by_cpu ? start_s : own_s;
        fprintf(file, "%s%.7f", r > 0 ? " " : "", all->entered[r * all->count + i] - from_s);
      }
      fputc('\n', file);
    }
  }
}

static void write_hint(FILE* file, const char* name, const int* kept, int count, const int* values,
                       int stride, int before) {
  fprintf(file, "# block: hint %s\n", name);
  for (int k = 0; k < count; ++k) {
    for (int r = 0; r < ranks; ++r)
      fprintf(file, "%s%d", r > 0 ? " " : "", values[r * stride + kept[k] - before]);
    fputc('\n', file);
  }
}

static void write_trace(const struct All* all) {
  const char* path = setting("RECORD_FILE", "recorded.trace");
  int* kept = malloc(sizeof(int) * (size_t)all->count);
  const int count = kept != NULL ? long_enough(all, kept) : 0;
  int number[most_places] = {0};
  char part[4096];
  snprintf(part, sizeof part, "%s.part", path);
  FILE* file = fopen(part, "w");
  if (file == NULL) {
    fprintf(stderr, "recorder: %s cannot be written\n", part);
    return;
  }
  fprintf(file, "# pat-trace 1\n# P: %d\n# iterations: %d\n# unit: s\n", ranks, count);
  fprintf(file, "# clock: %s\n# origin: %s\n",
          by_cpu ? "processor time outside MPI, ranks taken to start together"
                 : "CLOCK_MONOTONIC, common to all ranks of the machine",
          setting("RECORD_ORIGIN", "recorded through MPI's profiling interface"));
  if (records_panels())
    fprintf(file, "# region: bcast of panels\n");
  else
    write_places(file, all, kept, count, number);
  write_times(file, all, kept, count);
  if (records_panels()) {
    write_hint(file, "factors", kept, count, all->known, all->count, 0);
    write_hint(file, "bytes", kept, count, all->place, all->count, 0);
  } else if (setting("RECORD_HINT", "")[0] != '\0') {
    write_hint(file, setting("RECORD_HINT", ""), kept, count, all->known, all->count, 1);
  }
  if (!records_panels()) write_place_block(file, all, kept, count, number);
  free(kept);
  if (fclose(file) != 0 || rename(part, path) != 0)
    fprintf(stderr, "recorder: %s cannot be written\n", path);
}

/* Rank 0's copy of what every rank has in `own`. */
static void* gathered(const void* own, int count, size_t size, MPI_Datatype type) {
  void* all = rank == 0 ? malloc(size * (size_t)count * (size_t)ranks + 1) : NULL;
  PMPI_Gather(own, count, type, all, count, type, 0, MPI_COMM_WORLD);
  return all;
}

int MPI_Finalize(void) {
  if (recording) {
    struct All all = {0, NULL, NULL, NULL, NULL};
    recording = 0;
    PMPI_Allreduce(&calls, &all.count, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    all.entered = gathered(entered, all.count, sizeof(double), MPI_DOUBLE);
    all.left = gathered(left, all.count, sizeof(double), MPI_DOUBLE);
    all.known = gathered(known, all.count, sizeof(int), MPI_INT);
    all.place = gathered(place, all.count, sizeof(int), MPI_INT);
    if (rank == 0 && all.count > 1) write_trace(&all);
  }
  return PMPI_Finalize();
}
