#pragma once

#include <ostream>
#include <vector>

#include "bench/regret/row.hpp"

namespace pat::regret {

/// For people: a line a cell, then in how many cells each aim is met, then, of the cells where one
/// is missed, what `auto` took there and why.
void write_text(const std::vector<Row>& rows, const Aims& aims, std::ostream& out);

/// For programs: everything in a row, times in seconds.
void write_csv(const std::vector<Row>& rows, const Aims& aims, std::ostream& out);

}  // namespace pat::regret
