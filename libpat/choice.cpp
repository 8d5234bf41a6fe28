#include "libpat/choice.hpp"

namespace pat {

Choice choose(const Problem& problem, const ArrivalPattern&, const Config&,
              const Algorithm* fixed) {
  if (fixed != nullptr) return {fixed, 0, "chosen by the user"};
  return {&get_algorithm(problem.operation, "mpi"), 0, "no candidate is expected to gain"};
}

}  // namespace pat
