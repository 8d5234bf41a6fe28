#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/operation.hpp"
#include "core/trace.hpp"

namespace pat::measure {

/// Which process is delayed by how much in which iteration (Marendic et al. 2016 Section 6.2,
/// Proficz 2020 Section 5). A pure function of seed and iteration, so every rank computes the same
/// without a message.
class Delays {
 public:
  virtual ~Delays() = default;
  /// One delay in seconds per rank, from 0 to longest_delay_s.
  virtual std::vector<double> at(std::uint64_t iteration) const = 0;
};

/// 30 years, the longest time of a trace, which can be counted in nanoseconds. Random delays are
/// cut there.
constexpr double longest_delay_s = 1e9;

/// What a pattern is made for.
struct DelaysFor {
  int ranks = 1;
  int root = 0;
  std::uint64_t seed = 1;
  std::optional<Operation> operation = {};  ///< of the calls; nothing: any
};

/// Reads a description:
///   none                     all together
///   single:rank:delay        one rank late; -1 is the last rank
///   alternating:even:odd     even ranks late by one time, odd ranks by another
///   uniform:max              each rank uniformly in 0..max
///   normal:mean:sd           normal, cut at 0
///   gamma:shape:scale        gamma; scale is a time
///   bernoulli:p:delay        late with probability p
///   late-root:delay          the root late
///   fixed:max                each rank by its own time in 0..max, the same in every iteration
///   wave:max:period          a wave over the ranks that has gone round once after so many
///   iterations change:every:PATTERN     all together for so many iterations, PATTERN for as many,
///   and so on trace:FILE               arrivals of a recorded trace, repeated from its start when
///   it ends; of one that names the calls only those of `purpose.operation`
/// Throws Error(argument) that names the part which is wrong, Error(io) for the trace.
std::unique_ptr<Delays> make_delays(const std::string& description, const DelaysFor& purpose);

/// The arrivals of a trace, each iteration's from its earliest, repeated from the start when it
/// ends. Throws Error(argument) for a trace of another number of ranks or without iterations.
std::unique_ptr<Delays> trace_delays(Trace trace, int ranks);

}  // namespace pat::measure
