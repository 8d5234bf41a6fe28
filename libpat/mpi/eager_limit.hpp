#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace pat::detail {

/// The largest message that leaves this process for `peer` while that one is elsewhere, bytes, to a
/// sixteenth as far as `budget_s` seconds allow; 0 if none of 8 KiB does. `likely`: limits that the
/// library may have, smallest first (likely_eager_limits); one is taken where a message just beyond
/// the next smaller one leaves, and one of its own size, too, if there is time to look; else any is
/// looked for. `message_s(bytes)`: what a message takes, seconds; so long, and a little
/// longer, `peer` sleeps each time. It calls answer_eager_probes() meanwhile. A process that waits
/// within the MPI library would not do: over shared memory Open MPI's short messages leave at once
/// then, and else only when it comes back.
std::size_t eager_limit(MPI_Comm comm, int peer, const std::vector<std::size_t>& likely,
                        const std::function<double(std::size_t)>& message_s, double budget_s);

/// The other end of eager_limit(), which rank `sender` calls.
void answer_eager_probes(MPI_Comm comm, int sender);

}  // namespace pat::detail
