// Barrier: no rank leaves before all have come. It moves no data.
// Source: MPI 4.0, Section 6.3; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_barrier_intra_dec_fixed).

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_barrier {
namespace {

/// Never asked: there are no units.
Promised promised(const Problem&, int, std::size_t) {
  return {0, 0, 0};
}

/// Nobody can say of the last process that it has come before it comes. A message lets at most one
/// more process know, so from one to P it takes as many messages one after another as P has
/// doublings: the last arrival + ceil(log2 P) alpha.
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model, Reach) {
  const double doublings = ceil_log2(problem.ranks);
  return *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end()) +
         doublings * model.alpha_s;
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const int ranks = problem.ranks;
  const char* const name = ranks < 4      ? "recursive-doubling"
                           : ranks < 8    ? "linear"
                           : ranks < 64   ? "recursive-doubling"
                           : ranks < 256  ? "dissemination"
                           : ranks < 512  ? "tree"
                           : ranks < 1024 ? "dissemination"
                           : ranks < 4096 ? "tree"
                                          : "dissemination";
  return {&get_algorithm(Operation::barrier, name), 0, 1, 1.0, 0.0};
}

}  // namespace

PAT_OPERATION(barrier) {
  return {.operation = Operation::barrier,
          .name = "barrier",
          .rooted = false,
          .combines = false,
          .send = {At::nowhere, Holds::block},
          .recv = {At::nowhere, Holds::block},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"sbn", "tree"}};  // the same tree, in the order of arrivals and of ranks
}

}  // namespace pat::operation_barrier
