#pragma once

#include <mpi.h>

#include <vector>

#include "collectives/cost/calibration.hpp"

namespace pat::detail {

/// What messages cost here, in the time of a few of them: a ping-pong of growing sizes between the
/// first process and the last, which lies on another node if any does, and between the first and
/// the second; of each size the slower of the two counts. Then up to which size messages leave
/// unasked, and what blocks hinder each other that many send to one, where there is time for it.
/// Ends when `budget_s` is used up, with the sizes that it came to. The same on all processes.
/// `comm` is private. Collective; nothing with one process.
Calibration quick_calibration(MPI_Comm comm, double budget_s);

/// Some links are slower than the usual one (Problem::link_slowdown of the same processes): the
/// costs become those of the usual one where a slow one was measured. Local.
void take_in_links(const std::vector<double>& slowdown, Calibration& calibration);

}  // namespace pat::detail
