#pragma once

#include <cstddef>
#include <vector>

namespace pat::detail {

/// Sizes beyond which messages ask first, bytes, one for each of Open MPI's usual ways to send: as
/// its environment sets them, else its defaults; smallest first. Which way is taken to a peer they
/// do not tell. Of other libraries none. (Its tool interface would tell them, too, but to begin
/// that takes Open MPI 4 a quarter of a second.)
std::vector<std::size_t> likely_eager_limits();

}  // namespace pat::detail
