#pragma once

#include <cstdint>
#include <vector>

#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/particles.hpp"

namespace helsim {

/// What one particle deposits in all: its share of each node is a whole number of these units.
/// Whole numbers add up the same in any order, so densities do not depend, to the last bit, on the
/// number of processes and threads or on the order of the particles, and none is ever lost.
/// 2^44 leaves room for 2^19 particles at one node.
inline constexpr std::int64_t units_per_particle = std::int64_t{1} << 44;

/// Particles per node, in units, on the block with its halo filled. Collective.
std::vector<std::int64_t> deposit(const Domain& domain, const Particles& particles);

}  // namespace helsim
