#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "collectives/cost/select.hpp"

namespace pat {

/// One call as it went.
struct Observed {
  double run_time_s = 0.0;   ///< last exit minus first arrival, measured
  double simulated_s = 0.0;  ///< the same with the price as it is, for the arrivals as they were
  double spread_s = 0.0;     ///< last arrival minus first arrival
  double error_s = 0.0;      ///< standard deviation of what was measured, seconds
  double shared_share = 0.0;  ///< see Planned::shared_share()
};

/// Corrects what ways to do calls are expected to cost by a call that was done in one of them:
/// `way` is MpiPrice's or Candidate's own (Candidate::way). What the arrivals explain says nothing
/// of the price, so a call in which hardly anything lies beyond the last arrival moves it little.
/// Prices have errors in common (the links are slower than they seemed) and of their own, so one
/// that was measured moves the others too: one step of an extended Kalman filter for the logarithms
/// of all corrections (Gelb 1974, Table 6.1-1), iterated (Bell and Cathey 1993), as how much of a
/// call goes with its price is known when the call is over; its surprise is cut off where only an
/// accident explains it. Where ways are held against each other, what the first call of one took
/// longer than is usual is as uncertain as it is large: it may be slow for being the first.
void learn(Prices& prices, std::size_t way, const Observed& call);

/// What was learnt of calls of the same operation among as many processes, but of another size or
/// on another communicator, tells something of ways that no call of these here was done in: their
/// corrections are likely alike, the more so the nearer the sizes are (spread_of()). Each way hears
/// once, from the nearest size that has measured it, up to a factor of 4; `heard` remembers which
/// have. One step of the same filter for each. Returns by how much logarithms of corrections have
/// moved, the largest.
double hear(Prices& prices, const Problem& problem, const std::vector<Calibration::Learnt>& others,
            std::set<std::size_t>& heard);

/// The standard deviation of the logarithm of a way's corrections for blocks of these sizes, one
/// over the other; infinite if they are too far apart.
double spread_of(std::size_t bytes, std::size_t other_bytes);

}  // namespace pat
