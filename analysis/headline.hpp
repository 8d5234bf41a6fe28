#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace pat {

/// Headline, culprits and advice of findings_of() in at most 21 lines of at most 80 columns: with
/// what stands before them in a report on stderr a screen of 24 lines suffices.
void print_headline(const nlohmann::ordered_json& findings, std::ostream& out);

}  // namespace pat
