#pragma once

#include <cstddef>
#include <vector>

namespace pat::detail {

/// Sizes beyond which messages ask first, bytes, one for each of the MPI library's ways to send, as
/// its tool interface tells them; smallest first. Which way is taken to a peer it does not tell.
/// Main thread; the level of threads that MPI gives stays.
std::vector<std::size_t> told_eager_limits();

}  // namespace pat::detail
