#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/problem.hpp"
#include "measure/delays.hpp"
#include "measure/engine.hpp"
#include "measure/global_clock.hpp"
#include "measure/phase.hpp"
#include "measure/sample.hpp"
#include "measure/test_data.hpp"
#include "tools/bench/collective.hpp"
#include "tools/bench/own_communicator.hpp"
#include "tools/bench/persistent_request.hpp"
#include "tools/bench/settings.hpp"

namespace pat::bench {

/// The forms in which an algorithm is measured: plain first.
std::vector<measure::Form> forms(const Options& options, const std::string& algorithm);

/// One operation with one size under one pattern, and its measurement on this rank.
class Scenario {
 public:
  /// `bytes` are the whole vector's, or a block's where the options say so; `progress` learns how
  /// many measurements are done. Options, settings and clock must outlive the object. Collective
  /// over `comm`. Throws Error, on all ranks alike.
  Scenario(const Options& options, const Settings& settings, const measure::GlobalClock& clock,
           const std::string& operation, std::size_t bytes, const std::string& pattern,
           MPI_Comm comm, const std::function<void(long)>& progress);

  /// Returns whether the user stopped the run. Collective. Throws WrongResult on all ranks alike.
  bool run();

  /// Appends one series an algorithm, as far as they are measured; on rank 0. Thread-safe.
  void append_to(std::vector<measure::Series>& all) const;

 private:
  measure::Hooks hooks(const std::function<void(long)>& progress);
  void prepare(const measure::Entry& entry, std::uint64_t iteration);
  void call_beside(Workload& other, const measure::Entry& entry, std::uint64_t iteration);
  void synchronise();
  void compute(const measure::Entry& entry, std::uint64_t iteration, measure::RankTimes& times);
  void operate(const measure::Entry& entry);
  int root_at(std::uint64_t iteration) const;
  int parts_of(const measure::Entry& entry) const;
  double delay_s(const measure::Entry& entry, std::uint64_t iteration) const;
  double told_s(const measure::Entry& entry, std::uint64_t iteration, double planned_s) const;
  bool is_told(const std::string& algorithm) const;
  measure::Series empty_series(const measure::Entry& entry) const;
  Problem problem() const;

  const Options& options_;
  const Settings& settings_;
  const measure::GlobalClock& clock_;
  MPI_Comm comm_;
  std::string pattern_;
  const CollectiveFunctions& functions_;
  int rank_ = 0;
  int ranks_ = 1;
  std::unique_ptr<measure::Delays> delays_;
  std::unique_ptr<measure::Delays> errors_;  ///< of the oracle, from 0 to twice the largest
  std::unique_ptr<measure::ReduceOp> op_;
  std::unique_ptr<Workload> workload_;
  std::vector<std::unique_ptr<Workload>> beside_;  ///< of the calls that are not measured
  std::optional<std::string> wrong_beside_;        ///< in the first of them that went wrong
  std::map<std::string, std::unique_ptr<OwnCommunicator>> comms_;         ///< by label
  std::map<std::string, std::unique_ptr<measure::RegionGuard>> regions_;  ///< by label
  std::map<std::string, PersistentRequest> requests_;
  measure::Plan plan_;
  std::vector<measure::Series> series_;  ///< one an entry, without samples; on rank 0
  std::unique_ptr<measure::Engine> engine_;
  Call call_{};
};

}  // namespace pat::bench
