#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "collectives/operation_row.hpp"
#include "core/arrival_pattern.hpp"

namespace pat::test {

/// The patterns every algorithm is checked with: flat, one late rank, late root, uniform, reversed,
/// ties.
inline std::vector<ArrivalPattern> sample_patterns(int ranks, int root, std::uint64_t seed) {
  std::vector<ArrivalPattern> patterns(6, ArrivalPattern::flat(ranks));
  patterns[1].offset_s[ranks / 2] = 0.01;
  patterns[2].offset_s[root] = 0.01;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 0.05);
  for (int r = 0; r < ranks; ++r) {
    patterns[3].offset_s[r] = uniform(random);
    patterns[4].offset_s[r] = 0.001 * (ranks - r);
    patterns[5].offset_s[r] = 0.001 * (r % 3);
  }
  return patterns;
}

/// An edge from one rank to another; both may be the same.
inline void connect(std::vector<Neighbours>& all, int from, int to) {
  all[static_cast<std::size_t>(from)].to.push_back(to);
  all[static_cast<std::size_t>(to)].from.push_back(from);
}

/// A graph with edges from ranks to themselves, several between the same two, and ranks without
/// any; now and then a rank has nobody at an edge.
inline std::vector<Neighbours> random_graph(int ranks, std::mt19937& random) {
  std::vector<Neighbours> all(static_cast<std::size_t>(ranks));
  const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(ranks)); };
  const int isolated = any();
  for (unsigned edge = random() % (3 * static_cast<unsigned>(ranks) + 1); edge > 0; --edge) {
    const int from = any(), to = random() % 6 == 0 ? from : any();
    if (ranks > 2 && (from == isolated || to == isolated)) continue;
    for (unsigned times = random() % 5 == 0 ? 2 : 1; times > 0; --times) connect(all, from, to);
    if (random() % 9 == 0) all[static_cast<std::size_t>(from)].to.push_back(Neighbours::nobody);
    if (random() % 9 == 0) all[static_cast<std::size_t>(to)].from.push_back(Neighbours::nobody);
  }
  return all;
}

/// A Cartesian topology of these dimensions, the last one fastest as in MPI.
inline std::vector<Neighbours> grid(const std::vector<int>& dims,
                                    const std::vector<bool>& periodic) {
  int ranks = 1;
  for (const int length : dims) ranks *= length;
  std::vector<Neighbours> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    Neighbours& mine = all[static_cast<std::size_t>(rank)];
    mine.crosswise = true;
    int stride = ranks;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      stride /= dims[d];
      const int at = rank / stride % dims[d];
      for (const int next : {at - 1, at + 1}) {
        const int wrapped = (next + dims[d]) % dims[d];
        const bool inside = periodic[d] || next == wrapped;
        mine.to.push_back(inside ? rank + (wrapped - at) * stride : Neighbours::nobody);
      }
    }
    mine.from = mine.to;
  }
  return all;
}

/// Gives each block, or the block of each pair of ranks or of neighbours, the length that `draw()`
/// says next.
template <class Draw>
void vary(Problem& problem, Draw draw) {
  const auto ranks = static_cast<std::size_t>(problem.ranks);
  problem.units = 0;
  const OperationRow& about = row(problem.operation);
  if (about.among_neighbours() && about.in_pairs()) {
    for (int rank = 0; rank < problem.ranks; ++rank) {
      const Neighbours mine = problem.neighbours_of(rank);
      Exchange lengths{std::vector<std::size_t>(mine.to.size()),
                       std::vector<std::size_t>(mine.from.size())};
      for (std::size_t edge = 0; edge < mine.to.size(); ++edge)
        if (mine.to[edge] != Neighbours::nobody) lengths.sent[edge] = draw();
      problem.exchanges.push_back(lengths);
    }
    for (int rank = 0; rank < problem.ranks; ++rank) {
      const std::vector<int> from = problem.neighbours_of(rank).from;
      for (std::size_t edge = 0; edge < from.size(); ++edge)
        if (from[edge] != Neighbours::nobody)
          problem.exchanges[static_cast<std::size_t>(rank)].received[edge] =
              problem.exchanges[static_cast<std::size_t>(from[edge])].sent[static_cast<std::size_t>(
                  edge_of_sender(problem, rank, static_cast<int>(edge)))];
    }
    return;
  }
  if (!row(problem.operation).all_to_all()) {
    for (std::size_t rank = 0; rank < ranks; ++rank) problem.counts.push_back(draw());
    return;
  }
  problem.exchanges.assign(ranks,
                           {std::vector<std::size_t>(ranks), std::vector<std::size_t>(ranks)});
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks; ++to)
      problem.exchanges[from].sent[to] = problem.exchanges[to].received[from] = draw();
}

}  // namespace pat::test
