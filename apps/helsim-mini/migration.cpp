#include "apps/helsim-mini/migration.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>

#include "apps/helsim-mini/mpi_error.hpp"

namespace helsim {
namespace {

/// Sends `out` to `to` and returns what `from` sends here.
std::vector<Particle> exchange(const std::vector<Particle>& out, int to, int from, MPI_Comm comm) {
  int leaving = static_cast<int>(out.size()), coming = 0;
  check_mpi(MPI_Sendrecv(&leaving, 1, MPI_INT, to, 0, &coming, 1, MPI_INT, from, 0, comm,
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
  std::vector<Particle> in(static_cast<std::size_t>(coming));
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(Particle), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const int code = MPI_Sendrecv(out.data(), leaving, type, to, 1, in.data(), coming, type, from, 1,
                                comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  check_mpi(code, "MPI_Sendrecv");
  return in;
}

/// Which way round a particle in this cell leaves the block along the axis: -1, 0 (stays) or 1.
int direction(const Domain& domain, int axis, int cell) {
  const Box& box = domain.box();
  if (cell >= box.lo[axis] && cell < box.hi[axis]) return 0;
  const int cells = domain.grid().cells[axis];
  const int above = (cell - box.hi[axis] + cells) % cells;
  const int below = (box.lo[axis] - 1 - cell + cells) % cells;
  return above < below ? 1 : -1;
}

bool all_inside(const Domain& domain, const Particles& particles) {
  for (std::size_t n = 0; n < particles.size(); ++n)
    if (!domain.box().contains(domain.grid().cell_of(particles.get(n).position))) return false;
  return true;
}

}  // namespace

void migrate(const Domain& domain, Particles& particles) {
  for (int axis = 0; axis < 3; ++axis) {
    if (domain.blocks()[axis] == 1) continue;
    std::vector<Particle> down, up;
    for (std::size_t n = particles.size(); n-- > 0;) {
      double ignored = 0.0;
      const int cell = domain.grid().cell(particles.position[axis][n], axis, ignored);
      const int way = direction(domain, axis, cell);
      if (way == 0) continue;
      (way > 0 ? up : down).push_back(particles.get(n));
      particles.remove(n);
    }
    const int low = domain.neighbour(axis, -1), high = domain.neighbour(axis, 1);
    for (const Particle& p : exchange(up, high, low, domain.comm())) particles.add(p);
    for (const Particle& p : exchange(down, low, high, domain.comm())) particles.add(p);
  }
  int inside = all_inside(domain, particles) ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPI_INT, MPI_LAND, domain.comm()),
            "MPI_Allreduce");
  if (!inside)
    throw pat::Error(pat::ErrorKind::argument,
                     "a particle has flown over a whole block in one step, make 'time_step' "
                     "smaller or use fewer processes");
}

std::vector<Particle> neighbours_within(const Domain& domain, const std::vector<Particle>& own,
                                        double reach) {
  const Grid& grid = domain.grid();
  std::vector<Particle> ghosts;
  for (int axis = 0; axis < 3; ++axis) {
    const int blocks = domain.blocks()[axis];
    if (blocks == 1) continue;
    const double spacing = grid.spacing(axis);
    if (reach > spacing * (grid.cells[axis] / blocks))
      throw pat::Error(pat::ErrorKind::argument,
                       "a drawn particle is larger than a block, make 'particle_radius' smaller, "
                       "the image larger, or use fewer processes");
    const int at = domain.coordinates_of(domain.rank())[axis];
    const double lo = spacing * domain.box().lo[axis], hi = spacing * domain.box().hi[axis];
    std::vector<Particle> down, up;
    const auto pick = [&](const Particle& p) {
      if (at > 0 && p.position[axis] <= lo + reach) down.push_back(p);
      if (at < blocks - 1 && p.position[axis] >= hi - reach) up.push_back(p);
    };
    std::for_each(own.begin(), own.end(), pick);
    std::for_each(ghosts.begin(), ghosts.end(), pick);
    const int low = domain.neighbour(axis, -1), high = domain.neighbour(axis, 1);
    const auto from_low = exchange(up, high, low, domain.comm());
    const auto from_high = exchange(down, low, high, domain.comm());
    ghosts.insert(ghosts.end(), from_low.begin(), from_low.end());
    ghosts.insert(ghosts.end(), from_high.begin(), from_high.end());
  }
  return ghosts;
}

}  // namespace helsim
