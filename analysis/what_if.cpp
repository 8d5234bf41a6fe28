#include "analysis/what_if.hpp"

#include <algorithm>

#include "collectives/cost/bound.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

/// Medians of all but one, from all of them in order.
class OthersMedian {
 public:
  explicit OthersMedian(std::vector<double> all) : all_(std::move(all)) {
    std::sort(all_.begin(), all_.end());
  }
  double without(double value) const {
    const auto left_out =
        static_cast<std::size_t>(std::lower_bound(all_.begin(), all_.end(), value) - all_.begin());
    const std::size_t others = all_.size() - 1;
    const auto other = [&](std::size_t i) { return all_[i < left_out ? i : i + 1]; };
    return others % 2 == 1 ? other(others / 2) : 0.5 * (other(others / 2 - 1) + other(others / 2));
  }

 private:
  std::vector<double> all_;
};

}  // namespace

std::vector<double> saved_if_on_time_s(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> saved_s(ranks);
  if (ranks < 2) return saved_s;
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    double second = 0.0;
    std::vector<double> computing(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      computing[r] = trace.computing(i, static_cast<int>(r));
      if (r != last) second = std::max(second, row[r]);
    }
    // Without regions nobody said what was computed: then all of the lateness is the rank's own.
    if (std::ranges::all_of(computing, [](double one) { return one == 0.0; }))
      computing.assign(row.begin(), row.end());
    // Who is not last changes nothing by coming earlier.
    const double excess = computing[last] - OthersMedian(computing).without(computing[last]);
    saved_s[last] += std::clamp(excess, 0.0, row[last] - second);
  }
  return saved_s;
}

double saved_if_balanced_s(const Trace& trace) {
  double saved_s = 0.0;
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    double sum = 0.0;
    for (const double arrival : row) sum += arrival;
    saved_s += *std::ranges::max_element(row) - sum / static_cast<double>(trace.ranks);
  }
  return saved_s;
}

std::optional<double> recoverable_s(const Trace& trace, const CallName& call,
                                    const CostModel& network) {
  // Bounds of all-to-all operations are quadratic in the ranks.
  const int most =
      static_cast<int>(std::clamp(2'000'000L / (long{trace.ranks} * trace.ranks), 4L, 256L));
  const OperationRow& operation = row(call.operation);
  const bool has_bound = *operation.bound != nullptr;
  if (!has_bound || call.root >= trace.ranks) return std::nullopt;
  if (!call.block_bytes && operation.has_bytes()) return std::nullopt;
  if (trace.iterations() == 0 || trace.ranks < 2) return 0.0;
  Problem problem;
  problem.operation = call.operation;
  problem.ranks = trace.ranks;
  problem.root = call.root;
  problem.units = call.block_bytes.value_or(0);
  const double together_s = lower_bound_s(problem, ArrivalPattern::flat(trace.ranks), network);
  const int looks = std::min(most, trace.iterations());
  double sum_s = 0.0;
  for (int k = 0; k < looks; ++k) {
    const auto i = static_cast<int>(static_cast<long>(k) * trace.iterations() / looks);
    const std::span<const double> arrivals = trace.row(i);
    const ArrivalPattern pattern{{arrivals.begin(), arrivals.end()}, {}, 0};
    const double after_s = lower_bound_s(problem, pattern, network) - absolute_imbalance_s(pattern);
    sum_s += std::max(0.0, together_s - after_s);
  }
  return sum_s * trace.iterations() / looks;
}

}  // namespace pat
