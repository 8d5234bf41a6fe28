#pragma once

#include "tools/simulate/rows.hpp"

namespace pat::simulation {

/// The rows with what their columns are, to standard output.
void print_table(const Plan& plan, const Rows& rows);
/// One line a row, to standard output.
void print_csv(const Plan& plan, const Rows& rows);
/// The plan and one object a row, to standard output.
void print_json(const Plan& plan, const Rows& rows);

}  // namespace pat::simulation
