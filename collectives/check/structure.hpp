#pragma once

#include <string>

#include "collectives/check/verify.hpp"
#include "collectives/schedule.hpp"

namespace pat {

/// What can be said of each program by itself: dependencies point backwards, slices lie inside
/// their buffers, peers exist, one join, and the user's buffers are used only after it (receiving
/// into `recv` excepted).
Verdict check_structure(const Schedule& schedule);

/// "operation 4 of rank 2 (recv from 0, round 3)".
std::string describe(const Schedule& schedule, int rank, OpId id);

/// "the send buffer", "the receive buffer" or "scratch".
std::string buffer_name(Buffer buffer);

}  // namespace pat
