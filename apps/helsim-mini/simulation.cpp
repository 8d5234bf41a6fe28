#include "apps/helsim-mini/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/helsim-mini/deposition.hpp"
#include "apps/helsim-mini/loading.hpp"
#include "apps/helsim-mini/migration.hpp"
#include "apps/helsim-mini/mpi_error.hpp"
#include "apps/helsim-mini/push.hpp"

namespace helsim {
namespace {

double lightest(const Case& setup) {
  double mass = setup.species.front().mass;
  for (const SpeciesCase& species : setup.species) mass = std::min(mass, species.mass);
  return mass;
}

/// Calls visit(index with halo, global i, j, k) for the nodes that belong to the block.
template <class Visit>
void for_own_nodes(const Domain& domain, Visit visit) {
  const Box& box = domain.box();
  for (int k = box.lo[2]; k < box.hi[2]; ++k)
    for (int j = box.lo[1]; j < box.hi[1]; ++j)
      for (int i = box.lo[0]; i < box.hi[0]; ++i)
        visit(domain.node_box().index(i, j, k), Int3{i, j, k});
}

std::vector<Particles> load_all(const Domain& domain, const Case& setup) {
  std::vector<Particles> all;
  for (std::size_t s = 0; s < setup.species.size(); ++s)
    all.push_back(load(domain, setup, static_cast<int>(s)));
  return all;
}

}  // namespace

Simulation::Simulation(MPI_Comm comm, const Case& setup)
    : setup_(setup),
      domain_(comm, setup.grid),
      solver_(domain_),
      species_(load_all(domain_, setup)) {
  for (Particles& particles : species_) migrate(domain_, particles);
  count_particles();
  find_field();
  for (std::size_t s = 0; s < species_.size(); ++s)
    accelerate(domain_, field_, setup_.magnetic, setup_.species[s].charge / setup_.species[s].mass,
               -0.5 * setup_.time_step, species_[s]);
}

Simulation::Simulation(MPI_Comm comm, const Case& setup, std::vector<Particles> particles,
                       double time)
    : setup_(setup),
      domain_(comm, setup.grid),
      solver_(domain_),
      species_(std::move(particles)),
      time_(time) {
  for (Particles& one : species_) migrate(domain_, one);
  count_particles();
  find_field();
}

void Simulation::count_particles() {
  double charge[2] = {0.0, 0.0};
  for (std::size_t s = 0; s < species_.size(); ++s) {
    const double each =
        setup_.species[s].charge * setup_.species[s].weight() * setup_.grid.cell_volume();
    charge[0] += each * static_cast<double>(species_[s].size());
    charge[1] += std::abs(each) * static_cast<double>(species_[s].size());
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, charge, 2, MPI_DOUBLE, MPI_SUM, domain_.comm()),
            "MPI_Allreduce");
  charge_expected_ = charge[0];
  charge_gross_ = charge[1];
}

void Simulation::find_field() {
  std::vector<double> charge_density(domain_.box().volume());
  light_density_.assign(domain_.node_box().volume(), 0.0);
  const double light = 2.0 * lightest(setup_);
  for (std::size_t s = 0; s < species_.size(); ++s) {
    const SpeciesCase& kind = setup_.species[s];
    const double unit = kind.weight() / static_cast<double>(units_per_particle);
    const std::vector<std::int64_t> nodes = deposit(domain_, species_[s]);
    for_own_nodes(domain_, [&](std::size_t n, const Int3& at) {
      charge_density[domain_.box().index(at[0], at[1], at[2])] +=
          kind.charge * unit * static_cast<double>(nodes[n]);
    });
    if (kind.mass < light)
      for (std::size_t n = 0; n < nodes.size(); ++n)
        light_density_[n] += unit * static_cast<double>(nodes[n]);
  }
  charge_ = 0.0;
  for (double density : charge_density) charge_ += density * setup_.grid.cell_volume();
  solver_.solve(charge_density, field_);
}

double Simulation::field_energy() const {
  double sum = 0.0;
  for_own_nodes(domain_, [&](std::size_t n, const Int3&) {
    for (int a = 0; a < 3; ++a) sum += field_[a][n] * field_[a][n];
  });
  return 0.5 * sum * setup_.grid.cell_volume();
}

std::complex<double> Simulation::field_mode() const {
  const auto wave = std::find_if(setup_.species.begin(), setup_.species.end(),
                                 [](const SpeciesCase& s) { return s.wave.amplitude != 0.0; });
  if (wave == setup_.species.end()) return 0.0;
  const Int3& mode = wave->wave.mode;
  const Grid& grid = setup_.grid;
  Vec3 k;
  for (int a = 0; a < 3; ++a) k[a] = 2.0 * std::numbers::pi * mode[a] / grid.length[a];
  const double length = std::sqrt(dot(k, k));
  std::complex<double> sum = 0.0;
  for_own_nodes(domain_, [&](std::size_t n, const Int3& at) {
    double along = 0.0, phase = 0.0;
    for (int a = 0; a < 3; ++a) {
      along += field_[a][n] * k[a] / length;
      phase += k[a] * at[a] * grid.spacing(a);
    }
    sum += along * std::polar(1.0, -phase);
  });
  return sum * (2.0 / static_cast<double>(grid.box().volume()));
}

Diagnostics Simulation::step() {
  Diagnostics now;
  now.time = time_;
  now.charge_expected = charge_expected_;
  now.charge_gross = charge_gross_;
  const std::complex<double> mode = field_mode();
  double sums[6] = {0.0, field_energy(), charge_, 0.0, mode.real(), mode.imag()};
  for (std::size_t s = 0; s < species_.size(); ++s) {
    const SpeciesCase& kind = setup_.species[s];
    const double half_squares = accelerate(domain_, field_, setup_.magnetic,
                                           kind.charge / kind.mass, setup_.time_step, species_[s]);
    sums[0] += kind.mass * kind.weight() * setup_.grid.cell_volume() * half_squares;
    sums[3] += static_cast<double>(species_[s].size());
    drift(setup_.grid, setup_.time_step, species_[s]);
    migrate(domain_, species_[s]);
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPI_DOUBLE, MPI_SUM, domain_.comm()),
            "MPI_Allreduce");
  now.kinetic_energy = sums[0];
  now.field_energy = sums[1];
  now.charge = sums[2];
  now.particles = sums[3];
  now.mode = {sums[4], sums[5]};
  time_ += setup_.time_step;
  find_field();
  return now;
}

std::vector<Particle> gather_particles(const Domain& domain, const Particles& particles) {
  std::vector<Particle> own;
  own.reserve(particles.size());
  for (std::size_t n = 0; n < particles.size(); ++n) own.push_back(particles.get(n));
  const int count = static_cast<int>(own.size());
  const bool root = domain.rank() == 0;
  std::vector<int> counts(root ? static_cast<std::size_t>(domain.ranks()) : 0), offsets;
  check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, domain.comm()),
            "MPI_Gather");
  int total = 0;
  for (int c : counts) {
    offsets.push_back(total);
    total += c;
  }
  std::vector<Particle> all(static_cast<std::size_t>(total));
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(Particle), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const int code = MPI_Gatherv(own.data(), count, type, all.data(), counts.data(), offsets.data(),
                               type, 0, domain.comm());
  MPI_Type_free(&type);
  check_mpi(code, "MPI_Gatherv");
  std::sort(all.begin(), all.end(),
            [](const Particle& a, const Particle& b) { return a.id < b.id; });
  return all;
}

}  // namespace helsim
