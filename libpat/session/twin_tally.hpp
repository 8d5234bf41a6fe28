#pragma once

#include <cstdint>

#include "libpat/session/tally.hpp"
#include "libpat/session/twin.hpp"

namespace pat::detail {

/// Tells the communicators of other processes apart: a hash of their ranks in the session.
std::uint64_t group_of(const Twin& comm);

TallyKey tally_key(const Twin& comm, const Series& series);

/// The series' tally with the reasons of just those calls that were made, the first one too; no
/// reasons but at the leader.
Tally final_tally(const Twin& comm, const Series& series);

}  // namespace pat::detail
