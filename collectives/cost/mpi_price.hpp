#pragma once

#include <cstddef>

#include "collectives/cost/select.hpp"

namespace pat {

/// The size of block that an MPI library decides by, bytes: the largest, as Open MPI decides by the
/// block size that all ranks share.
std::size_t largest_block_bytes(const Problem& problem);

/// The stand-in where no rule of a library is known: the registered algorithm that ignores arrivals
/// and is simulated to be fastest when all arrive together; none if none is registered.
MpiPrice fastest_without_pattern(const Problem& problem, const CostModel& model);

}  // namespace pat
