#pragma once

#include "collectives/schedule.hpp"

namespace pat {

/// Cuts what two processes that both have data for each other send into messages that leave unasked
/// (patterns/pieces.hpp): over TCP Open MPI carries two long messages between two processes one
/// after the other, as its receivers fetch them. Both ends see in their own programs whom this
/// concerns. Not where all blocks go straight to where they belong (alltoall): there pairs that take
/// turns would get out of step, since what leaves unasked does not wait for the other. Before
/// seal().
void cut_exchanges(Schedule& schedule);

}  // namespace pat
