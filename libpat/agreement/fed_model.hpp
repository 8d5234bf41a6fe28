#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predictors/edge_reading.hpp"
#include "predictors/predictor.hpp"

namespace pat::detail {

/// What a program has said of a phase.
using Hints = std::vector<std::pair<std::string, double>>;

/// A predictor that is fed when somebody wants its forecast: until then phases that have ended only
/// wait, the latest `most_waiting` of them. What it costs is measured, and where phases are short
/// against that it sees fewer of them, so that it takes no more of a processor than `share` of the
/// time that the phases last: the latest one, two, then three in a row, as every other one of
/// phases that alternate would look like a program that does not. Not thread-safe.
class FedModel {
 public:
  static constexpr std::size_t most_waiting = 64;
  static constexpr std::size_t longest_run = 3;  ///< where phases are passed over
  static constexpr double share = 0.004;
  /// What long phases save for short ones, processor time; so much is there at the beginning.
  static constexpr double most_saved_s = 2e-3;

  explicit FedModel(std::unique_ptr<Predictor> model) : model_(std::move(model)) {}

  /// A phase has ended which took `computing_s` of the `lasted_s` from its start.
  void note_end(double computing_s, double lasted_s, const Hints& hints,
                const std::optional<EdgeReading>& edge);

  /// The forecast of the present phase, or of the next one, of which this is known.
  const Forecast& foretell(const Hints& hints, const std::optional<EdgeReading>& edge);
  /// The same from all phases that wait, whatever it costs: the program itself asks.
  const Forecast& foretell_from_all(const Hints& hints, const std::optional<EdgeReading>& edge);
  /// What it said last.
  const Forecast& last() const { return forecast_; }
  /// The computing time of the longest of the latest `most_waiting` phases; 0: there was none.
  double longest_s() const;

 private:
  struct Phase {
    Observation observation;
    std::optional<EdgeReading> edge;
    std::uint64_t number = 0;
  };

  std::size_t affordable() const;
  void feed(std::size_t phases);
  void observe(const Phase& phase);
  void tell(const Hints& hints, const std::optional<EdgeReading>& edge);

  std::unique_ptr<Predictor> model_;
  Forecast forecast_;
  std::array<Phase, most_waiting> ring_;  // of phase n at n modulo its size
  std::uint64_t ended_ = 0;               // phases
  std::size_t waiting_ = 0;               // the last of them
  std::size_t run_ = 1;                   // how many it sees next where it does not see all
  std::optional<std::uint64_t> edge_of_;  // the phase whose edge the model knows, not observed yet
  double allowance_s_ = most_saved_s;     // of processor time
  double cost_s_ = 0.0;                   // of one phase; 0: not known
};

}  // namespace pat::detail
