#pragma once

#include <vector>

namespace pat {

/// The circulant graph on `places`: skips[q] = places, skips[k] = ceil(skips[k + 1] / 2), skips[0]
/// = 1, q = ceil(log2 places). In a round of skip k every place sends to the one skips[k] further
/// on. Source: Traeff 2024 (arXiv 2407.18004), Section 2.
std::vector<int> circulant_skips(int places);

/// Steps of the search by which a place finds its part in a broadcast on that graph, below: fewer
/// than 7 q.
int circulant_steps(int places, int place);

/// A broadcast from place 0 on the circulant graph, in which every place receives one block and
/// sends one block a round. `blocks` blocks are everywhere after blocks - 1 + q rounds, which no
/// schedule with one port can better; each place receives each block once. Every place finds its
/// part without asking, in O(q) steps (circulant_steps()) and one more a round. Immutable.
/// Source: Traeff 2024 (arXiv 2407.18004), Sections 2 and 3; the search for the receive schedule
/// is that of Traeff 2022 (arXiv 2205.10072).
class CirculantBroadcast {
 public:
  /// At least one of each.
  CirculantBroadcast(int places, int blocks);

  int rounds() const { return levels_ == 0 ? 0 : blocks_ - 1 + levels_; }
  int next(int place, int round) const { return (place + skip(round)) % places_; }
  int previous(int place, int round) const { return (place - skip(round) + places_) % places_; }
  /// The block that a place receives in each round; -1: none, as place 0 always.
  std::vector<int> received_by(int place) const;

 private:
  int skip(int round) const { return skips_[(round + late_start_) % levels_]; }

  int places_, blocks_;
  std::vector<int> skips_;
  int levels_;      // q
  int late_start_;  // the first of a whole number of q rounds that are left out
};

}  // namespace pat
