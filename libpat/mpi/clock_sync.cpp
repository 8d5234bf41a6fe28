#include "libpat/mpi/clock_sync.hpp"

#include "core/clock.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

constexpr int tag = 0;

bool on_one_machine(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  int here = 0, all = 0;
  check(PMPI_Comm_size(node, &here));
  check(PMPI_Comm_size(comm, &all));
  check(PMPI_Comm_free(&node));
  int mine = here == all, everywhere = 0;
  check(PMPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_MIN, comm));
  return everywhere != 0;
}

void answer(MPI_Comm comm, int rank, int exchanges) {
  for (int i = 0; i < exchanges; ++i) {
    std::int64_t time_ns = 0;
    check(PMPI_Recv(&time_ns, 1, MPI_INT64_T, rank, tag, comm, MPI_STATUS_IGNORE));
    time_ns = now_ns();
    check(PMPI_Send(&time_ns, 1, MPI_INT64_T, rank, tag, comm));
  }
}

ClockDifference ask(MPI_Comm comm, int exchanges) {
  std::int64_t best_round_trip = -1;
  ClockDifference best;
  for (int i = 0; i < exchanges; ++i) {
    const std::int64_t sent = now_ns();
    std::int64_t theirs = sent;
    check(PMPI_Send(&theirs, 1, MPI_INT64_T, 0, tag, comm));
    check(PMPI_Recv(&theirs, 1, MPI_INT64_T, 0, tag, comm, MPI_STATUS_IGNORE));
    const std::int64_t received = now_ns();
    if (best_round_trip >= 0 && received - sent >= best_round_trip) continue;
    best_round_trip = received - sent;
    const std::int64_t half = best_round_trip / 2;
    best = ClockDifference(sent + half, theirs - (sent + half), half);
  }
  return best;
}

}  // namespace

std::optional<ClockDifference> compare_clocks(MPI_Comm comm, int exchanges) {
  if (on_one_machine(comm)) return std::nullopt;
  int rank = 0, size = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &size));
  if (rank != 0) return ask(comm, exchanges);
  for (int other = 1; other < size; ++other) answer(comm, other, exchanges);
  return ClockDifference(now_ns());
}

}  // namespace pat::detail
