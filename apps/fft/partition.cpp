#include "apps/fft/partition.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "apps/fft/transform.hpp"
#include "core/errors.hpp"

namespace pat::fft {
namespace {

std::size_t choose_parts(std::size_t points, std::size_t processes) {
  const std::size_t least = std::bit_ceil(processes);
  if (least == processes) return processes;
  return std::min(4 * least, points);
}

}  // namespace

Partition::Partition(std::size_t points, int processes) : points_(points), processes_(processes) {
  const auto p = static_cast<std::size_t>(processes);
  if (!std::has_single_bit(points))
    throw Error(
        ErrorKind::argument,
        std::to_string(points) + " points cannot be halved down to one, use a power of two");
  if (points < p)
    throw Error(ErrorKind::argument, std::to_string(points) + " points cannot be shared among " +
                                         std::to_string(p) + " processes, use fewer processes");
  parts_ = choose_parts(points, p);
  slot_parts_ = (parts_ + p - 1) / p;
}

std::size_t Partition::first(int process) const {
  return parts_ * static_cast<std::size_t>(process) / static_cast<std::size_t>(processes_);
}

void Partition::order(std::span<const Complex> gathered, std::span<Complex> ordered) const {
  const int bits = log2_exact(points_);
  for (int process = 0; process < processes_; ++process) {
    const Complex* slot = gathered.data() + static_cast<std::size_t>(process) * slot_points();
    const std::size_t begin = first(process) * part_points();
    const std::size_t end = first(process + 1) * part_points();
    for (std::size_t i = begin; i < end; ++i) ordered[reverse_bits(i, bits)] = slot[i - begin];
  }
}

}  // namespace pat::fft
