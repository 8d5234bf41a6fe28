/* endings HOW...: the ways in which programs end, and other things that few of them do, one after
 * the other. */

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { n = 2000 };
static int rank, size;
static double mine[n], all[n * 16];

/* Some calls on the communicator; ends the program with 3 where they come to something else than
 * they must. */
static void work(MPI_Comm comm, int calls) {
  int here, there;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &there);
  for (int i = 0; i < calls; ++i) {
    double sum = here, most = 0;
    for (int k = 0; k < n; ++k) mine[k] = here + i;
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, i % there, comm);
    for (int r = 0; here == i % there && r < there; ++r)
      if (all[r * n] != r + i || all[r * n + n - 1] != r + i) exit(3);
    MPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (most != there * (there - 1) / 2.0) exit(3);
  }
}

/* Each on a communicator and with memory of its own. */
struct thread {
  MPI_Comm comm;
  int wrong;
};
static void* run_thread(void* data) {
  struct thread* me = data;
  int here;
  MPI_Comm_rank(me->comm, &here);
  double* in = malloc(sizeof(double) * n);
  double* out = malloc(sizeof(double) * n * size);
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < n; ++k) in[k] = here + i;
    MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, i % size, me->comm);
    for (int r = 0; here == i % size && r < size; ++r) me->wrong |= out[r * n + n - 1] != r + i;
    MPI_Alltoall(in, 10, MPI_DOUBLE, out, 10, MPI_DOUBLE, me->comm);
    for (int r = 0; r < size; ++r) me->wrong |= out[r * 10] != r + i;
  }
  free(in);
  free(out);
  return NULL;
}
static int threads(void) {
  struct thread both[2];
  pthread_t ids[2];
  for (int t = 0; t < 2; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &both[t].comm);
    both[t].wrong = 0;
    pthread_create(&ids[t], NULL, run_thread, &both[t]);
  }
  for (int t = 0; t < 2; ++t) {
    pthread_join(ids[t], NULL);
    MPI_Comm_free(&both[t].comm);
  }
  return both[0].wrong || both[1].wrong;
}

/* Two more processes; work with them, and as one group. */
static void spawn(char* program) {
  char* arguments[] = {"spawned", NULL};
  MPI_Comm children, together;
  int token = 5;
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  MPI_Bcast(&token, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
  MPI_Intercomm_merge(children, 0, &together);
  work(together, 5);
  work(MPI_COMM_WORLD, 5);
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&children);
}
static int spawned(void) {
  MPI_Comm parents, together;
  int token = 0;
  MPI_Comm_get_parent(&parents);
  work(MPI_COMM_WORLD, 5);
  MPI_Bcast(&token, 1, MPI_INT, 0, parents);
  MPI_Intercomm_merge(parents, 1, &together);
  work(together, 5);
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&parents);
  MPI_Finalize();
  return token != 5;
}

/* The first process waits for the others, which connect to it. */
static void connect_all(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm some, both, together;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &some);
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, some, &both);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, some, &both);
  MPI_Barrier(both);
  MPI_Intercomm_merge(both, rank > 0, &together);
  work(together, 5);
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&both);
  MPI_Comm_free(&some);
}

/* What is wrong is MPI's to say: prints the classes. */
static void mistakes(void) {
  int classes[4];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Gather(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, size + 3, MPI_COMM_WORLD),
                  &classes[0]);
  MPI_Error_class(MPI_Bcast(mine, -1, MPI_DOUBLE, 0, MPI_COMM_WORLD), &classes[1]);
  MPI_Error_class(MPI_Allreduce(mine, all, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD),
                  &classes[2]);
  MPI_Error_class(MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), &classes[3]);
  if (rank == 0) printf("%d %d %d %d\n", classes[0], classes[1], classes[2], classes[3]);
  work(MPI_COMM_WORLD, 5);
}

/* The library of files calls collectives for itself. Returns whether each process reads its part.
 */
static int files(void) {
  MPI_File file;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < n; ++k) mine[k] = rank;
  MPI_File_open(MPI_COMM_WORLD, "shared",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)sizeof mine * rank, mine, n, MPI_DOUBLE,
                        MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, (MPI_Offset)sizeof mine * rank, all, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  return all[0] == rank && all[n - 1] == rank;
}

static void at_exit(void) {
  work(MPI_COMM_WORLD, 5);
  MPI_Finalize();
}

/* What a program does and goes on from; returns what is wrong. */
static int do_one(const char* how, char* program) {
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) exit(6);
    int status = 0;
    waitpid(child, &status, 0);
    work(MPI_COMM_WORLD, 5);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 6;
  }
  if (strcmp(how, "exec") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/true", "true", (char*)NULL);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
  }
  if (strcmp(how, "threads") == 0) return threads();
  if (strcmp(how, "spawn") == 0) spawn(program);
  if (strcmp(how, "connect") == 0) connect_all();
  if (strcmp(how, "files") == 0) return !files();
  if (strcmp(how, "mistakes") == 0) mistakes();
  if (strcmp(how, "level") == 0 || strcmp(how, "funneled") == 0) {
    int level;
    MPI_Query_thread(&level);
    if (rank == 0) printf("%d\n", level);
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "finalize";
  int level, result = 0;
  if (strcmp(how, "no-init") == 0) return 7;
  if (strcmp(how, "at-exit") == 0) atexit(at_exit);
  if (strcmp(how, "threads") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else if (strcmp(how, "funneled") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "spawned") == 0) return spawned();
  if (strcmp(how, "close-stderr") == 0) {
    close(2);
    FILE* file = fopen("data", "w"); /* gets the number of standard error */
    work(MPI_COMM_WORLD, 20);
    if (file != NULL && fileno(file) != 2) result = 4;
    MPI_Finalize();
    return result;
  }
  work(MPI_COMM_WORLD, 20);
  /* What was called lies on the disk by then. */
  if (strcmp(how, "abort") == 0 || strcmp(how, "kill") == 0 || strcmp(how, "error") == 0)
    usleep(1500000);
  if (strcmp(how, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(how, "error") == 0 && rank == 0) MPI_Send(mine, 1, MPI_DOUBLE, 99, 0, MPI_COMM_WORLD);
  if (strcmp(how, "kill") == 0 && rank == 1) raise(SIGKILL);
  if (strcmp(how, "crash") == 0 && rank == 1) raise(SIGSEGV);
  if (strcmp(how, "at-exit") == 0) return 0;
  if (strcmp(how, "exit") == 0) exit(5);
  if (strcmp(how, "_exit") == 0) _exit(5);
  for (int i = 1; i < argc; ++i)
    if (do_one(argv[i], argv[0])) {
      fprintf(stderr, "%s went wrong\n", argv[i]);
      result = 3;
    }
  MPI_Finalize();
  return result;
}
