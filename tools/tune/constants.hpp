#pragma once

#include <string>
#include <vector>

namespace pat::tune {

/// The texts among the constants of this program and of the libraries that it has loaded which
/// begin so, each to its terminating 0.
std::vector<std::string> constants_with(const std::string& beginning);

}  // namespace pat::tune
