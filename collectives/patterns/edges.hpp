#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "collectives/operation_row.hpp"
#include "collectives/schedule.hpp"

namespace pat {

/// Writes one rank's program: what it exchanges straight with its neighbours, a message an edge;
/// edges without data have none. A rank that is its own neighbour copies. Not thread-safe.
class Edges {
 public:
  /// `program` must be empty and outlive the object.
  Edges(const Problem& problem, int rank, Program& program)
      : program_(program),
        joined_(program.join()),
        rank_(rank),
        mine_(problem.neighbours_of(rank)),
        sent_(sent_slices(problem, rank)),
        received_(side_by_side(Buffer::recv, problem.exchange_of(rank).received)) {
    for (std::size_t edge = 0; edge < mine_.from.size(); ++edge) {
      if (mine_.from[edge] != rank || received_[edge].length == 0) continue;
      const int theirs = edge_of_sender(problem, rank, static_cast<int>(edge));
      program.copy(sent_[static_cast<std::size_t>(theirs)], received_[edge], {joined_});
    }
  }

  /// Receives from all at once, when the process has come.
  void receive_all() { receive_after({joined_}); }
  /// The same before it has come.
  void receive_all_early() { receive_after({}); }

  /// Sends to all at once, in this order of neighbours; those that are not told apart by it in that
  /// of their edges. `before(a, b)`: rank a comes before rank b.
  template <class Before>
  void send_all(Before before) {
    std::vector<int> edges = edges_to(mine_);
    std::erase_if(edges, [&](int edge) { return !travels(mine_.to, edge, sent_); });
    std::stable_sort(edges.begin(), edges.end(), [&](int a, int b) {
      return before(mine_.to[static_cast<std::size_t>(a)], mine_.to[static_cast<std::size_t>(b)]);
    });
    for (const int edge : edges) {
      const auto place = static_cast<std::size_t>(edge);
      program_.send(mine_.to[place], sent_[place], {joined_});
    }
  }
  void send_all() {
    send_all([](int, int) { return false; });
  }

 private:
  /// Of an alltoall a block each, of an allgather the same for all.
  static std::vector<Slice> sent_slices(const Problem& problem, int rank) {
    std::vector<Slice> all = side_by_side(Buffer::send, problem.exchange_of(rank).sent);
    if (!row(problem.operation).in_pairs())
      for (Slice& one : all) one.offset = 0;
    return all;
  }
  bool travels(const std::vector<int>& others, int edge, const std::vector<Slice>& blocks) const {
    const auto place = static_cast<std::size_t>(edge);
    return others[place] != rank_ && blocks[place].length > 0;
  }
  void receive_after(const OpIds& before) {
    for (const int edge : edges_from(mine_)) {
      const auto place = static_cast<std::size_t>(edge);
      if (travels(mine_.from, edge, received_))
        program_.recv(mine_.from[place], received_[place], before);
    }
  }

  Program& program_;
  const OpId joined_;
  const int rank_;
  const Neighbours mine_;
  const std::vector<Slice> sent_, received_;  // an edge each
};

/// The schedule of an algorithm among neighbours: `exchange(edges)` writes the messages of a rank.
template <class Exchange>
Schedule build_among_neighbours(const Problem& problem, Exchange exchange) {
  return build_ranks(problem, [&](int rank, Program& program) {
    Edges edges(problem, rank, program);
    exchange(edges);
  });
}

/// Whether rank a is expected before rank b.
inline auto by_arrival(const ArrivalPattern& pattern) {
  return [&pattern](int a, int b) {
    return pattern.offset_s[static_cast<std::size_t>(a)] <
           pattern.offset_s[static_cast<std::size_t>(b)];
  };
}

}  // namespace pat
