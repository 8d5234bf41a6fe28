#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/calibration.hpp"
#include "collectives/cost/reading.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/cost/small_machine.hpp"

namespace pat {

/// What `mpi`, which has no schedule, is expected to cost: the schedule that the MPI library most
/// likely runs, simulated and scaled.
struct MpiPrice {
  const Algorithm* stand_in = nullptr;  ///< the algorithm that is run in its place
  int segments = 0;                     ///< and how: see Problem
  int window = 1;
  double correction = 1.0;  ///< see corrected()
  double flat_s = 0.0;      ///< run time when all arrive together, seconds
  int samples = 0;          ///< calls or calibrations that the correction was learnt from
  static constexpr std::size_t way = 0;  ///< its place in Beliefs
};

/// The price of `mpi` for problems of this operation, size and process count; to be kept as long as
/// these do not change. The stand-in is the one that the operation's row names (stand_in).
/// `measured_flat_s` is the calibration: the time of the
/// library's own collective with equal arrivals, seconds; 0: not calibrated. Then `mpi` is assumed
/// to be as fast for equal arrivals as the fastest of the candidates, so that nothing is gained by
/// a model that flatters them.
MpiPrice price_mpi(const Problem& problem, const CostModel& model, double measured_flat_s = 0.0);

/// The plan that stands for `mpi`; it does not depend on the arrivals.
Planned mpi_plan(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                 const CostModel& model, int most_exact = most_simulated);

/// Simulated run time of `mpi` in seconds for these arrivals.
double mpi_run_time_s(const MpiPrice& price, const Problem& problem, const ArrivalPattern& pattern,
                      const CostModel& model);

/// The cost of rounds that take `correction` times as long, at least as long as now and at most ten
/// times: a schedule planned for shorter ones falls behind its plan and then waits in the wrong
/// places.
LinkCost slower(const LinkCost& cost, double correction);

/// One way to do a call.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  int segments = 0;  ///< 0: the algorithm's own choice
  int window = 0;    ///< 0: the problem's
  double correction =
      1.0;              ///< measured over simulated communication time, learnt from earlier calls
  double flat_s = 0.0;  ///< measured run time with equal arrivals, seconds; 0: not calibrated
  Reading reading = Reading::exact;  ///< what its schedule makes of the forecast
  double log_sd = 0.0;  ///< standard deviation of log(correction / mpi's); 0: it is certain
  /// Standard deviation of what one more call of it will move that logarithm by: less than log_sd
  /// where calls differ by chance, and where the doubt is in mpi's own price.
  double log_step = 0.0;
  double mpi_log_step = 0.0;  ///< the same of one more call of mpi
  int samples = 0;            ///< calls or calibrations that the correction was learnt from
  /// Its place in Beliefs. A blind reading is priced as another algorithm is: its schedule has
  /// little in common with one that goes by the forecast.
  std::size_t way = 0;
};

/// Every registered algorithm that can do the problem and is not kept for comparison; background
/// ones only if there is someone to move data early. A paced gather comes
/// once with its own window and once with one leaf at a time, for networks with incast, unless the
/// problem's window is set; one that is planned in rounds once for each reading of the
/// forecast.
std::vector<Candidate> candidates_for(const Problem& problem, bool background = true);

/// What is believed of the corrections of several ways: normal logarithms, some of which have an
/// error in common; and of the correction of what all processes share (CostModel::shared), which a
/// call in any way tells of as far as it goes with it. See learn().
class Beliefs {
 public:
  struct Prior {
    double correction = 1.0;
    double own_sd = 0.0;    ///< of the logarithm, beside the common error
    bool measured = false;  ///< without the common error
  };
  static constexpr double least_noise_sd = 0.12;  ///< of noise_sd()
  Beliefs() = default;
  /// `shared`: of the correction of what is shared, without the common error.
  Beliefs(std::vector<Prior> priors, double common_sd, Prior shared);
  /// Nothing is shared.
  Beliefs(std::vector<Prior> priors, double common_sd);

