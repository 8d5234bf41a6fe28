#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>

namespace pat::detail {

/// The largest message that leaves this process for `peer` before it is asked for there, bytes, to
/// a sixteenth as far as `budget_s` seconds allow; 0 if none does. `message_s(bytes)`: what a
/// message takes, seconds; one that has not left after that waits for its receiver. `peer` calls
/// answer_eager_probes() meanwhile.
std::size_t eager_limit(MPI_Comm comm, int peer,
                        const std::function<double(std::size_t)>& message_s, double budget_s);

/// The other end of eager_limit(), which rank `sender` calls.
void answer_eager_probes(MPI_Comm comm, int sender);

}  // namespace pat::detail
