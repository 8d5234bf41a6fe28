#include "libpat/agreement/leader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/seconds.hpp"
#include "core/statistics.hpp"
#include "libpat/agreement/call_order.hpp"

namespace pat::detail {
namespace {

/// A lease goes on while no rank's predicted offset moves by more than this share of the imbalance,
/// or a tick.
constexpr double tolerated_move = 0.1;
/// Nobody reports during a lease, so one that was given without knowing the arrivals must end soon.
constexpr std::uint32_t longest_blind_lease = 4;
/// Imbalances below this cannot be told from noise.
constexpr double noise_s = 50e-6;

}  // namespace

double tolerated_move_s(const ArrivalPattern& a, const ArrivalPattern& b) {
  return std::max(noise_s,
                  tolerated_move * std::max(absolute_imbalance_s(a), absolute_imbalance_s(b)));
}

bool arrivals_stay(const ArrivalPattern& a, const ArrivalPattern& b, double least_s) {
  const double allowed_s = std::max(least_s, tolerated_move_s(a, b));
  for (std::size_t r = 0; r < a.offset_s.size(); ++r)
    if (std::abs(a.offset_s[r] - b.offset_s[r]) > allowed_s) return false;
  return true;
}

void Leader::take(int rank, const Report& report) {
  if (report.past_exit_ns > report.past_arrival_ns && report.past_arrival_ns > 0)
    remember(rank, {report.past_call, report.past_arrival_ns, report.past_exit_ns});
  std::optional<Report>& known = last_[static_cast<std::size_t>(rank)];
  if (known && is_before(report.call, known->call)) return;
  Report mended = report;
  if (!std::isfinite(mended.forecast_s)) mended.forecast_s = -1.0f;
  if (!std::isfinite(mended.half_width_s) || mended.half_width_s < 0.0f)
    mended.half_width_s = std::numeric_limits<float>::infinity();
  if (mended.arrival_ns < 0) mended.arrival_ns = 0;
  const bool same_call = known && known->call == report.call;
  if (same_call && (known->flags & Report::arrived) && !(report.flags & Report::arrived)) return;
  if (mended.forecast_s < 0.0f && known) mended.forecast_s = known->forecast_s;
  known = mended;
}

ArrivalPattern Leader::pattern(std::uint32_t call) const {
  const std::size_t ranks = last_.size();
  std::vector<double> starts_s;
  std::optional<std::int64_t> origin_ns;
  for (const auto& report : last_) {
    if (!report || report->call != call || report->arrival_ns == 0) continue;
    if (!origin_ns) origin_ns = report->arrival_ns;
    if (report->forecast_s >= 0.0f)
      starts_s.push_back(seconds(report->arrival_ns - *origin_ns) - report->forecast_s);
  }
  const double start_s = median(starts_s);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  ArrivalPattern pattern{std::vector<double>(ranks, unknown), std::vector<double>(ranks, unknown),
                         std::uint64_t{call} + 1};
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!last_[r]) continue;
    const Report& report = *last_[r];
    if (report.call == call && report.arrival_ns != 0) {
      pattern.offset_s[r] = seconds(report.arrival_ns - *origin_ns);
      pattern.half_width_s[r] = (report.flags & Report::arrived) ? 0.0 : report.half_width_s;
    } else if (report.forecast_s >= 0.0f) {
      pattern.offset_s[r] = start_s + report.forecast_s;
      pattern.half_width_s[r] = report.half_width_s;
    }
  }
  const double earliest = *std::min_element(pattern.offset_s.begin(), pattern.offset_s.end());
  for (double& offset_s : pattern.offset_s)
    offset_s = std::isfinite(offset_s) ? offset_s - earliest : 0.0;
  return pattern;
}

double Leader::computing_s() const {
  std::vector<double> foretold_s;
  for (const auto& report : last_)
    if (report && report->forecast_s >= 0.0f) foretold_s.push_back(report->forecast_s);
  return foretold_s.empty() ? 0.0 : median(foretold_s);
}

std::optional<std::int64_t> Leader::first_arrival_ns(std::uint32_t call) const {
  std::optional<std::int64_t> first;
  for (const auto& report : last_)
    if (report && report->call == call && report->arrival_ns != 0)
      first = std::min(first.value_or(report->arrival_ns), report->arrival_ns);
  return first;
}

bool Leader::complete(std::uint32_t call) const {
  return std::all_of(last_.begin(), last_.end(), [&](const std::optional<Report>& report) {
    return report && report->call == call && (report->flags & (Report::final | Report::arrived));
  });
}

void Leader::remember(int rank, const Past& past) {
  auto& known = past_[static_cast<std::size_t>(rank)];
  if (told(static_cast<std::size_t>(rank), past.call) != nullptr) return;
  std::shift_right(known.begin(), known.end(), 1);
  known.front() = past;
}

const Leader::Past* Leader::told(std::size_t rank, std::uint32_t call) const {
  for (const Past& one : past_[rank])
    if (one.exit_ns != 0 && one.call == call) return &one;
  return nullptr;
}

std::optional<MeasuredCall> Leader::measured() {
  std::optional<std::uint32_t> first;
  for (const Past& one : past_.front()) {
    if (one.exit_ns == 0 || (measured_ && !is_before(*measured_, one.call)) ||
        (first && !is_before(one.call, *first)))
      continue;
    std::size_t rank = 1;
    while (rank < past_.size() && told(rank, one.call) != nullptr) ++rank;
    if (rank == past_.size()) first = one.call;
  }
  if (!first) return std::nullopt;
  measured_ = first;
  return as_measured(*first);
}

/// All have told of it.
MeasuredCall Leader::as_measured(std::uint32_t call) const {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max(), last_ns = 0;
  double over_s = 0.0;
  for (std::size_t r = 0; r < past_.size(); ++r) {
    const Past& one = *told(r, call);
    first_ns = std::min(first_ns, one.arrival_ns);
    last_ns = std::max(last_ns, one.exit_ns);
    over_s += seconds(one.exit_ns) / static_cast<double>(past_.size());
  }
  MeasuredCall measured{call, ArrivalPattern::flat(static_cast<int>(past_.size())),
                        seconds(last_ns - first_ns), over_s};
  for (std::size_t r = 0; r < past_.size(); ++r)
    measured.arrivals.offset_s[r] = seconds(told(r, call)->arrival_ns - first_ns);
  return measured;
}

bool Leader::unchanged(const Decision& decision, bool uses_pattern) const {
  if (!previous_ || previous_->algorithm != decision.algorithm ||
      previous_->segments != decision.segments || previous_->variant != decision.variant ||
      previous_->live != decision.live)
    return false;
  if (!uses_pattern || decision.live) return true;
  // Near the border of two ticks nothing moves an arrival by one.
  return arrivals_stay(previous_->pattern(), decision.pattern(),
                       std::max(previous_->tick_s, decision.tick_s));
}

std::uint32_t Leader::lease(const Decision& decision, bool uses_pattern, bool known,
                            std::uint32_t most) {
  lease_ = unchanged(decision, uses_pattern) ? std::min(most_lease_, std::max(1u, 2 * lease_)) : 1;
  lease_ = std::min(lease_, std::max(1u, most));
  if (!known) lease_ = std::min(lease_, longest_blind_lease);
  previous_ = decision;
  return lease_;
}

}  // namespace pat::detail
