#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inference.hpp"
#include "measure/delays.hpp"
#include "measure/engine.hpp"
#include "measure/global_clock.hpp"
#include "measure/sample.hpp"
#include "measure/test_data.hpp"
#include "tools/bench/collective.hpp"
#include "tools/tune/library.hpp"
#include "tools/tune/options.hpp"

namespace pat::tune {

/// How processes come to a call, and who is its root.
struct Arrivals {
  std::unique_ptr<measure::Delays> delays;
  int root = 0;
};

/// One operation with one size, and all the ways in which it may be met.
struct Subject {
  std::string operation;
  std::size_t bytes = 0;  ///< of the whole vector
  std::vector<Arrivals> arrivals;
};

/// What a contest found; on rank 0.
struct Verdict {
  std::string operation;
  std::size_t bytes = 0;
  double default_s = 0.0;  ///< median, first arrival to last exit
  Way best;                ///< the default where nothing came near it
  double ratio = 1.0;      ///< of the best to the default, under those arrivals where it is worst
  Interval interval = {1.0, 1.0};
  bool clear = false;  ///< that a rule is to be written
  std::string note;    ///< why not, in some words
};

/// What all contests of a run share.
struct Ground {
  const Options& options;
  const Library& library;
  const measure::GlobalClock& clock;
  MPI_Comm comm;
  double base_s, lateness_limit_s;
};

/// Finds the best of the library's algorithms for one subject. Those that fail, give wrong results
/// or are far too slow leave in a trial; the others are screened in a few iterations; the two best
/// meet the default in many more, with arrivals that were not seen before, so that the interval is
/// not that of a lucky winner.
class Contest {
 public:
  /// `progress` learns the share done, 0 to 1. Everything must outlive the object. Collective.
  Contest(const Ground& ground, const Subject& subject, std::function<void(double)> progress);
  ~Contest();
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// Collective. Throws Error on all ranks alike: also when the user stopped the run.
  Verdict run();

 private:
  struct Candidate {
    Way way;
    MPI_Comm comm = MPI_COMM_NULL;
    bool keeps_order = true;  ///< right also with an operator that does not commute
  };
  /// A candidate against the default, under those arrivals where it is worst.
  struct Outcome {
    double ratio = 0.0, upper = 0.0;  ///< upper: the largest end of an interval
    Interval interval;
    double waiting = 0.0;  ///< ratio of what processes spend in the call on the average
    bool clear = false;
    bool before(const Outcome& other) const {
      return clear != other.clear ? clear : ratio < other.ratio;
    }
  };
  /// One a candidate, all under the same arrivals.
  using Round = std::vector<measure::Series>;

  void try_all();
  int call_by(const Candidate& candidate, bench::Call& call) const;
  double trial_s(const Candidate& candidate, bench::Workload& workload) const;
  std::vector<std::size_t> best_two(const std::vector<Round>& rounds) const;
  std::vector<Round> measure(const std::vector<std::size_t>& who, int iterations, double from,
                             double to);
  Round measure_under(const Arrivals& arrivals, const std::vector<std::size_t>& who, int iterations,
                      const std::function<void(long)>& done);
  measure::Hooks hooks(const Arrivals& arrivals, const std::function<void(long)>& done);
  Verdict verdict(const std::vector<std::size_t>& who, const std::vector<Round>& rounds) const;
  std::optional<Outcome> outcome(std::size_t position, const std::vector<Round>& rounds) const;

  const Ground& ground_;
  const Subject& subject_;
  std::function<void(double)> progress_;
  int rank_ = 0;
  const bench::CollectiveFunctions& functions_;
  std::unique_ptr<measure::ReduceOp> op_;
  std::unique_ptr<bench::Workload> workload_;
  std::vector<Candidate> candidates_;  ///< the default first
  std::uint64_t iterations_done_ = 0;  ///< the same iteration number never comes again
  const Candidate* chosen_ = nullptr;  ///< who does the next call
  bench::Call call_{};
};

}  // namespace pat::tune
