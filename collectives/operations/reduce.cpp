// Reduce: the root receives the vectors of all ranks, combined element by element.
// Source: MPI 4.0, Section 6.9.1; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_reduce_intra_dec_fixed).

#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"

namespace pat::operation_reduce {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  return {0, problem.ranks, unit};
}

/// What combines in one order; its in-order binary tree is priced as bnom.
std::string_view keeping_order_by_open_mpi(int ranks, std::size_t bytes) {
  if (ranks < 4) return bytes < 8 ? "bnom" : "lin";
  if (ranks < 8) return "lin";
  if (ranks < 16) {
    const bool linear = (bytes >= 1024 && bytes < 8192) || (bytes >= 16384 && bytes < 262144);
    return linear ? "lin" : "bnom";
  }
  return "bnom";
}

/// The library's tables; its trees have two children, and nothing is cut into segments: its
/// pipeline and its chains are priced as pipeline in one.
std::string_view chosen_by_open_mpi(const Problem& problem) {
  const int ranks = problem.ranks;
  const std::size_t bytes = largest_block_bytes(problem);
  if (!problem.commutative) return keeping_order_by_open_mpi(ranks, bytes);
  if (ranks < 4) {
    if (bytes < 8) return "rabenseifner";
    if (bytes < 16) return "kary";
    return bytes >= 32 && bytes < 262144 ? "lin" : "pipeline";
  }
  if (ranks < 8) {
    if (bytes < 4096) return "kary";
    if (bytes < 65536) return "pipeline";
    const bool tree = bytes < 262144 || (bytes >= 524288 && bytes < 1048576);
    return tree ? "bnom" : "lin";
  }
  const std::size_t binary = ranks < 16 ? 8192 : ranks < 32 ? 4096 : 0;
  return bytes < binary ? "kary" : "bnom";
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  return {&get_algorithm(Operation::reduce, chosen_by_open_mpi(problem)), 1, 1, 1.0, 0.0};
}

}  // namespace

PAT_OPERATION(reduce) {
  return {.operation = Operation::reduce,
          .name = "reduce",
          .rooted = true,
          .combines = true,
          .send = {At::everywhere, Holds::block},
          .recv = {At::root, Holds::block},
          .promised = promised,
          .bound = nullptr,
          .stand_in = as_open_mpi,
          .fixed_order = "bnom",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"clairvoyant", "bnom"}};  // as seed 004
}

}  // namespace pat::operation_reduce
