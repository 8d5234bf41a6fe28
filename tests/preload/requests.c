/* requests [wait | any | some]: a program that knows nothing of PAT and begins collectives in one place and ends them
 * in another: in arrays with messages, by every function that ends requests, on ranks that wait in
 * different orders, and while it waits for something else; or the last process comes late to gathers, and
 * the others wait in MPI_Wait, MPI_Waitany or MPI_Waitsome. Ends with 3 where a result is wrong. */

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPICH 4.0.2 itself gathers what the buffer held at MPI_Gather_init, gives old data in later
 * allgathers, breaks off scatters of three processes, and says of what was never started that it is
 * not over. */
#if MPI_VERSION >= 4 && !defined(MPICH_NAME)
#define PERSISTENT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PERSISTENT(name) MPIX_##name##_init
#endif

enum { n = 3000, most = 16 };
static int rank, size;
static double mine[n * most], gathered[n * most], scattered[n], all[n * most], reduced[n], sum[n],
    spare[n];
static int token_in, token_out;

static void wrong(const char* what, int round) {
  fprintf(stderr, "rank %d, round %d: %s\n", rank, round, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(int round) {
  for (int i = 0; i < n * size; ++i) mine[i] = rank + i / n * 100 + round * 10000;
  for (int i = 0; i < n * size; ++i) gathered[i] = all[i] = -1;
  for (int i = 0; i < n; ++i) scattered[i] = reduced[i] = sum[i] = -1;
  token_in = -1;
  token_out = rank + round;
}

static void check(int root, int round) {
  double total = 0;
  for (int r = 0; r < size; ++r) {
    const double first = r + round * 10000;
    total += first;
    if (rank == root && (gathered[r * n] != first || gathered[r * n + n - 1] != first))
      wrong("gather", round);
    if (all[r * n] != first || all[r * n + n - 1] != first) wrong("allgather", round);
  }
  const double here = root + rank * 100 + round * 10000;
  if (scattered[0] != here || scattered[n - 1] != here) wrong("scatter", round);
  if (rank == root && (reduced[0] != total || reduced[n - 1] != total)) wrong("reduce", round);
  if (sum[0] != total || sum[n - 1] != total) wrong("allreduce", round);
  if (token_in != (rank + size - 1) % size + round) wrong("message", round);
}

/* Five collectives and two messages, in one array. */
enum { kinds = 7 };
static void begin(MPI_Comm comm, int root, MPI_Request* requests) {
  MPI_Irecv(&token_in, 1, MPI_INT, (rank + size - 1) % size, 5, comm, &requests[0]);
  MPI_Igather(mine, n, MPI_DOUBLE, gathered, n, MPI_DOUBLE, root, comm, &requests[1]);
  MPI_Iscatter(mine, n, MPI_DOUBLE, scattered, n, MPI_DOUBLE, root, comm, &requests[2]);
  MPI_Ireduce(mine, reduced, n, MPI_DOUBLE, MPI_SUM, root, comm, &requests[3]);
  MPI_Iallreduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, comm, &requests[4]);
  MPI_Iallgather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm, &requests[5]);
  MPI_Isend(&token_out, 1, MPI_INT, (rank + 1) % size, 5, comm, &requests[6]);
}

