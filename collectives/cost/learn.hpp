#pragma once

#include "collectives/cost/select.hpp"

namespace pat {

/// One call as it went.
struct Observed {
  double run_time_s = 0.0;   ///< last exit minus first arrival, measured
  double simulated_s = 0.0;  ///< the same with the price as it is, for the arrivals as they were
  double spread_s = 0.0;     ///< last arrival minus first arrival
  double error_s = 0.0;      ///< standard deviation of what was measured, seconds
};

/// Corrects what a way to do calls is expected to cost by a call that was done so. What the
/// arrivals explain says nothing of the price, so a call in which hardly anything lies beyond the
/// last arrival moves it little: one step of an extended Kalman filter for the logarithm of the
/// correction (Gelb 1974, Table 6.1-1), its surprise cut off where only an accident explains it.
void learn(Candidate& candidate, const Observed& call);
void learn(MpiPrice& mpi, const Observed& call);

}  // namespace pat
