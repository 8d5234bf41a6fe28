#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "collectives/schedule.hpp"

namespace pat::detail {

/// The root's view of a paced star: which leaf has come, which has its go-ahead, whose data is
/// here. Says who may be granted out of turn: the first in the planned order that has come, while
/// fewer of those who have come hold a go-ahead than keep the port in use
/// (Program::senders_at_once). No MPI here.
class Turns {
 public:
  explicit Turns(const Program& program)
      : turns_(program.turns), at_once_(program.senders_at_once), state_(turns_.size()) {
    for (std::size_t turn = 0; turn < turns_.size(); ++turn) {
      by_peer_[turns_[turn].peer] = turn;
      by_go_ahead_[turns_[turn].go_ahead] = turn;
      by_delivery_[turns_[turn].delivered] = turn;
    }
  }

  std::size_t size() const { return turns_.size(); }

  void come(int peer) {
    const std::size_t turn = by_peer_.at(peer);
    state_[turn].come = true;
    if (!state_[turn].granted)
      waiting_.insert(turn);
    else if (!state_[turn].delivered)
      ++sending_;
  }

  /// Whether this operation is a go-ahead that has been given already; notes it if not.
  bool grant_again(OpId id) {
    const auto found = by_go_ahead_.find(id);
    if (found == by_go_ahead_.end()) return false;
    State& state = state_[found->second];
    if (state.granted) return true;
    state.granted = true;
    if (waiting_.erase(found->second) > 0) ++sending_;
    return false;
  }

  /// An operation has ended: perhaps the first piece of a leaf.
  void ended(OpId id) {
    const auto found = by_delivery_.find(id);
    if (found == by_delivery_.end()) return;
    State& state = state_[found->second];
    state.delivered = true;
    if (state.come) --sending_;
  }

  /// The go-ahead to give out of turn now, if any.
  std::optional<OpId> out_of_turn_now() {
    if (sending_ >= at_once_ || waiting_.empty()) return std::nullopt;
    ++out_of_turn_;
    return turns_[*waiting_.begin()].go_ahead;
  }
  std::uint64_t out_of_turn() const { return out_of_turn_; }

 private:
  struct State {
    bool come = false, granted = false, delivered = false;
  };

  const std::vector<Program::Turn>& turns_;
  const int at_once_;
  std::vector<State> state_;
  std::unordered_map<int, std::size_t> by_peer_;
  std::unordered_map<OpId, std::size_t> by_go_ahead_, by_delivery_;
  std::set<std::size_t> waiting_;  // come, without a go-ahead
  int sending_ = 0;                // come, with a go-ahead, nothing here yet
  std::uint64_t out_of_turn_ = 0;
};

}  // namespace pat::detail
