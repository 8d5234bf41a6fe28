#pragma once

#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// The particles of species number `index` of the case that start in this process's block.
/// Identities, places and velocities follow from the seed and the cell alone, so that they are the
/// same for every process count. A wave may leave particles outside of the block: migrate() then.
Particles load(const Domain& domain, const Case& setup, int index);

}  // namespace helsim
