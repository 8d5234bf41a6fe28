#pragma once

#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {
struct CostModel;
enum class Reach;
}  // namespace pat

namespace pat::scan {

/// Whether a rank's result holds its own vector beside those of the ranks before it: in a scan it
/// does, in an exscan it does not, and rank 0 has no result.
enum class Prefix { inclusive, exclusive };

/// The bound of both (OperationRow::bound). What a process has leaves it after it has come, and a
/// message lets at most one more process know of it, until all ranks after it do:
///   max over k < P - 1 of a_k + max(alpha + m beta, ceil(log2(P - k)) alpha).
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach);

}  // namespace pat::scan
