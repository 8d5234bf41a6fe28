#include "measure/shared_clock.hpp"

#include <limits>

#include "core/clock.hpp"

namespace pat::measure {
namespace {

constexpr int round_trips = 100;
constexpr int clock_tag = 2;

bool on_one_node(MPI_Comm comm) {
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0, all = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_size(comm, &all);
  MPI_Comm_free(&node);
  int one = here == all ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MIN, comm);
  return one == 1;
}

void answer(int process, MPI_Comm comm) {
  for (int i = 0; i < round_trips; ++i) {
    MPI_Recv(nullptr, 0, MPI_BYTE, process, clock_tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t now = now_ns();
    MPI_Send(&now, 1, MPI_INT64_T, process, clock_tag, comm);
  }
}

// This process's clock minus rank 0's.
std::int64_t ask(MPI_Comm comm) {
  std::int64_t quickest = std::numeric_limits<std::int64_t>::max();
  std::int64_t offset = 0;
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t before = now_ns();
    std::int64_t there = 0;
    MPI_Send(nullptr, 0, MPI_BYTE, 0, clock_tag, comm);
    MPI_Recv(&there, 1, MPI_INT64_T, 0, clock_tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t after = now_ns();
    if (after - before >= quickest) continue;
    quickest = after - before;
    offset = before + quickest / 2 - there;
  }
  return offset;
}

}  // namespace

SharedClock::SharedClock(MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::int64_t offset_ns = 0;
  if (!on_one_node(comm)) {
    if (rank == 0)
      for (int process = 1; process < size; ++process) answer(process, comm);
    else
      offset_ns = ask(comm);
  }
  std::int64_t zero_ns = now_ns();
  MPI_Bcast(&zero_ns, 1, MPI_INT64_T, 0, comm);
  origin_ns_ = zero_ns + offset_ns;
}

double SharedClock::now_s() const {
  return static_cast<double>(now_ns() - origin_ns_) * 1e-9;
}

}  // namespace pat::measure
