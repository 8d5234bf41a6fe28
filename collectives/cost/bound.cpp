#include "collectives/cost/bound.hpp"

#include <algorithm>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {

double lower_bound_s(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                     Reach reach) {
  validate(problem);
  validate(pattern, problem.ranks);
  const auto bound = row(problem.operation).bound;
  if (bound == nullptr)
    throw Error(ErrorKind::argument,
                "there is no bound for " + std::string(name(problem.operation)) + ", ask for " +
                    operation_names_where(
                        [](const OperationRow& one) { return one.bound != nullptr; }, " or "));
  const auto [first, last] = std::minmax_element(pattern.offset_s.begin(), pattern.offset_s.end());
  return std::max(*last, bound(problem, pattern, model, reach)) - *first;
}

}  // namespace pat