static void by_waitall(MPI_Request* requests) {
  MPI_Status statuses[kinds];
  MPI_Waitall(kinds, requests, statuses);
  if (statuses[0].MPI_SOURCE != (rank + size - 1) % size || statuses[0].MPI_TAG != 5)
    wrong("status of the message", 0);
}
static void by_wait(MPI_Request* requests) { /* in an order of each rank's own */
  for (int i = 0; i < kinds; ++i) MPI_Wait(&requests[(i * 3 + rank) % kinds], MPI_STATUS_IGNORE);
}
static void by_waitany(MPI_Request* requests) {
  int index, ended[kinds] = {0};
  for (int i = 0; i < kinds; ++i) {
    MPI_Waitany(kinds, requests, &index, MPI_STATUS_IGNORE);
    if (index < 0 || index >= kinds || ended[index]++) wrong("index of MPI_Waitany", i);
  }
  MPI_Waitany(kinds, requests, &index, MPI_STATUS_IGNORE);
  if (index != MPI_UNDEFINED) wrong("MPI_Waitany of nothing", index);
}
static void by_waitsome(MPI_Request* requests) {
  int done = 0, indices[kinds];
  for (int left = kinds; left > 0; left -= done) {
    MPI_Waitsome(kinds, requests, &done, indices, MPI_STATUSES_IGNORE);
    if (done < 1 || done > left) wrong("count of MPI_Waitsome", done);
  }
}
static void by_test(MPI_Request* requests) {
  for (int i = 0; i < kinds; ++i)
    for (int flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}
static void by_testall(MPI_Request* requests) {
  for (int flag = 0; !flag;) MPI_Testall(kinds, requests, &flag, MPI_STATUSES_IGNORE);
}
static void by_testany(MPI_Request* requests) {
  for (int ended = 0, index, flag; ended < kinds; ended += flag)
    MPI_Testany(kinds, requests, &index, &flag, MPI_STATUS_IGNORE);
}
static void by_testsome(MPI_Request* requests) {
  int indices[kinds];
  for (int ended = 0, done; ended < kinds; ended += done)
    MPI_Testsome(kinds, requests, &done, indices, MPI_STATUSES_IGNORE);
}
static void by_a_look(MPI_Request* requests) {
  for (int i = 0; i < kinds; ++i) {
    for (int flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    if (requests[i] == MPI_REQUEST_NULL) wrong("MPI_Request_get_status takes the request", i);
  }
  MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
}

/* The first process waits for a message that the others send when their collective is over: it must
 * go on meanwhile. */
static void while_waiting(MPI_Comm comm, int round) {
  MPI_Request request;
  int word = 0;
  fill(round);
  MPI_Igather(mine, n, MPI_DOUBLE, gathered, n, MPI_DOUBLE, 0, comm, &request);
  if (rank == 0) {
    for (int r = 1; r < size; ++r) MPI_Recv(&word, 1, MPI_INT, r, 9, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, 9, comm);
  }
  for (int r = 0; rank == 0 && r < size; ++r)
    if (gathered[r * n + n - 1] != r + round * 10000) wrong("gather while waiting", round);
}

/* A communicator that is freed while its calls are under way, and begun where others are not yet.
 * In odd rounds the plain calls around the first requests let PAT do the second ones. */
static void on_a_copy(int round) {
  MPI_Comm copy;
  MPI_Request requests[kinds];
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  if (round % 2 == 0 && rank > 0)
    MPI_Recv(&token_in, 1, MPI_INT, rank - 1, 4, copy, MPI_STATUS_IGNORE);
  if (round % 2) {
    MPI_Barrier(copy);
    fill(round + 1);
    begin(copy, 0, requests);
    MPI_Barrier(copy);
    MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
    check(0, round + 1);
  }
  fill(round);
  begin(copy, size - 1, requests);
  if (round % 2 == 0 && rank + 1 < size) MPI_Send(&rank, 1, MPI_INT, rank + 1, 4, copy);
  MPI_Comm_free(&copy);
  MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
  check(size - 1, round);
}

/* A collective that is on its way is neither cancelled nor freed: the last process begins when the
 * others have tried it. */
static void refused(int round) {
  MPI_Request request;
  double one = 1;
  int word = 0;
  fill(round);
  for (int r = 1; rank == 0 && r < size; ++r)
    MPI_Recv(&word, 1, MPI_INT, r, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  if (rank > 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Cancel(&request) == MPI_SUCCESS) wrong("MPI_Cancel of a collective", round);
    if (MPI_Request_free(&request) == MPI_SUCCESS || request == MPI_REQUEST_NULL)
      wrong("MPI_Request_free of a collective", round);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  }
  for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double total = size * (round * 10000.0) + size * (size - 1) / 2;
  if (one != size || sum[0] != total || sum[n - 1] != total) wrong("allreduce after all", round);
}

#ifdef PERSISTENT
static void again_and_again(MPI_Comm comm, int root, int rounds) {
  MPI_Request requests[kinds];
  MPI_Recv_init(&token_in, 1, MPI_INT, (rank + size - 1) % size, 5, comm, &requests[0]);
  PERSISTENT(Gather)
  (mine, n, MPI_DOUBLE, gathered, n, MPI_DOUBLE, root, comm, MPI_INFO_NULL, &requests[1]);
  PERSISTENT(Scatter)
  (mine, n, MPI_DOUBLE, scattered, n, MPI_DOUBLE, root, comm, MPI_INFO_NULL, &requests[2]);
  PERSISTENT(Reduce)
  (mine, reduced, n, MPI_DOUBLE, MPI_SUM, root, comm, MPI_INFO_NULL, &requests[3]);
  PERSISTENT(Allreduce)(mine, sum, n, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[4]);
  PERSISTENT(Allgather)
  (mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm, MPI_INFO_NULL, &requests[5]);
  MPI_Send_init(&token_out, 1, MPI_INT, (rank + 1) % size, 5, comm, &requests[6]);
  for (int round = 0; round < rounds; ++round) {
    int flag = 0;
    fill(round);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    if (!flag) wrong("a request that is not active is not over", round);
    if (round % 2) {
      MPI_Startall(kinds, requests);
      MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < kinds; ++i) MPI_Start(&requests[i]);
      for (int ended = 0, done, indices[kinds]; ended < kinds; ended += done)
        MPI_Waitsome(kinds, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    check(root, round);
  }
  for (int i = 0; i < kinds; ++i)
    if (requests[i] == MPI_REQUEST_NULL) wrong("a persistent request is gone", i);
  for (int i = 0; i < kinds; ++i) /* in an order of each rank's own */
    MPI_Request_free(&requests[(i + rank) % kinds]);
}
#endif

static void for_a_late_one(const char* how) {
  for (int round = 0; round < 4; ++round) {
    MPI_Request request;
    int index, done;
    if (rank == size - 1) usleep(100000);
    MPI_Igather(mine, n, MPI_DOUBLE, gathered, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    if (strcmp(how, "wait") == 0)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (strcmp(how, "any") == 0)
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    else
      MPI_Waitsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  void (*const ways[])(MPI_Request*) = {by_waitall, by_wait,    by_waitany,  by_waitsome, by_test,
                                        by_testall, by_testany, by_testsome, by_a_look};
  MPI_Request requests[kinds];
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) {
    for_a_late_one(argv[1]);
    MPI_Finalize();
    return 0;
  }
  for (int round = 0; round < 27; ++round) {
    fill(round);
    begin(MPI_COMM_WORLD, round % size, requests);
    if (round % 4 == 1) /* a plain one between */
      MPI_Bcast(spare, round % 8 == 1 ? n : 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    ways[round % 9](requests);
    for (int i = 0; i < kinds; ++i)
      if (requests[i] != MPI_REQUEST_NULL) wrong("a request is left", i);
    check(round % size, round);
  }
  for (int round = 0; round < 5; ++round) while_waiting(MPI_COMM_WORLD, round);
  for (int round = 0; round < 4; ++round) on_a_copy(round);
#ifdef OPEN_MPI
  for (int round = 0; round < 3; ++round) refused(round);
#endif
#ifdef PERSISTENT
  for (int round = 0; round < 5; ++round) again_and_again(MPI_COMM_WORLD, round % size, 6);
#endif
  MPI_Finalize();
  return 0;
}
