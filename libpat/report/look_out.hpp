#pragma once

#include <mpi.h>

#include <string>

namespace pat::detail {

class Session;

/// With PAT_WATCHDOG=auto a thread of this process looks out from here on: where a call has waited
/// for more than a second it asks the job's other processes on this machine how they stand
/// (report/live), and names who is late (report/late). It sleeps while no call lasts, and calls no
/// MPI. Collective over `comm`.
void begin_look_out(MPI_Comm comm, Session& session, const std::string& job);

/// Before the session ends.
void end_look_out();

}  // namespace pat::detail
