#pragma once

#include <string>
#include <vector>

namespace pat {

/// The one of `names` that `wrong` was most likely meant for: few letters apart, or one begins with
/// the other. Empty if none is near.
std::string nearest(const std::string& wrong, const std::vector<std::string>& names);

/// How a sentence about a name that is not known ends: "did you mean --trace?" with `before` = "--"
/// and the nearest name, else `otherwise`.
std::string did_you_mean(const std::string& before, const std::string& wrong,
                         const std::vector<std::string>& names, const std::string& otherwise);

}  // namespace pat
