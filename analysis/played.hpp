#pragma once

#include <optional>
#include <string>

#include "collectives/call_name.hpp"
#include "collectives/cost/simulate.hpp"
#include "core/trace.hpp"

namespace pat {

/// What the calls of a place would have taken by other algorithms, simulated. Elapsed seconds of
/// all its calls, each from its first arrival until the last process has left.
struct Played {
  std::string algorithm;   ///< that would have taken least; empty: none less than what did them
  double as_done_s = 0.0;  ///< by what did them: the stand-in for MPI's own where that is not known
  double saved_s = 0.0;    ///< by `algorithm`, which knew the arrivals as the model foretold them
  double saved_if_known_s = 0.0;  ///< by the best algorithm, had the arrivals been known beforehand
  int calls = 0;                  ///< that were played; the sums are of all calls, in proportion
};

/// Plays at most 64 calls, spread over the run, with every algorithm that follows the arrivals, as
/// PAT would have done them: from arrivals as `predictor` foretells them (of long runs of many
/// ranks it sees one to four stretches, not all), under `network`. What did the calls, and MPI's
/// own by its stand-in (MpiPrice), are played as well. Of many ranks 32 stand for all
/// (collectives/cost/small_machine.hpp). Nothing where the operation has no stand-in, its size is
/// not known, or there are fewer than eight calls. Throws Error(argument) for an unknown model.
std::optional<Played> play(const Trace& trace, const CallName& call, const std::string& predictor,
                           const CostModel& network);

}  // namespace pat
