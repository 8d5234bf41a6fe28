#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pat {

/// What a report lacks of that which text and page show, or has in another form: "analysis.skew_s
/// is no number". Nothing: all is there. Further keys do not matter, and what older reports lack
/// may be missing (docs/report.md names all keys). O(size).
std::optional<std::string> fault_of(const nlohmann::ordered_json& report);

}  // namespace pat
