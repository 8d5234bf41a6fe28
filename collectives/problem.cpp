#include "collectives/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const Problem& problem, const std::string& what) {
  throw Error(kind, what + " in " + std::string(name(problem.operation)));
}

[[noreturn]] void refuse_pair(const Problem& problem, int from, int to) {
  refuse(ErrorKind::count, problem,
         "rank " + std::to_string(from) + " sends rank " + std::to_string(to) +
             " not as much as that receives");
}

/// Both ends of a pair agree where both are known.
void validate_exchanges(const Problem& problem) {
  const auto ranks = static_cast<std::size_t>(problem.ranks);
  const auto refuse = [&](const std::string& what) {
    pat::refuse(ErrorKind::count, problem, what);
  };
  for (const Exchange& one : problem.exchanges)
    if (one.sent.size() != one.received.size() || (!one.sent.empty() && one.sent.size() != ranks))
      refuse("a rank does not have one count for each other");
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks && !problem.exchanges[from].sent.empty(); ++to)
      if (const auto& received = problem.exchanges[to].received;
          !received.empty() && received[from] != problem.exchanges[from].sent[to])
        refuse_pair(problem, static_cast<int>(from), static_cast<int>(to));
}

/// Whether the neighbours of this rank matter, and so must be known.
bool is_built(const Problem& problem, int rank) {
  return problem.only_rank < 0 || problem.only_rank == rank;
}

bool is_rank_or_nobody(const Problem& problem, int rank) {
  return rank >= Neighbours::nobody && rank < problem.ranks;
}

/// What one rank says of its neighbours makes sense by itself.
void validate_alone(const Problem& problem, int rank) {
  const Neighbours& mine = problem.neighbours[static_cast<std::size_t>(rank)];
  const std::string who = "rank " + std::to_string(rank);
  for (const std::vector<int>* side : {&mine.to, &mine.from})
    for (const int other : *side)
      if (!is_rank_or_nobody(problem, other))
        refuse(ErrorKind::argument, problem,
               who + " has a neighbour " + std::to_string(other) + " that there is not");
  if (mine.crosswise && (mine.to != mine.from || mine.to.size() % 2 != 0))
    refuse(ErrorKind::argument, problem, who + " does not have two neighbours in each dimension");
}

/// How many of `edges` lead to `rank`.
auto edges_with(const std::vector<int>& edges, int rank) {
  return std::count(edges.begin(), edges.end(), rank);
}

/// What every edge says of one end is said of the other.
void validate_edges(const Problem& problem) {
  const auto refuse_edge = [&](int from, int to) {
    refuse(ErrorKind::argument, problem,
           "rank " + std::to_string(from) + " sends to rank " + std::to_string(to) +
               " not as often as that receives");
  };
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const Neighbours& mine = problem.neighbours[static_cast<std::size_t>(rank)];
    for (const int other : mine.to) {
      if (other == Neighbours::nobody) continue;
      const Neighbours& there = problem.neighbours[static_cast<std::size_t>(other)];
      if (edges_with(mine.to, other) != edges_with(there.from, rank) ||
          mine.crosswise != there.crosswise)
        refuse_edge(rank, other);
    }
    for (const int other : mine.from)
      if (other != Neighbours::nobody &&
          edges_with(problem.neighbours[static_cast<std::size_t>(other)].to, rank) !=
              edges_with(mine.from, other))
        refuse_edge(other, rank);
    for (std::size_t edge = 0; mine.crosswise && edge < mine.to.size(); ++edge) {
      const int other = mine.to[edge];
      if (other == Neighbours::nobody) continue;
      const Neighbours& there = problem.neighbours[static_cast<std::size_t>(other)];
      if (there.from.size() != mine.to.size() || there.from[edge ^ 1] != rank)
        refuse_edge(rank, other);
    }
  }
}

void validate_neighbours(const Problem& problem) {
  if (!row(problem.operation).among_neighbours())
    refuse(ErrorKind::argument, problem, "neighbours are given, which there are not");
  if (problem.neighbours.size() != static_cast<std::size_t>(problem.ranks))
    refuse(ErrorKind::argument, problem, "neighbours are not given for each rank");
  for (int rank = 0; rank < problem.ranks; ++rank)
    if (is_built(problem, rank)) validate_alone(problem, rank);
  if (problem.only_rank < 0) validate_edges(problem);
}

