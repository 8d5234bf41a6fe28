#pragma once

#include <cstdint>
#include <string>

#include "core/arrival_pattern.hpp"
#include "measure/delays.hpp"

namespace pat::simulated {

/// What an algorithm is told of the arrivals.
struct Knowledge {
  std::string kind = "oracle";         ///< see told()
  std::string predictor = "ensemble";  ///< a registered model: what "predicted" asks
};

/// Throws Error(argument) that lists the kinds, or the models, unless there is such a knowledge.
void validate(const Knowledge& knowledge);

/// The pattern of one iteration as it is told to an algorithm; each process computes `base_s` and
/// its delay.
///   oracle     the true arrivals
///   predicted  each process has a model of its own that has seen its computing times of all
///              iterations before this one; a model that does not know yet says that nobody is late
///   wrong      the truth turned round: who is last is said to be first
/// Throws Error(argument) as validate().
ArrivalPattern told(const Knowledge& knowledge, const measure::Delays& delays,
                    std::uint64_t iteration, double base_s);

}  // namespace pat::simulated
