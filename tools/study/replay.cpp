#include "tools/study/replay.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/errors.hpp"
#include "predictors/predictor.hpp"

namespace pat::study {
namespace {

constexpr int longest_path = 64;  // a forecast is sent again after as many iterations at the latest

void validate(const ReplayOptions& o) {
  if (!(o.edge >= 0.0 && o.edge < 1.0))
    throw Error(ErrorKind::argument, "the edge must be a share of the work from 0 to below 1");
  if (!(o.edge_noise >= 0.0 && o.edge_noise <= 1.0))
    throw Error(ErrorKind::argument, "the noise of the edge must lie between 0 and 1");
  if (o.exchange_every < 0 || o.exchange_every > longest_path)
    throw Error(ErrorKind::argument,
                "patterns are exchanged every 1 to 64 iterations, or 0 for "
                "whenever a forecast leaves its interval");
  if (o.thin < 1) throw Error(ErrorKind::argument, "a model sees one of 1, 2 or more phases");
  if (o.thin > 1 && (o.exchange_every != 1 || o.horizon != 1))
    throw Error(ErrorKind::argument,
                "a model that does not see all phases is studied at each iteration and one ahead");
  if (o.horizon < 1 || o.horizon > longest_path)
    throw Error(ErrorKind::argument, "the horizon must be 1 to 64 iterations");
}

/// One rank's way through the trace.
class RankReplay {
 public:
  RankReplay(const Trace& trace, const ReplayOptions& options, int rank, Replay& out)
      : trace_(trace),
        options_(options),
        rank_(rank),
        out_(out),
        model_(make_predictor(options.model)) {}

  void run() {
    std::mt19937_64 random(options_.seed * 2654435761u + static_cast<std::uint64_t>(rank_));
    for (int i = 0; i < trace_.iterations(); ++i) {
      const Observation phase{trace_.computing(i, rank_), hints(i)};
      for (const auto& [name, value] : phase.hints) model_->observe_hint(name, value);
      if (options_.edge > 0.0) {
        const double e = std::normal_distribution<double>(0.0, options_.edge_noise)(random);
        const double pace = std::max(0.05, 1.0 + (1.0 - options_.edge) * e);
        model_->observe_edge(options_.edge,
                             std::min(1.0, options_.edge * pace) * phase.computing_s);
      }
      write(i, known_to_others(i));
      if (i % options_.thin == 0)
        model_->observe(phase);
      else
        model_->forget_edge();
      // The forecast for iteration i + horizon, from what is known before iteration i + 1.
      if (options_.horizon > 1) ahead_.push_back(model_->forecast_ahead(options_.horizon));
    }
  }

 private:
  /// What the program said of the phase when it began.
  std::vector<std::pair<std::string, double>> hints(int i) const {
    std::vector<std::pair<std::string, double>> given;
    for (const Trace::Hint& hint : trace_.hints) {
      const double value =
          hint.value[static_cast<std::size_t>(i) * static_cast<std::size_t>(trace_.ranks) +
                     static_cast<std::size_t>(rank_)];
      if (options_.hints && !std::isnan(value)) given.emplace_back(hint.name, value);
    }
    return given;
  }

  Forecast known_to_others(int i) {
    if (options_.horizon > 1) {
      const int from = i - options_.horizon;
      return from >= 0 ? ahead_[static_cast<std::size_t>(from)] : Forecast{};
    }
    if (options_.exchange_every == 1) {
      sent(1);
      return model_->forecast();
    }
    const bool due =
        options_.exchange_every > 0 ? i % options_.exchange_every == 0 : left_interval(i);
    if (due) publish(i);
    return path_.empty() ? Forecast{} : path_[static_cast<std::size_t>(i - published_at_)];
  }

  /// Whether the others are further off than the rank itself is likely to be.
  bool left_interval(int i) const {
    const auto age = static_cast<std::size_t>(i - published_at_);
    if (path_.empty() || age >= path_.size() || !path_[age].known) return true;
    const Forecast now = model_->forecast();
    const double tolerated_s = std::min(now.half_width_s(), path_.front().half_width_s());
    return std::abs(now.mean_s - path_[age].mean_s) > tolerated_s;
  }

  void publish(int i) {
    published_at_ = i;
    path_.clear();
    const int length = options_.exchange_every > 0 ? options_.exchange_every : longest_path;
    for (int step = 1; step <= length; ++step) path_.push_back(model_->forecast_ahead(step));
    sent(1);
  }

  void sent(int count) { out_.exchanges += count; }

  void write(int i, const Forecast& forecast) {
    const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(trace_.ranks) +
                    static_cast<std::size_t>(rank_);
    const double start_s = trace_.arrival(i, rank_) - trace_.computing(i, rank_);
    out_.known[at] = forecast.known ? 1 : 0;
    out_.arrival_s[at] = std::max(0.0, start_s + forecast.mean_s);
    out_.lower_s[at] = start_s + forecast.lower_s;
    out_.upper_s[at] = start_s + forecast.upper_s;
  }

  const Trace& trace_;
  const ReplayOptions& options_;
  int rank_;
  Replay& out_;
  std::unique_ptr<Predictor> model_;
  std::vector<Forecast> path_;   // what the others know, from published_at_ on
  std::vector<Forecast> ahead_;  // for the horizon
  int published_at_ = 0;
};

}  // namespace

Replay replay(const Trace& trace, const ReplayOptions& options, const Progress& progress) {
  validate(options);
  Replay out;
  const std::size_t size = trace.arrival_s.size();
  out.arrival_s.resize(size);
  out.lower_s.resize(size);
  out.upper_s.resize(size);
  out.known.resize(size);
  for (int rank = 0; rank < trace.ranks; ++rank) {
    RankReplay(trace, options, rank, out).run();
    if (progress)
      progress(static_cast<std::size_t>(rank) + 1, static_cast<std::size_t>(trace.ranks));
  }
  out.exchanges /= std::max<double>(1.0, static_cast<double>(size));
  return out;
}

Replay replay_of(const Trace& trace, const Trace& forecasts) {
  if (trace.ranks != forecasts.ranks || trace.arrival_s.size() != forecasts.arrival_s.size())
    throw Error(ErrorKind::argument,
                "the forecasts must have as many ranks and iterations as the trace");
  return {forecasts.arrival_s, forecasts.arrival_s, forecasts.arrival_s,
          std::vector<char>(trace.arrival_s.size(), 1), 1.0};
}

}  // namespace pat::study
