#pragma once

#include <cstddef>
#include <vector>

#include "collectives/operation.hpp"
#include "core/link_defaults.hpp"

namespace pat {

/// What builders assume of the network when they choose segments and round lengths (Hockney):
/// a message of n bytes takes alpha + n beta, combining n bytes takes n gamma.
struct LinkCost {
  double alpha_s = link_defaults::alpha_s;
  double beta_s_per_byte = link_defaults::beta_s_per_byte;
  double gamma_s_per_byte = link_defaults::gamma_s_per_byte;
  /// Messages of up to so many leave before their receiver has come; 0: not known.
  std::size_t unasked_bytes = 0;

  bool operator==(const LinkCost&) const = default;

  /// Of links that take `factor` times as long for everything.
  LinkCost times(double factor) const {
    return {factor * alpha_s, factor * beta_s_per_byte, factor * gamma_s_per_byte, unasked_bytes};
  }
  double message_s(double bytes) const { return alpha_s + bytes * beta_s_per_byte; }
  /// Receiving and combining `bytes`: one round of a segmented reduction (Marendic et al. 2016
  /// Section 5.4).
  double round_s(double bytes) const {
    return alpha_s + bytes * (beta_s_per_byte + gamma_s_per_byte);
  }
};

/// The measured length of a round in which every process sends and receives `bytes` and combines
/// them.
struct RoundLength {
  std::size_t bytes = 0;
  double round_s = 0.0;
};

/// Length of a round of messages of `bytes`, seconds, interpolated on logarithmic scales between
/// what was measured (by ascending size, not empty); below the smallest size its length, beyond the
/// largest in proportion.
double length_of_round_s(const std::vector<RoundLength>& measured, double bytes);

/// What one rank exchanges with each rank in an operation of all to all, or along each of its edges
/// where ranks exchange with their neighbours; units.
struct Exchange {
  std::vector<std::size_t> sent, received;
};

/// Whom one rank sends to and receives from, an edge each, in the order of its blocks; a rank may
/// stand there more than once, and the rank itself may.
struct Neighbours {
  /// Stands for MPI_PROC_NULL: its blocks are neither sent nor received.
  static constexpr int nobody = -1;

  std::vector<int> to, from;
  /// As on a Cartesian topology: edges 2d and 2d + 1 lead to the two sides of dimension d, `to` and
  /// `from` are the same, and block s of a sender lands in block s ^ 1. Otherwise the k-th edge
  /// from one rank to another is the k-th there.
  bool crosswise = false;

  bool operator==(const Neighbours&) const = default;
};

/// What a schedule is built for. Lengths are in units: packed bytes for the operations that only
/// move data, elements of the datatype for those that combine it. A block is what one rank
/// contributes to a gather or receives from a scatter; for the other operations it is the whole
/// vector.
struct Problem {
  Operation operation = no_operation;
  int ranks = 1;
  int root = 0;
  std::size_t units = 0;            ///< units in each block
  std::vector<std::size_t> counts;  ///< units per rank for the v-forms; empty: all `units`
  /// All to all: per rank, where blocks differ by pairs; what is not known is empty. Empty: every
  /// rank sends block(r) to rank r. Neighbours: by edges, 0 where there is nobody.
  std::vector<Exchange> exchanges;
  /// Of operations among neighbours, per rank; with `only_rank` only its own need be known. Empty:
  /// a ring of one periodic dimension.
  std::vector<Neighbours> neighbours;
  std::size_t unit_bytes = 1;  ///< what a unit costs to send, bytes
  int segments = 0;            ///< pieces a block is cut into; 0: the algorithm's own choice
  int variant = -1;            ///< which of the algorithm's ways; -1: its own choice
  int window = 0;            ///< messages open at once at a process; 0: the algorithm's own choice
  bool commutative = true;   ///< operands of a reduction may be reordered
  bool fixed_order = false;  ///< who comes first must not change the bits of the result
  LinkCost cost;             ///< for algorithms that choose segments or rounds by it
  double round_s = 0.0;      ///< length of a round, seconds; 0: from `rounds` or `cost`
  std::vector<RoundLength> rounds;  ///< measured, for algorithms in rounds; empty: from `cost`
  std::vector<int> factors;         ///< of the number of ranks, for radix-k; empty: chosen
  double pause_s = 0.0;             ///< between two looks at data that moves before an arrival
  /// Per rank: how many times as long its own link takes for a byte as the usual one; empty: all
  /// alike. What a slow one carries leaves the other end's port free. In programs that are built
  /// rank by rank all must be told the same, unless the root's alone depends on it (stars).
  std::vector<double> link_slowdown;
  int only_rank = -1;  ///< build this rank's program alone; -1: all of them

  std::size_t block(int rank) const { return counts.empty() ? units : counts[rank]; }
  /// Where all blocks are of one length.
  double block_bytes() const { return static_cast<double>(units * unit_bytes); }
  /// First unit of a rank's block in the root's buffer.
  std::size_t block_offset(int rank) const {
    if (counts.empty()) return units * static_cast<std::size_t>(rank);
    std::size_t offset = 0;
    for (int r = 0; r < rank; ++r) offset += counts[r];
    return offset;
  }
  std::size_t total() const { return block_offset(ranks); }
  /// From so many times the usual on a link is slow, and its process is served in another order.
  static constexpr double slow_link = 4.0;
  bool has_slow_link(int rank) const {
    return static_cast<std::size_t>(rank) < link_slowdown.size() &&
           link_slowdown[static_cast<std::size_t>(rank)] >= slow_link;
  }
  /// Whether blocks may differ in length.
  bool varies() const { return !counts.empty() || !exchanges.empty(); }
  /// What `rank` exchanges with each, where that is known. All to all, or among neighbours.
  Exchange exchange_of(int rank) const;
  /// The neighbours of `rank`, where they are known.
  Neighbours neighbours_of(int rank) const;
  /// The window, or `own` where none is set.
  int window_or(int own) const { return window > 0 ? window : own; }
};

/// Throws Error(argument, count or root) with a sentence unless the problem makes sense.
void validate(const Problem& problem);

/// The edges of a rank in the order in which the messages of one pair follow each other, on both
/// sides: those that it sends along, and those that it receives along.
std::vector<int> edges_to(const Neighbours& neighbours);
std::vector<int> edges_from(const Neighbours& neighbours);
/// The edge of the sender along which comes what `rank` receives along its edge `edge`; the
/// sender's neighbours must be known.
int edge_of_sender(const Problem& problem, int rank, int edge);

/// Length of a rank's send (source) buffer in units; 0 where it has none.
std::size_t send_units(const Problem& problem, int rank);
/// Length of a rank's receive (destination) buffer in units; 0 where it has none.
std::size_t recv_units(const Problem& problem, int rank);

}  // namespace pat
