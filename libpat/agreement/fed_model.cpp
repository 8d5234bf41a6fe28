#include "libpat/agreement/fed_model.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "core/seconds.hpp"

namespace pat::detail {

void FedModel::note_end(double computing_s, double lasted_s, const Hints& hints,
                        const std::optional<EdgeReading>& edge) {
  Phase& phase = ring_[ended_ % most_waiting];
  phase.observation.computing_s = computing_s;
  phase.observation.hints = hints;
  phase.edge = edge;
  phase.number = ended_++;
  waiting_ = std::min(waiting_ + 1, most_waiting);
  allowance_s_ += share * lasted_s;
}

const Forecast& FedModel::foretell(const Hints& hints, const std::optional<EdgeReading>& edge) {
  const std::size_t phases = affordable();
  if (phases == 0 && hints.empty() && !edge && !edge_of_) return forecast_;
  const std::int64_t before_ns = thread_cpu_ns();
  feed(phases);
  tell(hints, edge);
  const double cost_s = seconds(thread_cpu_ns() - before_ns);
  allowance_s_ = std::min(allowance_s_ - cost_s, most_saved_s);
  if (phases > 0) {
    constexpr double weight = 0.25;
    const double one_s = cost_s / static_cast<double>(phases);
    cost_s_ = cost_s_ > 0.0 ? cost_s_ + weight * (one_s - cost_s_) : one_s;
  }
  return forecast_;
}

const Forecast& FedModel::foretell_from_all(const Hints& hints,
                                            const std::optional<EdgeReading>& edge) {
  feed(waiting_);
  tell(hints, edge);
  return forecast_;
}

double FedModel::longest_s() const {
  double longest_s = 0.0;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(ended_, most_waiting); ++i)
    longest_s = std::max(longest_s, ring_[i].observation.computing_s);
  return longest_s;
}

/// How many of those that wait the model may see now: all, or the next run of them.
std::size_t FedModel::affordable() const {
  if (cost_s_ == 0.0 || static_cast<double>(waiting_) * cost_s_ <= allowance_s_) return waiting_;
  return static_cast<double>(run_) * cost_s_ <= allowance_s_ ? std::min(run_, waiting_) : 0;
}

/// The latest ones; those before them are passed over.
void FedModel::feed(std::size_t phases) {
  if (phases == 0) return;
  if (phases < waiting_) run_ = run_ % longest_run + 1;
  for (std::uint64_t number = ended_ - phases; number < ended_; ++number)
    observe(ring_[number % most_waiting]);
  waiting_ = 0;
}

void FedModel::observe(const Phase& phase) {
  if (edge_of_ && *edge_of_ != phase.number) model_->forget_edge();
  edge_of_.reset();
  for (const auto& [name, value] : phase.observation.hints) model_->observe_hint(name, value);
  if (phase.edge) model_->observe_edge(phase.edge->fraction, phase.edge->elapsed_s);
  model_->observe(phase.observation);
}

/// What is known of the present phase, also if it is known already.
void FedModel::tell(const Hints& hints, const std::optional<EdgeReading>& edge) {
  for (const auto& [name, value] : hints) model_->observe_hint(name, value);
  if (!edge && edge_of_ && *edge_of_ != ended_) {
    model_->forget_edge();
    edge_of_.reset();
  }
  if (edge) {
    model_->observe_edge(edge->fraction, edge->elapsed_s);
    edge_of_ = ended_;
  }
  forecast_ = model_->forecast();
}

}  // namespace pat::detail
