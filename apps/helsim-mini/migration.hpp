#pragma once

#include <vector>

#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// Sends every particle that has left its block to the process that now holds it, one axis after
/// the other. Throws pat::Error(argument) on all processes if one has flown over a whole block in
/// one step. Collective.
void migrate(const Domain& domain, Particles& particles);

/// Copies of the particles of neighbouring blocks that are within `reach` of this block, without
/// going around the periodic box: what a picture of this block may show of its neighbours. `own` is
/// what this process has. Throws pat::Error(argument) if `reach` is longer than a block.
/// Collective.
std::vector<Particle> neighbours_within(const Domain& domain, const std::vector<Particle>& own,
                                        double reach);

}  // namespace helsim
