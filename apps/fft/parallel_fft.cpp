// Hierarchical master and slaves, seed 001 Section 6.

#include "apps/fft/parallel_fft.hpp"

#include <pat/pat.h>

#include <algorithm>
#include <string>

#include "core/errors.hpp"

namespace pat::fft {
namespace {

constexpr int master = 0;
constexpr int parts_tag = 1;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int floats(std::size_t points) {
  return static_cast<int>(2 * points);
}

}  // namespace

ParallelFft::ParallelFft(MPI_Comm comm, std::size_t samples, int threads)
    : comm_(comm),
      rank_(rank_in(comm)),
      threads_(threads),
      partition_(samples / 2, size_of(comm)),
      twiddles_(rank_ == master ? samples : partition_.part_points()),
      slot_(partition_.slot_points()) {
  if (rank_ != master) return;
  points_.resize(samples / 2);
  gathered_.resize(partition_.gathered_points());
  ordered_.resize(samples / 2);
  spectrum_.resize(samples / 2 + 1);
}

std::span<Complex> ParallelFft::my_parts() {
  return {slot_.data(), partition_.count(rank_) * partition_.part_points()};
}

std::span<Complex> ParallelFft::parts_of(int process) {
  return {points_.data() + partition_.first(process) * partition_.part_points(),
          partition_.count(process) * partition_.part_points()};
}

void ParallelFft::distribute(std::span<const float> block) {
  if (rank_ != master) {
    MPI_Recv(slot_.data(), floats(my_parts().size()), MPI_FLOAT, master, parts_tag, comm_,
             MPI_STATUS_IGNORE);
    return;
  }
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = {block[2 * i], block[2 * i + 1]};
  decimate(points_, {points_.size(), log2_exact(partition_.parts())}, 0.0, 1.0, twiddles_,
           threads_);
  std::vector<MPI_Request> requests;
  for (int process = master + 1; process < partition_.processes(); ++process) {
    const std::span<Complex> parts = parts_of(process);
    MPI_Isend(parts.data(), floats(parts.size()), MPI_FLOAT, process, parts_tag, comm_,
              &requests.emplace_back());
  }
  std::ranges::copy(parts_of(master), slot_.begin());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void ParallelFft::compute(double from, double to) {
  const std::size_t points = partition_.part_points();
  decimate(my_parts(), {points, log2_exact(points)}, from, to, twiddles_, threads_);
}

void ParallelFft::gather() {
  const int count = floats(partition_.slot_points());
  const int result =
      PAT_Gather(slot_.data(), count, MPI_FLOAT, gathered_.data(), count, MPI_FLOAT, master, comm_);
  if (result != MPI_SUCCESS)
    throw Error(ErrorKind::internal, std::string("PAT_Gather failed: ") + PAT_Error_string());
}

std::span<const Complex> ParallelFft::finish() {
  partition_.order(gathered_, ordered_);
  real_spectrum(ordered_, twiddles_, spectrum_);
  return spectrum_;
}

}  // namespace pat::fft
