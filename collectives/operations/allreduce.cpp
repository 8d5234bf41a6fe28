// Allreduce: every rank receives the vectors of all ranks, combined element by element.
// Source: MPI 4.0, Section 6.9.6; the decision rule of coll/tuned in Open MPI 4.1
//   (ompi_coll_tuned_allreduce_intra_dec_fixed).

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::operation_allreduce {
namespace {

Promised promised(const Problem& problem, int, std::size_t unit) {
  return {0, problem.ranks, unit};
}

/// Of what arrives at or after a_k, s processes' vectors, nothing has left them before. Every unit
/// of these must come together with what the others have at the process f that has the result
/// first: each of the s but f sends, and if f is one of them, somebody who came before does. That
/// makes min(s, P - 1) messages which f needs, and each of the other P - 1 receives one more that
/// completes it, which f cannot have needed. All of them pass the P ports after a_k, so one port is
/// busy for the mean:
///   max over k of a_k + (min(s, P - 1) + P - 1) / P (alpha + m beta).
/// A process that has come sends all of its vector: a_k + alpha + m beta. A message lets at most
/// one more process know of a vector: the last a_k + ceil(log2 P) alpha. Data that lands before its
/// receiver arrives does away with what the ports of f take in: s - 1 for min(s, P - 1).
double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  const int ranks = problem.ranks;
  if (ranks < 2 || problem.units == 0) return 0.0;
  const double bytes = static_cast<double>(problem.units * problem.unit_bytes);
  const double message_s = model.alpha_s + bytes * model.beta_s_per_byte;
  std::vector<double> arrivals = pattern.offset_s;
  std::sort(arrivals.begin(), arrivals.end());
  const double doublings = ceil_log2(ranks);
  double end_s = arrivals.back() + std::max(message_s, doublings * model.alpha_s);
  for (int k = 0; k < ranks; ++k) {
    const int late = ranks - k;
    const int needed = reach == Reach::any ? late - 1 : std::min(late, ranks - 1);
    end_s = std::max(end_s, arrivals[k] + (needed + ranks - 1) * message_s / ranks);
  }
  return end_s;
}

/// Segments of the library's segmented ring have at most 1 MiB.
MpiPrice ring_in_segments(const Problem& problem, bool segmented) {
  const std::size_t part = largest_block_bytes(problem) / static_cast<std::size_t>(problem.ranks);
  const int segments = segmented ? static_cast<int>(1 + part / (std::size_t{1} << 20)) : 1;
  return {&get_algorithm(Operation::allreduce, "ring"), segments, 1, 1.0, 0.0};
}

/// The library's tables for up to 2047 processes; what combines in any order first.
MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  const int ranks = problem.ranks;
  const std::size_t bytes = largest_block_bytes(problem);
  const auto run = [](const char* algorithm) {
    return MpiPrice{&get_algorithm(Operation::allreduce, algorithm), 0, 1, 1.0, 0.0};
  };
  if (!problem.commutative) {
    const bool apart = ranks < 8     ? ranks < 4 && bytes >= 131072
                       : ranks < 16  ? bytes >= 1048576
                       : ranks < 128 ? false
                       : ranks < 256 ? bytes < 131072 || bytes >= 524288
                       : ranks < 512 ? bytes < 4096 || bytes >= 524288
                                     : bytes < 2048;
    return run(apart ? "reduce-bcast" : "recursive-doubling");
  }
  if (ranks < 4) {
    const bool doubling = (bytes >= 8 && bytes < 4096) || (bytes >= 8192 && bytes < 16384);
    if (doubling) return run("recursive-doubling");
    return bytes < 262144 ? ring_in_segments(problem, bytes >= 65536) : run("rabenseifner");
  }
  if (ranks < 8 && bytes < 16) return ring_in_segments(problem, false);
  if (ranks >= 16 && ranks < 64 && bytes < (ranks < 32 ? 64u : 128u))
    return ring_in_segments(problem, true);
  if (ranks >= 128) {
    const std::size_t apart = ranks < 256 ? 131072 : ranks < 512 ? 4096 : 2048;
    if (bytes < apart) return run("reduce-bcast");
  }
  const std::size_t doubling = ranks < 16    ? 8192
                               : ranks < 32  ? 4096
                               : ranks < 64  ? 128
                               : ranks < 256 ? 262144
                               : ranks < 512 ? 4096
                                             : 16384;
  return run(bytes < doubling ? "recursive-doubling" : "rabenseifner");
}

}  // namespace

PAT_OPERATION(allreduce) {
  return {.operation = Operation::allreduce,
          .name = "allreduce",
          .rooted = false,
          .combines = true,
          .send = {At::everywhere, Holds::block},
          .recv = {At::everywhere, Holds::block},
          .promised = promised,
          .bound = bound,
          .stand_in = as_open_mpi,
          .fixed_order = "rabenseifner",
          .v_plain = "",
          .v_aware = "",
          .lands_early = false,
          .parts_travel = false,
          .study = {"straggler", "ring"}};
}

}  // namespace pat::operation_allreduce
