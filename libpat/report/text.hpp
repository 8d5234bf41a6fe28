#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

namespace pat::detail {

/// Prints the report that summary() made as tables for a person.
void print(const nlohmann::ordered_json& report, std::ostream& out);

}  // namespace pat::detail
