#include "collectives/cost/bound.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"

namespace pat {
namespace {

struct Leaf {
  double arrival_s;
  double bytes;
};

/// The ranks other than the root that have data, latest first.
std::vector<Leaf> leaves_latest_first(const Problem& problem, const ArrivalPattern& pattern) {
  std::vector<Leaf> leaves;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const double bytes = static_cast<double>(problem.block(rank) * problem.unit_bytes);
    if (rank != problem.root && bytes > 0.0) leaves.push_back({pattern.offset_s[rank], bytes});
  }
  std::sort(leaves.begin(), leaves.end(),
            [](const Leaf& a, const Leaf& b) { return a.arrival_s > b.arrival_s; });
  return leaves;
}

double total_bytes(const std::vector<Leaf>& leaves) {
  double total = 0.0;
  for (const Leaf& leaf : leaves) total += leaf.bytes;
  return total;
}

/// The sum over the leaves that arrive at or after a_k grows from one leaf to the next; among equal
/// arrivals the last one has it whole.
double gather_end_s(const std::vector<Leaf>& leaves, const CostModel& model) {
  double end_s = 0.0, bytes = 0.0;
  for (const Leaf& leaf : leaves) {
    bytes += leaf.bytes;
    end_s = std::max(end_s, leaf.arrival_s + model.alpha_s + bytes * model.beta_s_per_byte);
  }
  return end_s;
}

double own_block_end_s(const std::vector<Leaf>& leaves, const CostModel& model) {
  double end_s = 0.0;
  for (const Leaf& leaf : leaves)
    end_s = std::max(end_s, leaf.arrival_s + model.alpha_s + leaf.bytes * model.beta_s_per_byte);
  return end_s;
}

}  // namespace

double lower_bound_s(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
                     Reach reach) {
  validate(problem);
  validate(pattern, problem.ranks);
  const bool gathers = problem.operation == Operation::gather;
  if (!gathers && problem.operation != Operation::scatter)
    throw Error(ErrorKind::argument, "there is no bound for " +
                                         std::string(name(problem.operation)) +
                                         ", ask for gather or scatter");
  const auto [first, last] = std::minmax_element(pattern.offset_s.begin(), pattern.offset_s.end());
  double end_s = *last;
  const std::vector<Leaf> leaves = leaves_latest_first(problem, pattern);
  if (leaves.empty()) return end_s - *first;
  const bool foreground = reach == Reach::foreground;
  if (!gathers || foreground)
    end_s = std::max(end_s, pattern.offset_s[problem.root] + model.alpha_s +
                                total_bytes(leaves) * model.beta_s_per_byte);
  if (gathers) end_s = std::max(end_s, gather_end_s(leaves, model));
  if (!gathers && foreground) end_s = std::max(end_s, own_block_end_s(leaves, model));
  return end_s - *first;
}

}  // namespace pat
