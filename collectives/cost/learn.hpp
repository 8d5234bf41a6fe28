#pragma once

#include <cstddef>

#include "collectives/cost/select.hpp"

namespace pat {

/// One call as it went.
struct Observed {
  double run_time_s = 0.0;   ///< last exit minus first arrival, measured
  double simulated_s = 0.0;  ///< the same with the price as it is, for the arrivals as they were
  double spread_s = 0.0;     ///< last arrival minus first arrival
  double error_s = 0.0;      ///< standard deviation of what was measured, seconds
};

/// Corrects what ways to do calls are expected to cost by a call that was done in one of them:
/// `way` is MpiPrice's or Candidate's own (Candidate::way). What the arrivals explain says nothing
/// of the price, so a call in which hardly anything lies beyond the last arrival moves it little.
/// Prices have errors in common (the links are slower than they seemed) and of their own, so one
/// that was measured moves the others too: one step of an extended Kalman filter for the logarithms
/// of all corrections (Gelb 1974, Table 6.1-1), its surprise cut off where only an accident
/// explains it.
void learn(Prices& prices, std::size_t way, const Observed& call);

}  // namespace pat
