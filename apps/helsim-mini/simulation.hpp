#pragma once

#include <complex>
#include <vector>

#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/field_solver.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// Sums over the whole box at one time, the same on every process.
struct Diagnostics {
  double time = 0.0;
  double kinetic_energy = 0.0;
  double field_energy = 0.0;
  double charge = 0.0;           ///< deposited on the nodes, without the background
  double charge_expected = 0.0;  ///< of the particles that were loaded
  double charge_gross = 0.0;     ///< the same without signs: what errors are measured against
  double particles = 0.0;
  std::complex<double> mode;  ///< of the field along k, for the first wave of the case

  double energy() const { return kinetic_energy + field_energy; }
  double charge_error() const { return (charge - charge_expected) / charge_gross; }
};

/// An explicit electrostatic particle-in-cell simulation: leapfrog with Boris's push, clouds in
/// cells, spectral field. All calls are collective over the communicator.
class Simulation {
 public:
  /// Loads the particles of the case and finds the first field.
  Simulation(MPI_Comm comm, const Case& setup);
  /// Starts from given particles, one set per species, of which each process may pass any share.
  /// Their velocities are half a step behind their positions.
  Simulation(MPI_Comm comm, const Case& setup, std::vector<Particles> particles, double time);

  /// One time step. Returns what held at its beginning.
  Diagnostics step();

  const Case& setup() const { return setup_; }
  const Domain& domain() const { return domain_; }
  const std::vector<Particles>& species() const { return species_; }
  /// Number density of all species that are lighter than twice the lightest (the electrons), on the
  /// nodes of the block with halo: what the pictures show.
  const std::vector<double>& light_density() const { return light_density_; }
  const VectorField& field() const { return field_; }
  double time() const { return time_; }

 private:
  void find_field();
  void count_particles();
  double field_energy() const;
  std::complex<double> field_mode() const;

  Case setup_;
  Domain domain_;
  FieldSolver solver_;
  std::vector<Particles> species_;
  VectorField field_;
  std::vector<double> light_density_;
  double charge_ = 0.0;  ///< on this process's nodes
  double charge_expected_ = 0.0;
  double charge_gross_ = 0.0;
  double time_ = 0.0;
};

/// Copies of all particles of a species on rank 0, by id; nothing elsewhere. Collective.
std::vector<Particle> gather_particles(const Domain& domain, const Particles& particles);

}  // namespace helsim
