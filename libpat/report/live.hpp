#pragma once

#include <mpi.h>

namespace pat::detail {

class Session;

/// With PAT_LIVE=1 this process answers `pat top` from here on, with PAT_WATCHDOG=auto those who
/// wait for it, too (report/look_out): whoever connects to its socket (core/live_socket) is sent
/// its state (core/live_state), in a thread that sleeps until somebody does and calls no MPI. Where
/// there can be no socket the log says why, and the session goes on. Collective over `comm`.
void begin_live(MPI_Comm comm, Session& session);

/// The socket goes. Before the session does.
void end_live();

}  // namespace pat::detail
