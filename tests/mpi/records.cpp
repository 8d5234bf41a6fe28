// records HOW [CALLS]: four processes in rows and columns of two, as many solvers have them, which
// call PAT on these alone, or, with CALLS below 0, computing phases after which MPI's own
// allreduce is called. HOW the program ends: finalize, forget (no PAT_Finalize), exit, abort (by
// rank 1), abort0, pabort0, error0, crash0 (rank 0 dies of it), wait (until it is killed),
// twice (finalize, with a session before it that is like this one), halves (finalize, each row has
// a session of its own), turns (the same, one after the other). For the test `records`: what trace
// and report say of it.

#include <mpi.h>
#include <pat/pat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int elements = 4096;

MPI_Comm part_of_world(int color) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &part);
  return part;
}

void compute() {
  PAT_ProcessingStart();
  PAT_Edge(0.5);
  PAT_ProcessingEnd();
}

void iterate(MPI_Comm row, MPI_Comm column) {
  std::vector<double> mine(elements, 1.0), all(elements);
  double local = 1.0, sum = 0.0;
  compute();
  PAT_Reduce(mine.data(), all.data(), elements, MPI_DOUBLE, MPI_SUM, 0, row);
  PAT_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, column);
}

void iterate_without_pat() {
  double local = 1.0, sum = 0.0;
  compute();
  MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

bool dies(const std::string& how) {
  return how == "abort" || how.ends_with("0");
}

/// Rank 0. `pabort0`: as programs in other languages, or linked with MPI before PAT.
void die(const std::string& how) {
  if (how == "abort0") MPI_Abort(MPI_COMM_WORLD, 3);
  if (how == "pabort0") PMPI_Abort(MPI_COMM_WORLD, 3);
  if (how == "error0") MPI_Send(nullptr, 0, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (how == "crash0") std::raise(SIGSEGV);
}

void end(const std::string& how) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("all calls are made");
  std::fflush(stdout);
  if (how == "exit" || dies(how))  // what is kept aside is a second old at most
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  if (how == "exit") std::exit(0);
  if (how == "abort" && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0) die(how);
  if (how == "wait" || dies(how))
    while (true) MPI_Barrier(MPI_COMM_WORLD);
  if (how == "fork") {  // a child has no daemon to wait for, and ends as it likes
    const pid_t child = fork();
    if (child == 0) std::exit(7);
    int status = 0;
    waitpid(child, &status, 0);
    if (rank == 0 && WEXITSTATUS(status) == 7) std::puts("the child has ended");
  }
  if (how == "finalize" || how == "twice" || how == "halves" || how == "fork") PAT_Finalize();
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || ranks != 4) return 2;
  const std::string how = argv[1];
  const bool halves = how == "halves" || how == "turns";
  MPI_Comm row = part_of_world(rank / 2), column = part_of_world(rank % 2);
  if (how == "turns" && rank / 2 == 1) MPI_Barrier(MPI_COMM_WORLD);  // until the others have ended
  if (PAT_Init_comm(halves ? row : MPI_COMM_WORLD, nullptr) != MPI_SUCCESS) {  // on all of them
    MPI_Finalize();
    return 2;
  }
  if (how != "turns") MPI_Barrier(MPI_COMM_WORLD);
  const int calls = argc > 2 ? std::atoi(argv[2]) : 20;
  for (int i = 0; i < calls; ++i) iterate(row, how == "turns" ? row : column);
  if (how == "turns") {
    PAT_Finalize();
    if (rank / 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
  }
  if (how == "twice") {
    PAT_Finalize();
    MPI_Comm reversed = MPI_COMM_NULL;  // another process writes
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    if (PAT_Init_comm(reversed, nullptr) != MPI_SUCCESS) return 2;
    for (int i = 0; i < calls; ++i) iterate(row, column);
  }
  for (int i = 0; i < -calls; ++i) iterate_without_pat();
  end(how);
  return 0;
}
