#pragma once

#include <string>

namespace pat::detail {

/// Of PAT: "0.1.0".
std::string version();
/// What `git describe` said of the sources when PAT was built; "unknown" outside a repository.
std::string revision();

}  // namespace pat::detail
