#pragma once

#include <string>
#include <vector>

#include "libpat/session/snapshot.hpp"

namespace pat::detail {

// What the processes tell rank 0 for the report and the trace. Collective over the snapshot's
// communicator; throw MpiFailure.

/// The texts of all processes at rank 0; empty elsewhere.
std::vector<std::string> gather_texts(const Snapshot& now, const std::string& mine);

/// One value a process and row at rank 0, row after row; empty elsewhere. All have equally many.
std::vector<double> gather_rows(const Snapshot& now, const std::vector<double>& mine);

}  // namespace pat::detail
