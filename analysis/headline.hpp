#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace pat {

/// Headline, culprits and advice of findings_of() in at most 24 lines of at most 80 columns.
void print_headline(const nlohmann::ordered_json& findings, std::ostream& out);

}  // namespace pat
