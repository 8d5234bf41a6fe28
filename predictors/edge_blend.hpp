#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "predictors/blend.hpp"
#include "predictors/conformal.hpp"
#include "predictors/edge_reading.hpp"

namespace pat {

/// What an edge adds to a forecast H made from history: w t/f + (1 - w) H, where t/f extrapolates
/// the edge. The weight that is best in the mean square is learnt for each eighth of the work apart
/// (a late edge says more than an early one), and apart for edges that contradict history by more
/// than eight times what is usual: those are believed until they have been wrong. Before anything
/// is learnt w = f: the time that is gone, and of H the share that is left. Source: Proficz 2020
/// Section 3 for the edge; Bates and Granger 1969 for the blend.
class EdgeBlend {
 public:
  /// A progress call of the present phase; readings that make no sense are ignored.
  void observe_edge(double fraction, double elapsed_s) {
    if (const auto reading = read_edge(fraction, elapsed_s)) edge_ = reading;
  }
  /// The phase of that edge will not be observed.
  void forget_edge() { edge_.reset(); }
  /// Whether the present phase has had an edge.
  bool has_edge() const { return edge_.has_value(); }

  /// The present phase took `x` seconds, `history` was the forecast without its edge.
  void observe(double x, const Forecast& history) {
    if (edge_) {
      Stage& now = stages_[index()];
      const double edge_s = edge_->extrapolated_s();
      now.error.add(x - blended(history));
      if (history.known) {
        (contradicts(history) ? now.unusual : now.usual).add(x - edge_s, x - history.mean_s);
        now.disagreement.push(std::abs(edge_s - history.mean_s));
      }
    }
    edge_.reset();
  }

  /// Of the present phase; only after has_edge().
  Forecast forecast(const Forecast& history) const {
    return stages_[index()].error.around(blended(history));
  }

 private:
  static constexpr std::size_t stages = 8, enough = 16;
  static constexpr double contradiction = 8.0;

  struct Stage {
    BestBlend usual, unusual;
    SortedWindow disagreement{32};  // of edge and history
    ConformalInterval error;
  };

  std::size_t index() const {
    return std::min(stages - 1, static_cast<std::size_t>(edge_->fraction * stages));
  }
  bool contradicts(const Forecast& history) const {
    const SortedWindow& usual = stages_[index()].disagreement;
    return usual.size() >= enough &&
           std::abs(edge_->extrapolated_s() - history.mean_s) > contradiction * usual.median();
  }
  /// The present phase takes at least as long as it has taken already.
  double blended(const Forecast& history) const {
    if (!history.known) return edge_->extrapolated_s();
    const Stage& now = stages_[index()];
    const double w =
        contradicts(history) ? now.unusual.weight(1.0) : now.usual.weight(edge_->fraction);
    const double value = w * edge_->extrapolated_s() + (1.0 - w) * history.mean_s;
    return std::max(value, edge_->elapsed_s);
  }

  std::optional<EdgeReading> edge_;  // of the present phase
  std::array<Stage, stages> stages_;
};

}  // namespace pat
