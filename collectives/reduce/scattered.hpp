#pragma once

// Reductions that first scatter the work, so that every rank ends with a finished part of the
// vector, and then gather the parts at the root: ring, rabenseifner, radix-k. Here every value lies
// at its own offset of one working vector (the receive buffer at the root), so that a range of
// parts is one message.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/reduce/partials.hpp"

namespace pat::reduce {

/// Parts [first, last).
struct Parts {
  int first = 0, last = 0;
  int count() const { return last - first; }
};

/// Writes one rank's program. Sends leave in the order of the calls. Not thread-safe.
class Scattered {
 public:
  /// The vector is cut into `parts` runs. `program` must be empty and outlive the object.
  Scattered(const Problem& problem, int rank, Program& program, int parts);

  void send(int peer, Parts range, std::uint32_t round);
  /// Receives values and combines them with the own ones.
  void combine(int peer, Parts range, Side side, std::uint32_t round);
  /// Receives finished values.
  void receive(int peer, Parts range, std::uint32_t round);
  /// At the root: sees that all lies in the receive buffer. The last call.
  void finish();

 private:
  struct Spare {
    Slice slice;
    OpIds use;
  };
  Slice slice(Buffer buffer, std::size_t base, Parts range) const;
  Slice working(Parts range);
  Slice value(Parts range);
  Spare& spare(std::size_t units);
  OpIds writers(Parts range) const;
  OpIds or_join(OpIds after) const;
  void moved(Parts range);
  void wrote(Parts range, OpId op);

  const Problem& problem_;
  Program& program_;
  bool at_root_;
  OpId joined_;
  std::vector<std::size_t> bounds_;
  std::vector<bool> moved_;     // by part: the value lies in the working vector
  std::vector<OpIds> writers_;  // by part
  Slice working_;
  std::array<Spare, 2> spares_;
  std::size_t next_spare_ = 0;
  OpIds last_send_, last_receive_;
};

/// Scatters the work by exchanges in groups of factors[0], factors[1], ... places, neighbours
/// first, then gathers at the place of the root. The product of the factors must be the number of
/// places. `place_rank[p]` is the rank of place p; `place` and `root_place` are places; rounds are
/// numbered from `round`. Keeps the order of operands if `keep_order`. Source: Marendic et al. 2016
/// Section 5.5.4 (Radix-k); with factors of 2 the butterfly of Section 5.5.3.
void exchange_and_gather(Scattered& parts, std::span<const int> factors,
                         std::span<const int> place_rank, int place, int root_place,
                         bool keep_order, std::uint32_t round);

}  // namespace pat::reduce
