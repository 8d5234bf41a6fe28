#include "analysis/what_if.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

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

/// When the last of the others comes if one computes less: those who waited for messages
/// meanwhile, for its, come earlier by as much, at most by what they waited.
class Others {
 public:
  Others(std::span<const double> arrival_s, std::span<const double> waiting_s)
      : order_(arrival_s.size()), waiting_s_(waiting_s.begin(), waiting_s.end()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t rank) { return waiting_s[rank]; });
    std::ranges::sort(waiting_s_);
    earlier_.resize(order_.size() + 1);
    later_.resize(order_.size() + 1);
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const std::size_t rank = order_[k];
      earlier_[k + 1] = earlier_[k].with(rank, arrival_s[rank] - waiting_s[rank]);
    }
    for (std::size_t k = order_.size(); k-- > 0;)
      later_[k] = later_[k + 1].with(order_[k], arrival_s[order_[k]]);
  }
  /// Of all but this rank, if it computes so much less.
  double last_s(std::size_t rank, double less_s) const {
    const auto k =
        static_cast<std::size_t>(std::ranges::lower_bound(waiting_s_, less_s) - waiting_s_.begin());
    return std::max(earlier_[k].without(rank), later_[k].without(rank) - less_s);
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  /// The two latest of some ranks.
  struct Latest {
    std::size_t rank = 0;
    double first_s = never, second_s = never;
    Latest with(std::size_t other, double time_s) const {
      if (time_s > first_s) return {other, time_s, first_s};
      return {rank, first_s, std::max(second_s, time_s)};
    }
    double without(std::size_t other) const {
      return first_s != never && rank == other ? second_s : first_s;
    }
  };
  std::vector<std::size_t> order_;
  std::vector<double> waiting_s_;  // ascending
  std::vector<Latest> earlier_;    // of the first k in that order, without their waiting
  std::vector<Latest> later_;      // of all from the k-th on
};

bool is_kept(std::span<const double> kept, std::size_t entry) {
  return !kept.empty() && kept[entry] > 0.0;
}

}  // namespace

std::vector<double> saved_if_on_time_s(const Trace& trace, std::span<const double> waiting_s,
                                       std::span<const double> kept) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  std::vector<double> saved_s(ranks);
  if (ranks < 2) return saved_s;
  const std::vector<double> nowhere(ranks);
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    std::vector<double> computing(ranks);
    for (std::size_t r = 0; r < ranks; ++r) computing[r] = trace.computing(i, static_cast<int>(r));
    // Without regions nobody said what was computed: then all of the lateness is the rank's own.
    if (std::ranges::all_of(computing, [](double one) { return one == 0.0; })) {
      const double first_s = std::ranges::min(row);
      for (std::size_t r = 0; r < ranks; ++r)
        computing[r] = is_kept(kept, static_cast<std::size_t>(i) * ranks + r) ? first_s : row[r];
    }
    const Others others(row, waiting_s.empty()
                                 ? nowhere
                                 : waiting_s.subspan(static_cast<std::size_t>(i) * ranks, ranks));
    const OthersMedian median(computing);
    const double last_s = std::ranges::max(row);
    for (std::size_t r = 0; r < ranks; ++r) {
      const double less_s = computing[r] - median.without(computing[r]);
      if (less_s <= 0.0) continue;
      const double then_s = std::max(row[r] - less_s, others.last_s(r, less_s));
      saved_s[r] += std::max(0.0, last_s - then_s);
    }
  }
  return saved_s;
}

double saved_if_balanced_s(const Trace& trace, std::span<const double> waiting_s,
                           std::span<const double> kept) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  double saved_s = 0.0;
  for (int i = 0; i < trace.iterations(); ++i) {
    const std::span<const double> row = trace.row(i);
    double worked_s = 0.0, computed_s = 0.0, longest_s = 0.0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const double waited_s =
          waiting_s.empty() ? 0.0 : waiting_s[static_cast<std::size_t>(i) * ranks + r];
      const double computing_s = trace.computing(i, static_cast<int>(r));
      worked_s += row[r] - waited_s;
      computed_s += computing_s;
      longest_s = std::max(longest_s, computing_s);
    }
    const auto last = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    if (longest_s == 0.0 && is_kept(kept, static_cast<std::size_t>(i) * ranks + last)) continue;
    const auto mean_s = [&](double sum_s) { return sum_s / trace.ranks; };
    const double late_s = std::ranges::max(row) - mean_s(worked_s);
    saved_s += longest_s > 0.0 ? std::min(late_s, longest_s - mean_s(computed_s)) : late_s;
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
