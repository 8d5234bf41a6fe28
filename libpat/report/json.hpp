#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/config.hpp"
#include "core/journal.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {

/// What this process has to say for the report, as JSON; what is no UTF-8 is replaced.
std::string describe_process(const Snapshot& now);

/// The report, as PAT_REPORT=file.json gets it, from the journals of the processes, whose summaries
/// are what describe_process() said. Not complete if one has none.
nlohmann::ordered_json summary(const Config& config, const JoinedJournals& joined);

}  // namespace pat::detail
