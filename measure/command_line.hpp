#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

#include "core/units.hpp"

namespace pat::measure {

/// The option takes a time: "20ms", "25us"; a bare number is seconds.
inline CLI::Option* takes_seconds(CLI::Option* option) {
  const auto to_seconds = [](std::string& text) -> std::string {
    const auto seconds = parse_seconds(text, BareNumber::seconds);
    if (!seconds) return "'" + text + "' is not a time, write seconds, or 20ms or 25us";
    std::ostringstream number;
    number.precision(17);
    number << *seconds;
    text = number.str();
    return "";
  };
  return option->type_name("TIME")->transform(CLI::Validator(to_seconds, ""));
}

/// The option takes a size: "64k", "8MiB"; a bare number is bytes.
inline CLI::Option* takes_bytes(CLI::Option* option) {
  const auto to_bytes = [](std::string& text) -> std::string {
    const auto bytes = parse_bytes(text);
    if (!bytes) return "'" + text + "' is not a size, write bytes, or 64k or 8MiB";
    text = std::to_string(*bytes);
    return "";
  };
  return option->type_name("SIZE")->transform(CLI::Validator(to_bytes, ""));
}

}  // namespace pat::measure
