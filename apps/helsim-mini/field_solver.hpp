#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/redistribution.hpp"

namespace helsim {

/// The electric field on the nodes of one block, halo included; one array per component.
using VectorField = std::array<std::vector<double>, 3>;

/// The electrostatic field of a charge density in the periodic box: k^2 phi = rho and E = -i k phi
/// in Fourier space (epsilon_0 = 1). The mean charge is dropped: a fixed, uniform background of the
/// opposite sign. The transforms are FFTW's, in slabs, each line alone: the bits do not depend on
/// the number of processes. C. K. Birdsall and A. B. Langdon, Plasma Physics via Computer
/// Simulation, chapters 2 and 14.
class FieldSolver {
 public:
  /// The domain must outlive the solver. Local.
  explicit FieldSolver(const Domain& domain);
  ~FieldSolver();
  FieldSolver(const FieldSolver&) = delete;
  FieldSolver& operator=(const FieldSolver&) = delete;

  /// `charge_density` on the nodes of the block without halo; `field` gets its halo filled.
  /// Collective.
  void solve(const std::vector<double>& charge_density, VectorField& field);

 private:
  struct Plans;

  void to_modes(const std::vector<double>& density);
  void component_to_nodes(int axis, std::vector<double>& nodes);

  const Domain& domain_;
  Box modes_;                     ///< x halved: the field is real
  std::vector<Box> plane_nodes_;  ///< slabs across z, one per process
  std::vector<Box> plane_modes_;  ///< the same after the transform in x and y
  std::vector<Box> line_modes_;   ///< slabs across y, for the transform in z
  Redistribution blocks_to_planes_;
  Redistribution planes_to_lines_;
  std::unique_ptr<Plans> plans_;
  std::vector<std::complex<double>> potential_;  ///< phi of the modes in this process's y slab
};

}  // namespace helsim
