#include "collectives/operations/neighbours.hpp"

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"

namespace pat::neighbours {
namespace {

/// What one rank exchanges with one other along an edge.
struct Message {
  double sender_s;  ///< its arrival
  std::size_t units;
};

/// Those to others, or from others.
std::vector<Message> messages(const std::vector<int>& others, const std::vector<std::size_t>& units,
                              int rank, const ArrivalPattern& pattern) {
  std::vector<Message> all;
  for (std::size_t edge = 0; edge < others.size(); ++edge)
    if (others[edge] != rank && units[edge] > 0)
      all.push_back({pattern.offset_s[static_cast<std::size_t>(others[edge])], units[edge]});
  return all;
}

/// When a port that is free from `from_s` on has passed all of them.
double passed_s(double from_s, const std::vector<Message>& all, const Problem& problem,
                const CostModel& model) {
  std::size_t units = 0;
  for (const Message& one : all) units += one.units;
  if (units == 0) return from_s;
  const auto bytes = static_cast<double>(units * problem.unit_bytes);
  return from_s + model.alpha_s + bytes * model.beta_s_per_byte;
}

}  // namespace

std::pair<std::size_t, std::size_t> edge_of_unit(const Problem& problem, int rank,
                                                 std::size_t unit) {
  const std::vector<std::size_t> received = problem.exchange_of(rank).received;
  std::size_t edge = 0;
  for (; unit >= received[edge]; ++edge) unit -= received[edge];
  return {edge, unit};
}

double bound(const Problem& problem, const ArrivalPattern& pattern, const CostModel& model,
             Reach reach) {
  double end_s = *std::max_element(pattern.offset_s.begin(), pattern.offset_s.end());
  const auto no_sooner = [&](double from_s, const std::vector<Message>& all) {
    end_s = std::max(end_s, passed_s(from_s, all, problem, model));
  };
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const Neighbours mine = problem.neighbours_of(rank);
    const Exchange units = problem.exchange_of(rank);
    const double come_s = pattern.offset_s[static_cast<std::size_t>(rank)];
    no_sooner(come_s, messages(mine.to, units.sent, rank, pattern));
    std::vector<Message> in = messages(mine.from, units.received, rank, pattern);
    if (reach == Reach::foreground) no_sooner(come_s, in);
    std::sort(in.begin(), in.end(),
              [](const Message& a, const Message& b) { return a.sender_s < b.sender_s; });
    for (; !in.empty(); in.erase(in.begin())) no_sooner(in.front().sender_s, in);
  }
  return end_s;
}

MpiPrice as_open_mpi(const Problem& problem, const CostModel&) {
  return {&get_algorithm(problem.operation, "lin"), 0, 1, 1.0, 0.0};
}

}  // namespace pat::neighbours
