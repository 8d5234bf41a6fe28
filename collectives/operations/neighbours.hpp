#pragma once

// What the rows of the two operations among neighbours have in common.

#include <cstddef>
#include <utility>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/problem.hpp"

namespace pat::neighbours {

/// The edge along which `rank` receives unit `unit`, and which unit of its block that is.
std::pair<std::size_t, std::size_t> edge_of_unit(const Problem& problem, int rank,
                                                 std::size_t unit);

/// What a rank sends to others, v bytes, leaves through its outgoing port after it has come, and
/// what it receives from others passes its incoming one: from those that come at or after a_k no
/// sooner than a_k, and in the foreground no sooner than it comes itself. With u_k the bytes from
/// these and u those from all:
///   max over ranks, and over k of a rank's neighbours, of
///   a + alpha + v beta, a_k + alpha + u_k beta, and in the foreground a + alpha + u beta.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach);

/// Open MPI 4.1 posts all receives and sends at once (coll/basic).
MpiPrice as_open_mpi(const Problem& problem, const CostModel& model);

}  // namespace pat::neighbours
