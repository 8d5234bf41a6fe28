#pragma once

#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/calibration.hpp"
#include "collectives/cost/reading.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {

/// What `mpi`, which has no schedule, is expected to cost: the schedule that the MPI library most
/// likely runs, simulated and scaled.
struct MpiPrice {
  const Algorithm* stand_in = nullptr;  ///< the algorithm that is run in its place
  int segments = 0;                     ///< and how: see Problem
  int window = 1;
  double correction = 1.0;  ///< see corrected()
  double flat_s = 0.0;      ///< run time when all arrive together, seconds
  bool measured = false;    ///< it is calibrated, not simulated
};

/// The price of `mpi` for problems of this operation, size and process count; to be kept as long as
/// these do not change. The stand-in is the one that the operation's row names (stand_in).
/// `measured_flat_s` is the calibration: the time of the
/// library's own collective with equal arrivals, seconds; 0: not calibrated. Then `mpi` is assumed
/// to be as fast for equal arrivals as the fastest of the candidates, so that nothing is gained by
/// a model that flatters them.
MpiPrice price_mpi(const Problem& problem, const CostModel& model, double measured_flat_s = 0.0);

/// The schedule that stands for `mpi`; it does not depend on the arrivals.
Schedule mpi_schedule(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern);

/// Simulated run time of `mpi` in seconds for these arrivals.
double mpi_run_time_s(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                      const CostModel& model);

/// One way to do a call.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  int segments = 0;  ///< 0: the algorithm's own choice
  int window = 0;    ///< 0: the problem's
  double correction =
      1.0;              ///< measured over simulated communication time, learnt from earlier calls
  double flat_s = 0.0;  ///< measured run time with equal arrivals, seconds; 0: not calibrated
  Reading reading = Reading::exact;  ///< what its schedule makes of the forecast
};

/// Every registered algorithm that follows the arrivals, can do the problem and is not kept for
/// comparison; background ones only if there is someone to move data early. A paced gather comes
/// once with its own window and once with one leaf at a time, for networks with incast, unless the
/// problem's window is set; one that is planned in rounds once for each reading of the
/// forecast.
std::vector<Candidate> candidates_for(const Problem& problem, bool background = true);

/// What a call of one kind can be done with, priced: to be kept as long as operation, size and
/// process count do not change.
struct Prices {
  CostModel model;
  MpiPrice mpi;
  std::vector<Candidate> candidates;
};

/// Prices mpi and the candidates by what was measured of them; what was not is priced by `model`
/// (mpi as in price_mpi(), candidates with mpi's correction, but never as faster than the model).
Prices price(const Problem& problem, const CostModel& model, const Calibration& calibration,
             bool background = true);

/// When `auto` leaves mpi, see select(). Shares are of run times.
struct SelectionRules {
  double gain = 0.05;  ///< the smallest share of mpi's time that must be saved
  int trials = 8;      ///< perturbed patterns
  int finalists = 3;   ///< algorithms that are tried with them, with all their readings
  double tie = 0.02;   ///< a star is preferred to a candidate that is faster by no more than this
  double reading = 0.05;  ///< the reading of reading_for() is preferred to one faster by no more
  int most_ranks = 256;   ///< more processes than this are left to mpi
};

/// What a call is done with, and why: the result of select().
struct Selection {
  const Algorithm* algorithm = nullptr;
  int segments = 0;
  int window = 0;       ///< of the problem, or what was found better; 0: the algorithm's own
  double tick_s = 0.0;  ///< in which its schedule reads the forecast: see in_ticks(); 0: exactly
  double expected_s = 0.0;   ///< run time for the pattern as predicted, seconds; 0: not simulated
  double mpi_s = 0.0;        ///< the same of mpi
  int held = 0, trials = 0;  ///< perturbed patterns in which the gain held, and how many were tried
  double correction = 1.0;   ///< of the chosen candidate: measured over simulated time
  std::string reason;        ///< one line
};

/// What `auto` does in a call: the candidate whose gain over mpi is sure, else mpi. A gain is sure
/// if it is at least `rules.gain` for the predicted pattern and for each of the perturbed ones:
/// every arrival is moved within its interval (pattern.half_width_s; none: the forecast is exact)
/// by draws that depend on nothing but their number and the rank, while the schedule remains the
/// one built from the forecast as the candidate reads it. With an exact forecast only exact
/// readings are candidates. Unknown arrivals (a half width that is not finite) and
/// problems for which even the lower bound gains too little go to mpi without a trial, balanced
/// patterns too unless both mpi and a candidate were measured and the candidate is faster.
/// Among sure candidates the fastest on average is taken, but one in which only the root's program
/// depends on the forecast (Algorithm::root_ordered) is preferred within rules.tie: it needs no
/// agreement and can follow the arrivals as they really come; and of the readings of the forecast
/// the one by the rule in rounds, reading_for(), is preferred within rules.reading, since
/// perturbing a forecast that is already wrong shows arrivals wider apart than they are. Pure and
/// deterministic: equal arguments, equal result. Thread-safe. Throws Error(argument) for bad
/// arguments. Cost: at most candidates + 1 + trials (finalists + 1) simulations; none for balanced
/// patterns; trials end as soon as no candidate is left.
Selection select(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                 const MpiPrice& mpi, const std::vector<Candidate>& candidates,
                 const SelectionRules& rules = {});

/// The arrivals of trial `trial`: each offset moved by at most its half width. Deterministic.
ArrivalPattern perturbed(const ArrivalPattern& pattern, int trial);

}  // namespace pat
