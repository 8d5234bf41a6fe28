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

  /// Times are of pat::now_ns().
  void come(int peer, std::int64_t time_ns = 0) {
    const std::size_t turn = by_peer_.at(peer);
    state_[turn].come = true;
    if (state_[turn].delivered) return;
    state_[turn].sets_out_ns = time_ns;
    if (!state_[turn].granted)
      waiting_.insert(turn);
    else
      begins_to_send(turn);
  }

  /// Whether this operation is a go-ahead that has been given already; notes it if not.
  bool grant_again(OpId id, std::int64_t time_ns = 0) {
    const auto found = by_go_ahead_.find(id);
    if (found == by_go_ahead_.end()) return false;
    State& state = state_[found->second];
    if (state.granted) return true;
    state.granted = true;
    state.sets_out_ns = time_ns;
    if (waiting_.erase(found->second) > 0) begins_to_send(found->second);
    return false;
  }

  /// An operation has ended: perhaps the first piece of a leaf.
  void ended(OpId id, std::int64_t time_ns = 0) {
    const auto found = by_delivery_.find(id);
    if (found == by_delivery_.end()) return;
    State& state = state_[found->second];
    state.delivered = true;
    if (!state.come) return;
    state.took_ns = time_ns - state.sets_out_ns;
    if (!turns_[found->second].beside) --sending_;
  }

  struct Took {
    int peer;
    OpId delivered;
    std::int64_t took_ns;
  };
  /// What the first piece of each leaf took from when it had come and had its go-ahead, of those
  /// of which this is known.
  std::vector<Took> took() const {
    std::vector<Took> all;
    for (std::size_t turn = 0; turn < turns_.size(); ++turn)
      if (state_[turn].took_ns >= 0)
        all.push_back({turns_[turn].peer, turns_[turn].delivered, state_[turn].took_ns});
    return all;
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
    std::int64_t sets_out_ns = 0, took_ns = -1;
  };

  void begins_to_send(std::size_t turn) {
    if (!turns_[turn].beside) ++sending_;
  }

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
