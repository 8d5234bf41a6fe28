#include "collectives/clairvoyant/clairvoyant.hpp"

#include <algorithm>

#include "collectives/clairvoyant/generators.hpp"
#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/patterns/pieces.hpp"
#include "collectives/reduce/partials.hpp"
#include "core/errors.hpp"

namespace pat::clairvoyant {
namespace {

std::size_t vector_bytes(const Problem& problem) {
  return problem.units * problem.unit_bytes;
}

/// The rounds of a network that costs next to nothing could not be counted.
double countable_round_s(const Problem& problem, int segments, const ArrivalPattern& pattern) {
  const double round_s = round_length_s(problem, segments);
  if (problem.round_s > 0.0) return round_s;  // a user's is refused if it is too short
  return std::max(round_s, 1e-9 * absolute_imbalance_s(pattern));
}

/// Measured lengths of rounds are no better known than this.
constexpr double measured_tolerance = 0.03;

Plan plan_with(Order order, int segments, const Problem& problem, const ArrivalPattern& pattern,
               const Options& options) {
  Plan result;
  result.round_s = countable_round_s(problem, segments, pattern);
  result.instance = instance_of(problem, pattern, segments, order, options.window);
  const Generate generate = options.generate ? options.generate : fast;
  generate(result.instance, result.list);
  result.makespan_s = makespan_s(result.list, result.instance, pattern.offset_s, result.round_s);
  return result;
}

}  // namespace

double round_length_s(const Problem& problem, int segments) {
  if (problem.round_s > 0.0) return problem.round_s;
  const double bytes = static_cast<double>(vector_bytes(problem)) / segments;
  if (!problem.rounds.empty()) return length_of_round_s(problem.rounds, bytes);
  const double length_s = problem.cost.round_s(bytes);
  return length_s > 0.0 ? length_s : 1e-9;  // a network without any cost
}

int segments_for(const Problem& problem, const ArrivalPattern& pattern) {
  if (problem.segments > 0) return problem.segments;
  const std::size_t most = std::clamp<std::size_t>(problem.units, 1, 4096);
  std::vector<double> run_s;  // with 1, 2, 4, ... segments
  for (std::size_t n = 1; n <= most; n *= 2) {
    const int segments = static_cast<int>(n);
    const double round_s = countable_round_s(problem, segments, pattern);
    run_s.push_back(check::reduce_round_bound(pattern.offset_s, segments, round_s) * round_s);
  }
  const auto best = std::min_element(run_s.begin(), run_s.end());
  auto chosen = best - run_s.begin();
  if (!problem.rounds.empty()) {
    // No number of segments shortens the wait for the last.
    const double work_s = std::max(0.0, *best - absolute_imbalance_s(pattern));
    const auto as_good = [&](double s) { return s <= *best + measured_tolerance * work_s; };
    const auto least = std::find_if(run_s.begin(), run_s.end(), as_good) - run_s.begin();
    const auto greatest =
        std::find_if(run_s.rbegin(), run_s.rend(), as_good).base() - run_s.begin() - 1;
    chosen = (least + greatest + 1) / 2;
  }
  return std::max(1 << chosen, unasked_pieces(problem, problem.block_bytes()));
}

Instance instance_of(const Problem& problem, const ArrivalPattern& pattern, int segments,
                     Order order, Window window) {
  return make_instance(segments, problem.root, pattern.offset_s,
                       countable_round_s(problem, segments, pattern), order, window);
}

Plan plan(const Problem& problem, const ArrivalPattern& pattern, const Options& options) {
  const int segments = segments_for(problem, pattern);
  if (options.order) return plan_with(*options.order, segments, problem, pattern, options);
  Plan paper = plan_with(Order::paper, segments, problem, pattern, options);
  if (absolute_imbalance_s(pattern) <= 0.0) return paper;
  Plan latest_first = plan_with(Order::latest_first, segments, problem, pattern, options);
  return latest_first.makespan_s < paper.makespan_s ? latest_first : paper;
}

Schedule to_schedule(const Problem& problem, const MessageList& list, int segments) {
  Schedule schedule(problem);
  std::vector<std::optional<reduce::Partials>> partials(problem.ranks);
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (schedule.wants(rank)) {
      partials[rank].emplace(schedule.problem, rank, schedule.programs[rank], segments);
      partials[rank]->keep_rounds();
    }
  for (std::size_t r = 0; r < list.rounds.size(); ++r)
    for (const Message& message : list.of(r)) {
      const std::uint32_t round = list.rounds[r].number;
      if (auto& sender = partials[message.sender()])
        sender->send(message.receiver(), message.segment(), round);
      auto& receiver = partials[message.receiver()];
      if (!receiver) continue;
      if (message.copies())
        receiver->replace(message.sender(), message.segment(), round);
      else
        receiver->combine(message.sender(), message.segment(), reduce::Side::either, round);
    }
  for (auto& one : partials)
    if (one) one->finish();
  return schedule;
}

}  // namespace pat::clairvoyant
