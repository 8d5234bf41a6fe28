#pragma once

#include <string>
#include <vector>

#include "libpat/report/socket_place.hpp"

namespace pat::detail {

class Session;

/// With PAT_WATCHDOG a thread of this process looks out from here on: where a call has waited
/// for more than a second, or for as long as the setting says, it asks the job's other processes on
/// this machine how they stand (report/live), on the machine of rank 0 also those elsewhere by way
/// of its daemon, and names who is late (report/late), and says so when that call is over after
/// all. It sleeps while no call lasts, and calls no MPI. `places`: of all ranks.
void begin_look_out(Session& session, const std::string& job,
                    const std::vector<SocketPlace>& places);

/// Before the session ends.
void end_look_out();

}  // namespace pat::detail