/// The lengths along a rank's edges: one each, 0 where there is nobody.
void validate_lengths(const Problem& problem, int rank, const std::vector<int>& edges,
                      const std::vector<std::size_t>& lengths) {
  const std::string who = "rank " + std::to_string(rank);
  if (edges.size() != lengths.size())
    refuse(ErrorKind::count, problem, who + " does not have one count for each neighbour");
  for (std::size_t edge = 0; edge < edges.size(); ++edge)
    if (edges[edge] == Neighbours::nobody && lengths[edge] != 0)
      refuse(ErrorKind::count, problem, who + " exchanges units with nobody");
}

/// Both ends of an edge agree. The neighbours have been checked.
void validate_exchanges_of_neighbours(const Problem& problem) {
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (!is_built(problem, rank)) continue;
    const Neighbours mine = problem.neighbours_of(rank);
    const Exchange& exchange = problem.exchanges[static_cast<std::size_t>(rank)];
    validate_lengths(problem, rank, mine.to, exchange.sent);
    validate_lengths(problem, rank, mine.from, exchange.received);
  }
  for (int rank = 0; rank < problem.ranks && problem.only_rank < 0; ++rank) {
    const Neighbours mine = problem.neighbours_of(rank);
    const Exchange& exchange = problem.exchanges[static_cast<std::size_t>(rank)];
    for (std::size_t edge = 0; edge < mine.from.size(); ++edge) {
      const int from = mine.from[edge];
      if (from == Neighbours::nobody) continue;
      const int theirs = edge_of_sender(problem, rank, static_cast<int>(edge));
      if (problem.exchanges[static_cast<std::size_t>(from)]
              .sent[static_cast<std::size_t>(theirs)] != exchange.received[edge])
        refuse_pair(problem, from, rank);
    }
  }
}

void validate_pairs(const Problem& problem) {
  const OperationRow& about = row(problem.operation);
  if (!about.in_pairs())
    refuse(ErrorKind::count, problem, "counts by pairs of ranks are given, which there are not");
  if (problem.exchanges.size() != static_cast<std::size_t>(problem.ranks))
    refuse(ErrorKind::count, problem, "counts by pairs are not given for each rank");
  about.among_neighbours() ? validate_exchanges_of_neighbours(problem)
                           : validate_exchanges(problem);
}

std::vector<int> numbers(std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

std::vector<int> edges_to(const Neighbours& neighbours) {
  return numbers(neighbours.to.size());
}

std::vector<int> edges_from(const Neighbours& neighbours) {
  std::vector<int> edges = numbers(neighbours.from.size());
  if (neighbours.crosswise)
    for (int& edge : edges) edge ^= 1;
  return edges;
}

int edge_of_sender(const Problem& problem, int rank, int edge) {
  const Neighbours mine = problem.neighbours_of(rank);
  if (mine.crosswise) return edge ^ 1;
  const int from = mine.from[static_cast<std::size_t>(edge)];
  auto before = edges_with({mine.from.begin(), mine.from.begin() + edge}, from);
  const std::vector<int> to = problem.neighbours_of(from).to;
  int theirs = 0;
  for (;; ++theirs)
    if (to[static_cast<std::size_t>(theirs)] == rank && before-- == 0) return theirs;
}

Neighbours Problem::neighbours_of(int rank) const {
  if (!neighbours.empty()) return neighbours[static_cast<std::size_t>(rank)];
  const std::vector<int> both = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  return {both, both, true};
}

namespace {

/// Where all blocks are alike, or differ by whom they are of: an allgather's by who sends them, an
/// alltoall's by who receives them.
Exchange exchange_along_edges(const Problem& problem, int rank) {
  const Neighbours mine = problem.neighbours_of(rank);
  const bool by_sender = row(problem.operation).send->holds == Holds::block;
  const auto units = [&](int other, bool sends) {
    if (other == Neighbours::nobody) return std::size_t{0};
    return problem.block(by_sender == sends ? rank : other);
  };
  Exchange all;
  for (const int other : mine.to) all.sent.push_back(units(other, true));
  for (const int other : mine.from) all.received.push_back(units(other, false));
  return all;
}

}  // namespace

Exchange Problem::exchange_of(int rank) const {
  if (!exchanges.empty()) return exchanges[static_cast<std::size_t>(rank)];
  if (row(operation).among_neighbours()) return exchange_along_edges(*this, rank);
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
  if (!problem.neighbours.empty()) validate_neighbours(problem);
  if (!problem.exchanges.empty()) validate_pairs(problem);
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
  if (about.in_pairs()) return sum(problem.exchange_of(rank).sent);
  return units_of(about.send, problem, rank);
}

std::size_t recv_units(const Problem& problem, int rank) {
  const OperationRow& about = row(problem.operation);
  if (about.all_to_all() || about.among_neighbours())
    return sum(problem.exchange_of(rank).received);
  return units_of(about.recv, problem, rank);
}

}  // namespace pat
