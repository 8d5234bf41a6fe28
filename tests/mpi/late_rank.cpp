// late_rank OPERATION ALGORITHM DELAY_S: the last process comes to a gather, scatter, reduce or
// persistent gather, or ("first") to the first call on a communicator, so much later than the
// others, who wait; or ("fresh") makes another one than they there; or ("roots") it gathers at
// another root, or ("left") rank 1 gathers a number there, and those that only send leave the call,
// or ("different") makes another collective than they; or rank 1 has another operator ("operators")
// or half the size ("sizes") in an allreduce. For the test of the watchdog.

#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int count = 20000;

int collective(const std::string& operation, bool late_comes_now, std::vector<int>& mine,
               std::vector<int>& all) {
  if (operation == "gather")
    return PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  if (operation == "roots") {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int root = late_comes_now && rank == size - 1 ? rank : 0;
    return PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root,
                      MPI_COMM_WORLD);
  }
  if (operation == "left") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int root = late_comes_now && rank == 1 ? 2 : 0;
    return PAT_Gather(mine.data(), 1, MPI_INT, all.data(), 1, MPI_INT, root, MPI_COMM_WORLD);
  }
  if (operation == "different") {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (late_comes_now && rank == size - 1) return PAT_Barrier(MPI_COMM_WORLD);
    return PAT_Allreduce(mine.data(), all.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (operation == "operators" || operation == "sizes") {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool differs = late_comes_now && rank == size - 2;
    const int numbers = differs && operation == "sizes" ? count : count / 2;
    const MPI_Op op = differs && operation == "operators" ? MPI_MAX : MPI_SUM;
    return PAT_Allreduce(mine.data(), all.data(), numbers, MPI_INT, op, MPI_COMM_WORLD);
  }
  if (operation == "scatter")
    return PAT_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  if (operation == "reduce")
    return PAT_Reduce(mine.data(), all.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (operation == "first") {
    static MPI_Comm fresh = MPI_COMM_NULL;
    return late_comes_now ? PAT_Barrier(fresh) : MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  }
  if (operation == "fresh") {
    static MPI_Comm fresh = MPI_COMM_NULL;
    if (!late_comes_now) return MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) return PAT_Barrier(fresh);
    return PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, 0, fresh);
  }
  static PAT_Request request = PAT_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (!late_comes_now)
    code = PAT_Gather_init(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, 0,
                           MPI_COMM_WORLD, &request);
  if (code == MPI_SUCCESS) code = PAT_Start(request);
  if (code == MPI_SUCCESS) code = PAT_Ready(request);
  if (code == MPI_SUCCESS) code = PAT_Wait(request);
  if (code == MPI_SUCCESS && late_comes_now) code = PAT_Request_free(&request);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string operation = argv[1];
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PAT_Init();
  const bool is_name = operation == "scatter" || operation == "reduce";
  PAT_UseAlgName(is_name ? operation.c_str() : "gather", argv[2]);
  std::vector<int> mine(count, 1), all(static_cast<std::size_t>(count * size), 1);
  for (const bool late : {false, true}) {
    if (late && rank == size - 1)
      std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(argv[3])));
    if (collective(operation, late, mine, all) != MPI_SUCCESS) return 1;
  }
  PAT_Finalize();
  MPI_Finalize();
}
