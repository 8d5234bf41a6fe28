#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pat {

/// The JSON report of a run, and what the page calls it.
struct NamedReport {
  std::string name;
  nlohmann::ordered_json report;
};

/// Whether it is a report that a page or a headline can be made of.
bool is_report(const nlohmann::ordered_json& report);

/// One HTML file that needs nothing beside it: headlines of the runs side by side, and of each what
/// findings_of() found. Text of the data cannot become markup: it stands as JSON without '<', and
/// the page puts it in as text. docs/report.md tells how to read it.
std::string page_of(const std::vector<NamedReport>& runs);

}  // namespace pat
