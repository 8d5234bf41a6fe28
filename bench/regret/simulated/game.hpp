#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/regret/simulated/cell.hpp"
#include "collectives/cost/reading.hpp"
#include "libpat/agreement/judge.hpp"
#include "libpat/agreement/leader.hpp"
#include "libpat/agreement/recall.hpp"
#include "predictors/predictor.hpp"

namespace pat::simulated {

using detail::Decision;
using detail::Judge;
using detail::Leader;
using detail::Report;

inline constexpr double usual_noise = 0.04;

/// A schedule as a decision has it, or the library's.
struct Way {
  const Algorithm* algorithm = nullptr;
  int window = 0;
  Reading reading = Reading::exact;
  std::string label() const;
};

/// One cell played call by call: every way, and `auto` as libpat's agreement decides it, on links
/// that it has measured roughly. Deterministic for a seed.
class Game {
 public:
  /// `costs`: messages are taken to cost so many times what they do.
  Game(const Cell& cell, std::uint64_t seed, int calls, double costs,
       bool one_of_several_sizes = false);

  void play();
  /// One call, which begins at `now_s`; `others` are streams of the same program.
  void play(int call, double& now_s, const std::vector<Game*>& others);

  int trials() const { return trials_; }
  bool trace = false;
  /// A decision like the one before lasts twice as long, up to so many calls, whatever deciding
  /// costs; 0: as the judge says. It is not called back if `blind`.
  std::uint32_t lease = 0;
  bool blind = false;
  /// So many calls of each way are disturbed, the first ones, and so many of the library's.
  int slow_first = 0, slow_mpi = 0;
  double noise = usual_noise;  ///< of a call, of the logarithm

  /// Mean over calls `from` to `until`.
  double mean_of_way(std::size_t way, int from, int until) const;
  double mean_of_auto(int from, int until) const;
  std::size_t best(int from, int until) const;
  const Way& way(std::size_t index) const { return ways_[index]; }
  /// Calls from `from` on until three in a row are within a tenth of the best way's.
  int settling(int from, int until) const;
  /// Calls from `from` on until one is decided by what is known since then.
  int blind_calls(int from, int until) const;
  std::string taken() const;

 private:
  Problem problem_of(const Decision& decision) const;
  ArrivalPattern foretell(const std::vector<double>& computing, std::uint32_t call);
  void look_back(const ArrivalPattern& actual, double run_s, std::uint32_t call, double now_s);
  void hear(const std::vector<Game*>& others);
  void end_if_left(const std::vector<double>& computing, std::uint32_t call, double now_s);
  Decision first() const;
  Decision decide(std::uint32_t call, double now_s);
  double disturbed(const Algorithm& algorithm) const;
  double hidden_factor(const std::string& algorithm) const;
  double noise_of(const std::string& algorithm, int call) const;
  CostModel truth_of(const std::string& algorithm, int call) const;
  double run_time_s(const Decision& decision, const ArrivalPattern& actual, int call) const;
  double time_of_way(std::size_t index, const ArrivalPattern& forecast,
                     const ArrivalPattern& actual, int call) const;

  const Cell cell_;
  const int calls_;
  const std::uint64_t seed_;
  const bool one_of_several_sizes_;
  mutable std::mt19937_64 random_;
  mutable std::normal_distribution<double> normal_;
  Config config_;
  Calibration calibration_;
  detail::StreamKind kind_;
  Decision plan_;
  MpiPrice mpi_;
  std::vector<Way> ways_;
  std::vector<std::vector<double>> times_s_;
  std::vector<double> auto_s_;
  std::vector<int> decided_at_;  ///< by what is known at which call each was decided
  std::map<std::string, int> taken_;
  std::vector<Report> reports_;
  std::vector<detail::Told> told_;
  double start_s_ = 1.0;
  std::vector<std::unique_ptr<Predictor>> models_;
  std::optional<Leader> leader_;
  std::optional<Judge> judge_;
  std::optional<Decision> decision_;
  int trials_ = 0;
};

}  // namespace pat::simulated
