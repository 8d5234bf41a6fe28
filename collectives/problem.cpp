#include "collectives/problem.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

/// Both ends of a pair agree where both are known.
void validate_exchanges(const Problem& problem) {
  const auto ranks = static_cast<std::size_t>(problem.ranks);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::count, what + " in " + std::string(name(problem.operation)));
  };
  if (!row(problem.operation).all_to_all())
    refuse("counts by pairs of ranks are given, which there are not");
  if (problem.exchanges.size() != ranks) refuse("counts by pairs are not given for each rank");
  for (const Exchange& one : problem.exchanges)
    if (one.sent.size() != one.received.size() || (!one.sent.empty() && one.sent.size() != ranks))
      refuse("a rank does not have one count for each other");
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks && !problem.exchanges[from].sent.empty(); ++to)
      if (const auto& received = problem.exchanges[to].received;
          !received.empty() && received[from] != problem.exchanges[from].sent[to])
        refuse("rank " + std::to_string(from) + " sends rank " + std::to_string(to) +
               " not as much as that receives");
}

}  // namespace

Exchange Problem::exchange_of(int rank) const {
  if (!exchanges.empty()) return exchanges[static_cast<std::size_t>(rank)];
  const auto all = static_cast<std::size_t>(ranks);
  if (counts.empty()) return {std::vector(all, units), std::vector(all, units)};
  return {counts, std::vector(all, block(rank))};
}

void validate(const Problem& problem) {
  if (problem.ranks < 1)
    throw Error(ErrorKind::argument, "the number of processes is " + std::to_string(problem.ranks) +
                                         ", give at least 1");
  if (problem.root < 0 || problem.root >= problem.ranks)
    throw Error(ErrorKind::root, "the root is " + std::to_string(problem.root) +
                                     ", give a rank from 0 to " +
                                     std::to_string(problem.ranks - 1));
  if (!problem.counts.empty() && static_cast<int>(problem.counts.size()) != problem.ranks)
    throw Error(ErrorKind::count, "there are " + std::to_string(problem.counts.size()) +
                                      " counts, give one for each of the " +
                                      std::to_string(problem.ranks) + " ranks");
  if (!problem.exchanges.empty()) validate_exchanges(problem);
  if (problem.segments < 0)
    throw Error(ErrorKind::argument, "the number of segments is " +
                                         std::to_string(problem.segments) + ", give at least 1");
  if (problem.window < 0)
    throw Error(ErrorKind::argument, "the window is " + std::to_string(problem.window) +
                                         ", give at least 1, or 0 for the algorithm's own choice");
  const LinkCost& cost = problem.cost;
  for (const double value : {cost.alpha_s, cost.beta_s_per_byte, cost.gamma_s_per_byte,
                             problem.round_s, problem.pause_s})
    if (!std::isfinite(value) || value < 0.0)
      throw Error(ErrorKind::argument,
                  "alpha, beta, gamma, the round time and the pause must be finite and at least 0, "
                  "one is " +
                      std::to_string(value));
  if (problem.only_rank < -1 || problem.only_rank >= problem.ranks)
    throw Error(ErrorKind::argument, "rank " + std::to_string(problem.only_rank) +
                                         " is not one of the " + std::to_string(problem.ranks) +
                                         " ranks");
}

double length_of_round_s(const std::vector<RoundLength>& measured, double bytes) {
  const auto bytes_of = [&](std::size_t i) { return static_cast<double>(measured[i].bytes); };
  std::size_t above = 0;
  while (above < measured.size() && bytes_of(above) < bytes) ++above;
  if (above == 0) return measured.front().round_s;
  if (above == measured.size())
    return measured.back().round_s * bytes / bytes_of(measured.size() - 1);
  const double share =
      std::log(bytes / bytes_of(above - 1)) / std::log(bytes_of(above) / bytes_of(above - 1));
  return measured[above - 1].round_s *
         std::pow(measured[above].round_s / measured[above - 1].round_s, share);
}

namespace {

std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t units_of(const Side& side, const Problem& problem, int rank) {
  if (!has_buffer(side.at, rank, problem.root)) return 0;
  return side.holds == Holds::all_blocks ? problem.total() : problem.block(rank);
}

}  // namespace

std::size_t send_units(const Problem& problem, int rank) {
  const OperationRow& about = row(problem.operation);
  if (about.all_to_all()) return sum(problem.exchange_of(rank).sent);
  return units_of(about.send, problem, rank);
}

std::size_t recv_units(const Problem& problem, int rank) {
  const OperationRow& about = row(problem.operation);
  if (about.all_to_all()) return sum(problem.exchange_of(rank).received);
  return units_of(about.recv, problem, rank);
}

}  // namespace pat
