#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "libpat/session/snapshot.hpp"

namespace pat::detail {

/// What this process has to say for the report, as JSON; what is no UTF-8 is replaced.
std::string describe_process(const Snapshot& now);

/// The report, as PAT_REPORT=file.json gets it: `texts` are the descriptions of all, in rank
/// order, `trace` all calls. At rank 0.
nlohmann::ordered_json summary(const Snapshot& now, const std::vector<std::string>& texts,
                               const Trace& trace);

}  // namespace pat::detail
