#pragma once

#include <vector>

#include "collectives/allreduce/spread.hpp"
#include "collectives/reduce/partials.hpp"
#include "collectives/reduce/scattered.hpp"

namespace pat::allreduce {

/// What `clairvoyant-allreduce` does from the last arrival on. Places stand on a circulant graph,
/// place 0 being the last one. Its vector is broadcast from there in `pieces`: those that it sends
/// a piece to own that piece, which means that they have it combined of all others, and what they
/// pass on is finished. In each round one process has nobody to send to but the last one; it gives
/// back a finished piece. Immutable.
class LateOne {
 public:
  LateOne(int places, int pieces);

  /// In the order of the rounds. Those from place 0 are to be combined, others are finished.
  const std::vector<Transfer>& transfers() const { return transfers_; }
  /// The places that own pieces.
  const std::vector<int>& owners() const { return owners_; }
  /// Where piece number `part` of a transfer lies: those of one owner lie side by side.
  reduce::Parts place_of(int part) const { return {position_[part], position_[part] + 1}; }
  /// The pieces that an owner has, given by its index among the owners: a run, and then the last
  /// one to be sent, which all own; empty if it lies in the run.
  reduce::Parts run_of(int owner) const { return runs_[owner]; }
  reduce::Parts last_of(int owner) const;

 private:
  void lay_out();
  void plan();

  int places_, pieces_;
  std::vector<int> owners_;
  std::vector<int> position_;
  std::vector<reduce::Parts> runs_;
  std::vector<Transfer> transfers_;
};

}  // namespace pat::allreduce
