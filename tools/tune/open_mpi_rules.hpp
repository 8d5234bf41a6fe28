#pragma once

#include <span>
#include <string>

#include "tools/tune/rules.hpp"

namespace pat::tune {

/// What Open MPI reads as coll_tuned_dynamic_rules_filename, for communicators of `ranks` processes
/// and no others. Operations that are left to the library are left out. `remark` is one line.
/// Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c and coll_tuned_dynamic_rules.c of Open MPI
/// 4.1.
std::string open_mpi_rules(std::span<const OperationRules> all, int ranks,
                           const std::string& remark);

}  // namespace pat::tune
