#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/dynamic/protocol.hpp"
#include "collectives/operation.hpp"
#include "collectives/schedule.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

struct CostTerms;

/// What a builder would otherwise choose by the cost model. Chosen once, by whoever decides for all
/// ranks, and sent to them: two machines may round differently.
struct Tuning {
  int segments = 0;  ///< see Problem::segments
  int variant = -1;  ///< see Problem::variant
};

/// One way to do an operation. `build` is a pure function; it is null for `mpi`, the library's own
/// collective. A dynamic algorithm has a `protocol` as well, which libpat runs in place of the
/// schedule: it follows the arrivals as they come, and `build` says what it would do for given
/// ones.
struct Algorithm {
  Operation operation;
  std::string name;  ///< as registered: "bsls"
  std::string idea;  ///< one line
  /// Run time for equal arrivals, seconds: P processes, n bytes of one block, m bytes of the vector
  /// of a reduction, N segments, alpha start-up time of a message, beta transfer and gamma
  /// combining time per byte; what else occurs is said there.
  std::string cost;
  /// The same as a function, for a problem with segments: what very many processes are priced by
  /// (collectives/cost/small_machine.hpp). Null: unknown, and never taken for so many.
  double (*flat_s)(const CostTerms&) = nullptr;
  std::string source;     ///< paper and section, figure or equation
  std::string also = {};  ///< another name under which it is known and found
  Schedule (*build)(const Problem&, const ArrivalPattern&) = nullptr;
  /// Null: the builder has nothing to choose. Pure, as `build` is, and given the same arguments.
  Tuning (*tune)(const Problem&, const ArrivalPattern&) = nullptr;
  /// Length of its rounds, seconds, of one that is planned in rounds: it suffers from wrong
  /// forecasts, so they are weighed first (collectives/cost/reading.hpp). Pure.
  double (*round_s)(const Problem&, const ArrivalPattern&) = nullptr;
  /// All that the schedule depends on of arrivals, cost and rounds, in whole numbers, for a problem
  /// with segments and variant; null, or empty: it cannot be told. Equal keys, equal schedules.
  std::vector<std::uint32_t> (*key)(const Problem&, const ArrivalPattern&) = nullptr;
  std::unique_ptr<Protocol> (*protocol)(const Problem&, int rank) = nullptr;
  bool uses_pattern = false;       ///< the schedule depends on the arrival pattern
  bool root_ordered = false;       ///< only the root's program depends on it: no decision is needed
  bool star = false;               ///< only the root's program depends on whose links are slow
  bool background = false;         ///< moves data before a process has arrived
  bool on_demand = false;          ///< auto does not take it: for comparison, or on request
  bool needs_commutative = false;  ///< reorders the operands of a reduction
  /// V-forms: every rank must know the counts of its subtree; all to all: it has none.
  bool needs_all_counts = false;
};

/// Whether it is the MPI library's own collective: there is nothing of ours to run.
inline bool is_library(const Algorithm& algorithm) {
  return algorithm.build == nullptr && algorithm.protocol == nullptr;
}

/// Defines what the registration line `pat_algorithm(OPERATION NAME)` refers to, in a namespace of
/// its file's own, pat::algorithm_OPERATION_NAME:
///   PAT_ALGORITHM(gather, sls) { return {...}; }
#define PAT_ALGORITHM(operation, id)                    \
  namespace here = ::pat::algorithm_##operation##_##id; \
  ::pat::Algorithm make();                              \
  ::pat::Algorithm make()

/// Every registered algorithm, in the order of the registration lines. Thread-safe.
const std::vector<Algorithm>& algorithms();

/// The algorithm of that name; null if there is none.
const Algorithm* find_algorithm(Operation operation, std::string_view name);

/// Whether an algorithm that follows the arrivals is registered for the operation: only then is
/// there anything that a forecast is good for.
bool follows_arrivals(Operation operation);

/// "lin, ls, mpi": the names there are, in the order of the registration lines.
std::string algorithm_names(Operation operation);

/// As find_algorithm, but throws Error(argument) that lists the names there are.
const Algorithm& get_algorithm(Operation operation, std::string_view name);
/// The same, and null for "auto", which the list has too.
const Algorithm* algorithm_or_auto(Operation operation, std::string_view name);

/// Validates problem and pattern, builds (slow links have their place: behind_slow_links()) and
/// seals. Throws Error for wrong arguments, for an
/// algorithm that is not a schedule, and for one that would reorder operands which do not commute.
Schedule build_schedule(const Algorithm& algorithm, const Problem& problem,
                        const ArrivalPattern& pattern);

}  // namespace pat
