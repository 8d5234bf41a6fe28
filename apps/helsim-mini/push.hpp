#pragma once

#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/field_solver.hpp"
#include "apps/helsim-mini/magnetic_field.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// Boris's step for the velocities: half the electric kick, the magnetic rotation, the other half.
/// `charge_to_mass` times `step` is what the kicks and the angle scale with; a negative half step
/// takes the velocities from the start of the run to where leapfrog wants them. Returns the sum of
/// v^2 / 2 over this process's particles between the two kicks, that is at the time of the
/// positions. J. P. Boris, Proc. 4th Conf. Numerical Simulation of Plasmas (1970).
double accelerate(const Domain& domain, const VectorField& electric, const MagneticField& magnetic,
                  double charge_to_mass, double step, Particles& particles);

/// Moves the particles and wraps them around the periodic box; they may then lie outside of their
/// block.
void drift(const Grid& grid, double step, Particles& particles);

/// The coordinate in [0, length) that is the same place in the periodic box.
double wrap(double coordinate, double length);

}  // namespace helsim
