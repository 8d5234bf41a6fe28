#pragma once

#include <string>
#include <vector>

#include "collectives/algorithm.hpp"

namespace pat::test {

/// "auto" and every registered algorithm of an operation; only those with schedules if asked.
inline std::vector<std::string> registered(Operation operation, bool schedules_only = false) {
  std::vector<std::string> names = {"auto"};
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == operation && (algorithm.build != nullptr || !schedules_only))
      names.push_back(algorithm.name);
  return names;
}

/// A GoogleTest name: letters, digits and underscores.
inline std::string test_name(std::string name) {
  for (char& c : name)
    if (c == '-' || c == ':') c = '_';
  return name;
}

}  // namespace pat::test
