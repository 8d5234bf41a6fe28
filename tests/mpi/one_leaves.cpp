// one_leaves exception|request|persistent|finalize, one_leaves ignored|session RANK: rank 1, or
// RANK, goes another way than the others, who are in PAT_Finalize or in a collective. For the test
// one_leaves: the job must end, with a sentence.

#include <mpi.h>
#include <pat/pat.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void gather() {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> mine(3000, rank), all(static_cast<std::size_t>(3000 * size));
  PAT_Gather(mine.data(), 3000, MPI_INT, all.data(), 3000, MPI_INT, 0, MPI_COMM_WORLD);
}

/// As a solver that fails on one rank, with the handler that pat.hpp recommends; "request" and
/// "persistent": while a call of that form is on its way, which the exception passes.
int throw_in_a_session(int rank, const std::string& open) {
  std::vector<int> mine(3000, rank), all(3000 * 64);
  try {
    pat::Session session;
    gather();
    pat::Request request;
    std::optional<pat::PersistentCall> call;
    if (open == "request")
      request =
          pat::igather(mine.data(), 3000, MPI_INT, all.data(), 3000, MPI_INT, 1, MPI_COMM_WORLD);
    if (open == "persistent") {
      call = pat::PersistentCall::gather(mine.data(), all.data(), 3000, 1, MPI_COMM_WORLD);
      call->start();
      if (rank != 2) call->ready();
    }
    if (rank == 1) throw std::runtime_error("the solver diverges");
    gather();
    MPI_Barrier(MPI_COMM_WORLD);  // a leaf's part of the gather may be over without rank 1
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return 0;
}

/// As an interpreter that ends MPI when a script fails.
int finalize_elsewhere(int rank) {
  PAT_Init();
  gather();
  if (rank == 1) return 0;
  if (PAT_Finalize() == MPI_SUCCESS) return 1;
  std::fprintf(stderr, "rank %d: %s\n", rank, PAT_Error_string());
  return 0;
}

/// As the example in README.md.
int ignore_what_finalize_returns(int rank, int who) {
  PAT_Init();
  gather();
  if (rank != who) PAT_Finalize();
  return 0;
}

int close_sessions(int rank, int who) {
  if (rank == who) {
    PAT_Init();
    gather();
    return 0;
  }
  pat::Session session;
  gather();
  return 0;
}

int go(const std::string& how, int rank, int who) {
  if (how == "finalize") return finalize_elsewhere(rank);
  if (how == "ignored") return ignore_what_finalize_returns(rank, who);
  if (how == "session") return close_sessions(rank, who);
  return throw_in_a_session(rank, how);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  if (argc < 2) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int status = go(argv[1], rank, argc > 2 ? std::atoi(argv[2]) : 1);
  MPI_Finalize();
  return status;
}