  double correction(std::size_t way) const;
  double shared_correction() const { return correction(shared_way()); }
  /// The place of what is shared, after those of all ways.
  std::size_t shared_way() const { return size() - 1; }
  /// By how much the times of two equal calls have differed: a standard deviation of the logarithm.
  double noise_sd() const { return std::sqrt(noise_); }
  /// Standard deviation of its logarithm.
  double sd(std::size_t way) const { return std::sqrt(std::max(0.0, at(way, way))); }
  /// Standard deviation of the logarithm of one correction over the other.
  double sd_against(std::size_t way, std::size_t other) const;
  /// Standard deviation of what a call that is done in this way will move that logarithm by.
  double step_against(std::size_t way, std::size_t other) const;
  /// A call is over: nobody knows whether the ways that it was not done in still cost what they
  /// did.
  void age();
  /// The logarithm of a time was by `surprise` larger than expected, give or take `noise`, of which
  /// time `share` goes with the way's correction and `shared_share` with that of what is shared.
  void observe(std::size_t way, double surprise, double share, double noise,
               double shared_share = 0.0);
  /// The same of a call, which tells besides how much calls differ: give or take that and `error`.
  void observe_call(std::size_t way, double surprise, double share, double error,
                    double shared_share = 0.0);
  /// Whether a call was observed of it.
  bool was_called(std::size_t way) const { return called_[way]; }

 private:
  std::size_t size() const { return log_.size(); }
  double at(std::size_t i, std::size_t j) const { return covariance_[i * size() + j]; }

  std::vector<double> log_, covariance_;
  std::vector<bool> called_;
  double noise_ = least_noise_sd * least_noise_sd;  ///< the square of noise_sd()
};

/// What a call of one kind can be done with, priced: to be kept as long as operation, size and
/// process count do not change.
struct Prices {
  CostModel model;  ///< what is shared in it is corrected already
  MpiPrice mpi;
  std::vector<Candidate> candidates;
  Beliefs beliefs = {};    ///< of mpi and the candidates: their places are `way`
  SharedCost shared = {};  ///< as measured
};

/// How many calls measure a way: the more they differ, the more, so that their mean is as sure as
/// one call is where they hardly do.
int samples_needed(const Beliefs& beliefs);

/// Puts what is believed into the prices.
void take_over(Prices& prices);

/// Prices mpi and the candidates by what was measured of them; what was not is priced by `model`
/// (mpi as in price_mpi()) and uncertain: see `log_sd`.
Prices price(const Problem& problem, const CostModel& model, const Calibration& calibration,
             bool background = true);

/// Of one way alone, which is not held against others.
Prices price_one(const Algorithm& algorithm, const CostModel& model);

/// What a trial call may cost: see select().
struct Exploration {
  double may_lose_s = 0.0;  ///< most that a trial may be expected to lose; 0: nothing is tried
  double deciding_s = 0.0;  ///< what it loses in any case, as it must be decided
  double calls = 32.0;      ///< that would profit from what it finds
  /// mpi was not taken for long, and may lose so much whatever it promises; 0: it is not due.
  double mpi_may_lose_s = 0.0;
};

/// When `auto` leaves mpi, see select(). Shares are of run times.
struct SelectionRules {
  double gain = 0.02;  ///< the smallest share of mpi's expected time that must be saved
  int draws = 4;       ///< patterns drawn from the forecast
  int finalists = 3;   ///< algorithms that are tried with them, with all their readings
  int hopefuls = 1;    ///< and of the others those of which a trial promises most
  double tie = 0.02;   ///< a star is preferred to a candidate that is faster by no more than this
  double reading = 0.05;  ///< the reading of reading_for() is preferred to one faster by no more
  /// Up to so many processes each is simulated; of more, samples are (small_machine.hpp). Of more,
  /// and where vectors travel in many pieces (unasked_pieces()), only ways that their formulas
  /// (formula_s()) do not exclude.
  int most_exact = most_simulated;
  double overhead_s = 0.0;  ///< what a call costs that is not mpi's, beyond its messages
  /// What the processes compute before the call, seconds; 0: not known. Where mpi takes less than
  /// the share `worthy` of it after the last arrival, nothing that is gained there shows in a run.
  double computing_s = 0.0;
  double worthy = 0.02;
  /// What the last calls were done with, which stays unless another way is faster by more than
  /// `staying`: differences below that are chance, and a change costs a decision. Null: nothing.
  const Algorithm* held = nullptr;
  int held_window = 0;  ///< Candidate::window
  double staying = 0.05;
  int samples = 1;  ///< of a way and of mpi: with fewer they are not measured, see samples_needed()
  Exploration exploration = {};
};

