#pragma once

#include "tools/schedule/request.hpp"

namespace pat::schedule {

/// Prints all algorithms, or those of the operation and of the name that were given; `json`: as
/// JSON. Throws usage() if there is none.
void list_algorithms(const Request& request, bool json);

}  // namespace pat::schedule
