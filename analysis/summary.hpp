#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pat {

/// The findings in one or two sentences: how much of the time is waiting, for whom most, and what
/// he would save on time. `findings`: all of findings_of but this.
std::string summary_of(const nlohmann::ordered_json& findings);

}  // namespace pat
