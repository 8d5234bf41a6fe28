#pragma once

// Broadcasts that ask nobody when processes will come: each tells the root that it is here, and the
// root strings those who are there into chains.

#include <memory>
#include <string>
#include <utility>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/dynamic/play.hpp"

namespace pat::bcast {

/// What becomes of a process that comes while a chain is under way.
enum class Latecomers {
  wait,  ///< for the next chain, which the root begins when it has nothing to send any more
  join   ///< the end of the chain, whose last process sends it what it has and what comes
};

/// Pieces that the vector is cut into: problem.segments, or as many as a chain of all ranks wants.
int arrival_segments(const Problem& problem);

/// The rules for one process, as letters to and from the root:
///   here       -> root   it has come
///   follow     <- root   from whom the pieces come and to whom they go: a rank, nobody, or `later`
///   append     <- root   who follows it, after `later`
///   leave      -> root   it has passed on all that there was, and nobody follows it yet
///   go         <- root   nobody will
/// A process that says `leave` while the root appends another gets `append` and stays; the root
/// passes over that `leave`, as the process is no longer the last. When all have come the last one
/// is told that nobody follows.
std::unique_ptr<Protocol> arrival_chain(const Problem& problem, int rank, Latecomers latecomers);

template <Latecomers latecomers>
std::unique_ptr<Protocol> arrival_protocol(const Problem& problem, int rank) {
  return arrival_chain(problem, rank, latecomers);
}

template <Latecomers latecomers>
Schedule build_arrival_broadcast(const Problem& problem, const ArrivalPattern& pattern) {
  return to_schedule(play(arrival_protocol<latecomers>, problem, pattern), problem,
                     arrival_segments(problem));
}

inline Tuning tune_arrival_broadcast(const Problem& problem, const ArrivalPattern&) {
  return {.segments = arrival_segments(problem)};
}

/// alpha + (P + N - 2)(alpha + m/N beta)
inline double arrival_broadcast_s(const CostTerms& t) {
  return t.alpha + (t.P + t.N - 2) * (t.alpha + t.n / t.N * t.beta);
}

/// The algorithm of these rules.
template <Latecomers latecomers>
Algorithm arrival_broadcast(std::string name, std::string idea) {
  return {.operation = Operation::bcast,
          .name = std::move(name),
          .idea = std::move(idea),
          .cost = "alpha + (P+N-2)(alpha + m/N beta)",
          .flat_s = arrival_broadcast_s,
          .source = "Patarasuk, Yuan 2008, as Proficz 2020 tells it, Section 2.2",
          .build = build_arrival_broadcast<latecomers>,
          .tune = tune_arrival_broadcast,
          .protocol = arrival_protocol<latecomers>,
          .uses_pattern = true,
          .on_demand = true};
}

}  // namespace pat::bcast
