#include "analysis/viewers/timeline.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "analysis/forecasts.hpp"
#include "predictors/predictor.hpp"

namespace pat {

Timeline::Timeline(const Trace& trace)
    : trace_(trace), steps_(static_cast<std::size_t>(trace.ranks)) {}

bool Timeline::next() {
  if (iteration_ + 1 >= trace_.iterations()) return false;
  ++iteration_;
  const auto row = static_cast<std::size_t>(iteration_);
  begin_s_ = trace_.start_s.empty() ? end_s_ : trace_.start_s[row];
  const auto arrivals = trace_.row(iteration_);
  last_ = static_cast<int>(std::ranges::max_element(arrivals) - arrivals.begin());
  const double last_arrival_s = arrivals[static_cast<std::size_t>(last_)];
  last_arrival_s_ = begin_s_ + last_arrival_s;
  for (std::size_t r = 0; r < steps_.size(); ++r) {
    Step& step = steps_[r];
    const double before_s = step.left_s;
    const double computed_s = trace_.computing_s.empty()
                                  ? arrivals[r]
                                  : trace_.computing(iteration_, static_cast<int>(r));
    const double left_s =
        trace_.left_s.empty() ? last_arrival_s : trace_.left_s[row * steps_.size() + r];
    step.arrival_s = std::max(before_s, begin_s_ + arrivals[r]);
    step.computing_s = std::clamp(begin_s_ + arrivals[r] - computed_s, before_s, step.arrival_s);
    step.left_s = std::max(step.arrival_s, begin_s_ + left_s);
    step.released_s = std::clamp(last_arrival_s_, step.arrival_s, step.left_s);
    end_s_ = std::max(end_s_, step.left_s);
  }
  return true;
}

const std::string& Timeline::place() const {
  return trace_.places.empty() ? trace_.region
                               : trace_.places[static_cast<std::size_t>(
                                     trace_.place[static_cast<std::size_t>(iteration_)])];
}

std::string_view Timeline::algorithm() const {
  if (trace_.algorithms.empty()) return {};
  const int which = trace_.algorithm[static_cast<std::size_t>(iteration_)];
  return which < 0 ? std::string_view() : trace_.algorithms[static_cast<std::size_t>(which)];
}

std::vector<std::pair<std::string, double>> Timeline::edges(std::size_t rank) const {
  std::vector<std::pair<std::string, double>> all;
  const Step& step = steps_[rank];
  const double start_s = begin_s_ + trace_.arrival(iteration_, static_cast<int>(rank)) -
                         trace_.computing(iteration_, static_cast<int>(rank));
  for (const Trace::Edge& edge : trace_.edges) {
    const double time_s = edge.time_s[static_cast<std::size_t>(iteration_) * steps_.size() + rank];
    if (std::isnan(time_s)) continue;
    all.emplace_back(fmt::format("edge {}", edge.fraction),
                     std::clamp(start_s + time_s, step.computing_s, step.arrival_s));
  }
  return all;
}

std::vector<Forecast> replayed_forecasts(const Trace& trace, const std::string& model) {
  constexpr int most = 50'000;
  make_predictor(model);  // throws
  std::vector<Forecast> all(trace.arrival_s.size());
  const int first = std::max(0, trace.iterations() - most / std::max(1, trace.ranks));
  for (int place = 0; place < std::max(1, static_cast<int>(trace.places.size())); ++place) {
    std::vector<std::size_t> rows;
    Trace here;
    here.ranks = trace.ranks;
    for (int i = first; i < trace.iterations(); ++i) {
      if (!trace.places.empty() && trace.place[static_cast<std::size_t>(i)] != place) continue;
      rows.push_back(static_cast<std::size_t>(i));
      for (int r = 0; r < trace.ranks && !trace.computing_s.empty(); ++r) {
        here.arrival_s.push_back(trace.arrival(i, r));
        here.computing_s.push_back(trace.computing(i, r));
      }
    }
    if (!has_computing(here)) continue;
    for (int r = 0; r < trace.ranks; ++r) {
      const ForetoldRank found = foretell(here, r, {.model = model});
      for (std::size_t k = 0; k < rows.size(); ++k)
        all[rows[k] * static_cast<std::size_t>(trace.ranks) + static_cast<std::size_t>(r)] =
            found.forecast[k];
    }
  }
  return all;
}

}  // namespace pat
