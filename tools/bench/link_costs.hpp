#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "tools/bench/group.hpp"

namespace pat::bench {

/// What a message of each of these sizes (rising) costs between rank 0 and the last rank, on rank
/// 0; empty elsewhere. Adds to `noisy` how many times differ too much, calls `step` after each
/// size. Collective.
std::vector<Calibration::Message> measure_messages(const Group& group,
                                                   const std::vector<std::size_t>& bytes,
                                                   int repetitions, int& noisy,
                                                   const std::function<void()>& step);

/// The largest message that leaves rank 0 before the last rank has asked for it, to a sixteenth, on
/// rank 0; 0 if none does, and elsewhere. `costs`: what messages take. Collective.
std::size_t measure_eager_bytes(const Group& group, const Calibration& costs);

/// What messages take of the cores that the processes share; nothing where each has its own.
/// `costs` counts on rank 0: what messages take. The same everywhere. Collective.
SharedCost measure_shared(const Group& group, const Calibration& costs);

/// How much longer a block takes when others wait for the same port, for whole vectors of these
/// sizes, on rank 0; nothing waits with fewer than two senders. Collective.
std::vector<Calibration::Incast> measure_incasts(const Group& group,
                                                 const std::vector<std::size_t>& sizes,
                                                 int repetitions);

}  // namespace pat::bench