/// What a call is done with, and why: the result of select().
struct Selection {
  const Algorithm* algorithm = nullptr;
  int segments = 0;
  int window = 0;       ///< of the problem, or what was found better; 0: the algorithm's own
  double tick_s = 0.0;  ///< in which its schedule reads the forecast: see in_ticks(); 0: exactly
  double expected_s = 0.0;   ///< run time, the mean over the forecast, seconds; 0: not simulated
  double mpi_s = 0.0;        ///< the same of mpi
  double beyond_s = 0.0;     ///< of expected_s what comes after the last arrival: none saves more
  bool negligible = false;   ///< left to mpi as it is short beside the computing before it
  double correction = 1.0;   ///< of the chosen candidate: measured over simulated time
  bool trial = false;        ///< it is tried because it may be better, not known to be
  double may_lose_s = 0.0;   ///< what the trial is expected to lose, seconds
  double instead_s = 0.0;    ///< of a trial: what the best known way is expected to take
  std::string runner_up;     ///< the next best of the others; empty: none was simulated
  double runner_up_s = 0.0;  ///< what that is expected to take
  std::string reason;        ///< one line
};

/// What `auto` does in a call: what is expected to take least time. The expected time of a way is
/// the mean of its simulated times over patterns drawn from the forecast (every arrival within its
/// interval, pattern.half_width_s; none: the forecast is exact), its schedule being the one built
/// from the forecast as the candidate reads it. An arrival that is not known (a half width that is
/// not finite) may lie anywhere within mpi's time for equal arrivals or the known imbalance,
/// whichever is longer. So an algorithm that is as good as mpi when all arrive together and better
/// when they do not needs no sure forecast.
/// A call that is short beside the computing before it (rules.worthy) is left to mpi, as nothing
/// that is gained there shows in a run, and looking for it costs what it costs anywhere. mpi is
/// left for a candidate that saves `rules.gain` of its time; where fewer calls of either than
/// `rules.samples` were measured it must do so even if its price is wrong by a standard deviation.
/// Where a trial is allowed (rules.exploration) a way that may be better, mpi as well as a
/// candidate, is taken instead when what it promises for the calls to come outweighs what it is
/// expected to lose, and it may lose so much: expected improvement, Jones, Schonlau and Welch 1998,
/// with a normal price, of what the trial can show (Candidate::log_step: the knowledge gradient of
/// Frazier, Powell and Dayanik 2009). mpi that is due need promise nothing.
///
/// A candidate in which only the root's program depends on the forecast (Algorithm::root_ordered)
/// is preferred within rules.tie: it needs no agreement and can follow the arrivals as they really
/// come; and of the readings of the forecast the one by the rule in rounds, reading_for(), is
/// preferred within rules.reading, since perturbing a forecast that is already wrong shows arrivals
/// wider apart than they are. Pure and deterministic: equal arguments, equal result. Thread-safe.
/// Throws Error(argument) for bad arguments. Cost: at most candidates + 1 + draws (finalists +
/// hopefuls + 1) simulations, with all readings of the finalists; one where even the lower bound
/// gains too little. Above rules.most_exact processes, and of vectors in many pieces, two patterns
/// are drawn; a simulation of more than rules.most_exact processes takes as long as one of 16
/// or 32.
Selection select(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                 const MpiPrice& mpi, const std::vector<Candidate>& candidates,
                 const SelectionRules& rules = {});

/// The arrivals of trial `trial`: each offset moved by at most its half width. Deterministic.
ArrivalPattern perturbed(const ArrivalPattern& pattern, int trial);

}  // namespace pat
