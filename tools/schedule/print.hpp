#pragma once

#include "collectives/cost/simulate.hpp"
#include "tools/schedule/build.hpp"

namespace pat::schedule {

/// Who sends what to whom, with what the columns are, to standard output: a plan of Clairvoyant's
/// as in seed 004's Table 2, any other schedule message by message.
void print_table(const Built& built, const CostModel& model);

/// When each rank arrives and is done, to standard output.
void print_timing(const Timing& timing);

/// The schedule, and what was asked about it besides, to standard output.
void print_json(const Request& request, const Built& built, const CostModel& model);

}  // namespace pat::schedule
