#pragma once

#include <mpi.h>

#include <vector>

#include "collectives/problem.hpp"

namespace pat::detail {

/// Who has a link much slower than the others': Problem::link_slowdown of the processes of `comm`,
/// the same on all; empty: nobody, or it cannot be told, of fewer than four machines. One process a
/// machine exchanges a message (link_message_bytes) with one on the next and one on the machine
/// before, all pairs at once, so that it takes a few milliseconds whatever their number; where a
/// link seems to be slow three times more, and as many times as long as that link takes. `usual`
/// and the longest message that was measured are the same on all processes, `comm` is private.
/// Collective.
std::vector<double> link_speeds(MPI_Comm comm, const LinkCost& usual, std::size_t longest_measured);

}  // namespace pat::detail
