#include "apps/helsim-mini/redistribution.hpp"

#include <cstdint>

#include "apps/helsim-mini/mpi_error.hpp"

namespace helsim {
namespace {

/// Calls visit(index in the array that holds `home`) for every point of `part`, x fastest.
template <class Visit>
void for_part(const Box& home, const Box& part, Visit visit) {
  for (int k = part.lo[2]; k < part.hi[2]; ++k)
    for (int j = part.lo[1]; j < part.hi[1]; ++j)
      for (int i = part.lo[0]; i < part.hi[0]; ++i) visit(home.index(i, j, k));
}

/// Where each other process's share lies in a packed buffer, in elements of `doubles` numbers.
struct Shares {
  std::vector<int> count, offset;
  int total = 0;

  Shares(const Box& mine, const std::vector<Box>& others, int doubles) {
    for (const Box& other : others) {
      offset.push_back(total);
      count.push_back(static_cast<int>(intersect(mine, other).volume()) * doubles);
      total += count.back();
    }
  }
};

}  // namespace

Redistribution::Redistribution(MPI_Comm comm, std::vector<Box> from, std::vector<Box> to)
    : comm_(comm), from_(std::move(from)), to_(std::move(to)) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
}

template <class T>
void Redistribution::move(const std::vector<Box>& from, const std::vector<Box>& to,
                          const std::vector<T>& source, std::vector<T>& target) const {
  constexpr int doubles = sizeof(T) / sizeof(double);
  const Box& mine = from[rank_];
  const Box& next = to[rank_];
  const Shares out(mine, to, doubles), in(next, from, doubles);
  std::vector<T> packed, received(static_cast<std::size_t>(in.total / doubles));
  packed.reserve(static_cast<std::size_t>(out.total / doubles));
  for (const Box& other : to)
    for_part(mine, intersect(mine, other), [&](std::size_t n) { packed.push_back(source[n]); });
  check_mpi(MPI_Alltoallv(packed.data(), out.count.data(), out.offset.data(), MPI_DOUBLE,
                          received.data(), in.count.data(), in.offset.data(), MPI_DOUBLE, comm_),
            "MPI_Alltoallv");
  target.resize(next.volume());
  std::size_t taken = 0;
  for (const Box& other : from)
    for_part(next, intersect(next, other), [&](std::size_t n) { target[n] = received[taken++]; });
}

template void Redistribution::move(const std::vector<Box>&, const std::vector<Box>&,
                                   const std::vector<double>&, std::vector<double>&) const;
template void Redistribution::move(const std::vector<Box>&, const std::vector<Box>&,
                                   const std::vector<std::complex<double>>&,
                                   std::vector<std::complex<double>>&) const;

std::vector<Box> slabs(const Box& whole, int axis, int ranks) {
  std::vector<Box> parts(static_cast<std::size_t>(ranks), whole);
  const std::int64_t planes = whole.size(axis);
  for (int r = 0; r < ranks; ++r) {
    parts[r].lo[axis] = whole.lo[axis] + static_cast<int>(planes * r / ranks);
    parts[r].hi[axis] = whole.lo[axis] + static_cast<int>(planes * (r + 1) / ranks);
  }
  return parts;
}

}  // namespace helsim
