#include "libpat/mpi/incast.hpp"

#include <algorithm>
#include <vector>

#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "core/statistics.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

constexpr int block_tag = 4;

/// One block goes from each process to rank 0: at once, or one after the other, each when rank 0
/// says so. Seconds at rank 0.
double many_to_one_s(MPI_Comm comm, int rank, int ranks, std::size_t bytes, std::vector<char>& data,
                     bool paced) {
  const int count = static_cast<int>(bytes);
  check(PMPI_Barrier(comm));
  const std::int64_t start_ns = now_ns();
  if (rank != 0) {
    if (paced) check(PMPI_Recv(nullptr, 0, MPI_CHAR, 0, block_tag, comm, MPI_STATUS_IGNORE));
    check(PMPI_Send(data.data(), count, MPI_CHAR, 0, block_tag, comm));
    return 0.0;
  }
  std::vector<MPI_Request> requests;
  for (int r = 1; r < ranks; ++r) {
    requests.emplace_back();
    check(PMPI_Irecv(data.data() + static_cast<std::ptrdiff_t>(r - 1) * count, count, MPI_CHAR, r,
                     block_tag, comm, &requests.back()));
    if (!paced) continue;
    check(PMPI_Send(nullptr, 0, MPI_CHAR, r, block_tag, comm));
    check(PMPI_Wait(&requests.back(), MPI_STATUS_IGNORE));
  }
  check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  return seconds(now_ns() - start_ns);
}

}  // namespace

Calibration::Incast measure_incast(MPI_Comm comm, std::size_t bytes, int repetitions, int warm_up) {
  int rank = 0, ranks = 1;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &ranks));
  if (ranks < 3) return {bytes, 0.0};
  const auto others = static_cast<std::size_t>(ranks - 1);
  std::vector<char> data(rank == 0 ? bytes * others : bytes);
  std::vector<double> longer_s;
  for (int i = -warm_up; i < repetitions; ++i) {
    // What one after the other takes besides the blocks is that each is asked for.
    const double asking_s = many_to_one_s(comm, rank, ranks, 0, data, true);
    const double paced_s = many_to_one_s(comm, rank, ranks, bytes, data, true);
    const double at_once_s = many_to_one_s(comm, rank, ranks, bytes, data, false);
    if (i >= 0) longer_s.push_back(at_once_s - paced_s + asking_s);
  }
  // All but the last of the transfers have another one that waits for the port.
  return {bytes, std::max(0.0, median(longer_s) / static_cast<double>(others - 1))};
}

}  // namespace pat::detail
