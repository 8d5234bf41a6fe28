// Clairvoyant as it was written down first: a priority queue of processes, a matrix of states and a
// linear search for every receiver. The reference that the other generators are compared with.
// Cost: O(R P^2 N) worst case; R rounds, P processes, N segments.
// Source: seed 004 Algorithm 1; seed 000 Listing 2 (state P', a search that ends, round numbers,
//   ties by rank) and Section 5.1 (idle rounds).

#include <algorithm>
#include <set>
#include <tuple>

#include "collectives/clairvoyant/generators.hpp"

namespace pat::clairvoyant {
namespace {

enum class State : std::uint8_t {
  held,      // A or P: the process has something of this segment
  empty,     // E: it sent its part away
  received,  // P': received in this round, not to be sent on in it
};

class LinearSearch {
 public:
  LinearSearch(const Instance& instance, MessageList& out, bool skip_idle)
      : in_(instance),
        out_(out),
        skip_idle_(skip_idle),
        sent_(instance.ranks),
        held_(instance.ranks, instance.segments),
        state_(static_cast<std::size_t>(instance.ranks) * instance.segments, State::held) {
    for (int p = 0; p < in_.ranks; ++p) queue_.insert({in_.tick[p], in_.part[p], p});
  }

  void run() {
    for (; queue_.size() > 1; ++round_) {
      const Available head = *queue_.begin();
      pop_group();
      if (group_.size() == 1 && skip_idle_)
        idle_until_next(head);
      else
        play_round(head);
    }
  }

 private:
  using Available = std::tuple<std::uint32_t, std::uint32_t, int>;  // tick, part, rank

  State& state(int process, int segment) {
    return state_[static_cast<std::size_t>(process) * in_.segments + segment];
  }

  bool in_reach(const Available& one, const Available& head) const {
    const auto [tick, part, rank] = one;
    const auto [head_tick, head_part, head_rank] = head;
    if (in_.order == Order::latest_first) return tick <= head_tick;
    const auto end = std::pair(head_tick + 1, head_part);
    return in_.window == Window::closed ? std::pair(tick, part) <= end
                                        : std::pair(tick, part) < end;
  }

  void pop_group() {
    group_.clear();
    const Available head = *queue_.begin();
    while (!queue_.empty() && in_reach(*queue_.begin(), head)) {
      group_.push_back(*queue_.begin());
      queue_.erase(queue_.begin());
    }
  }

  void idle_until_next(Available alone) {
    if (queue_.empty()) return;
    std::uint32_t& tick = std::get<0>(alone);
    const std::uint32_t next = std::get<0>(*queue_.begin());
    if (next > tick + 2) {
      round_ += next - tick - 2;
      tick = next - 2;
    }
    ++tick;  // this round
    queue_.insert(alone);
  }

  std::vector<int> candidates() const {
    std::vector<int> order;
    for (const Available& one : group_) order.push_back(std::get<2>(one));
    if (in_.order == Order::latest_first)
      std::sort(order.begin(), order.end(), [&](int a, int b) {
        return in_.tick[a] != in_.tick[b] ? in_.tick[a] > in_.tick[b] : a < b;
      });
    const auto root = std::find(order.begin(), order.end(), in_.root);
    if (root != order.end()) std::rotate(order.begin(), root, root + 1);
    return order;
  }

  void play_round(const Available& head) {
    const std::vector<int> order = candidates();
    for (const int p : order) sent_[p] = false;
    const std::size_t first = out_.messages.size();
    for (const int receiver : order) serve(receiver, order);
    if (out_.messages.size() > first) list_round(static_cast<std::uint32_t>(first), head);
    for (std::size_t m = first; m < out_.messages.size(); ++m)
      state(out_.messages[m].receiver(), out_.messages[m].segment()) = State::held;
    for (auto [tick, part, rank] : group_)
      if (held_[rank] > 0) queue_.insert({tick + 1, part, rank});
  }

  void list_round(std::uint32_t first, const Available& head) {
    const auto [tick, part, rank] = head;
    if (in_.order == Order::latest_first)
      out_.rounds.push_back({round_, first, 0, round_});
    else
      out_.rounds.push_back({round_, first, static_cast<std::uint32_t>(rank), tick});
  }

  void serve(int receiver, const std::vector<int>& order) {
    const bool sink = receiver == order.front();
    for (int segment = 0; segment < in_.segments; ++segment) {
      const State mine = state(receiver, segment);
      if (mine == State::received || (mine == State::empty && !sink)) continue;
      for (const int sender : order)
        if (sender != receiver && !sent_[sender] && state(sender, segment) == State::held)
          return transfer(sender, receiver, segment);
    }
  }

  void transfer(int sender, int receiver, int segment) {
    const bool copies = state(receiver, segment) == State::empty;
    out_.messages.emplace_back(sender, receiver, segment, copies);
    sent_[sender] = true;
    state(sender, segment) = State::empty;
    --held_[sender];
    state(receiver, segment) = State::received;
    held_[receiver] += copies;
  }

  const Instance& in_;
  MessageList& out_;
  bool skip_idle_;
  std::set<Available> queue_;
  std::vector<Available> group_;
  std::vector<std::uint8_t> sent_;
  std::vector<int> held_;  // segments that are not empty
  std::vector<State> state_;
  std::uint32_t round_ = 0;
};

}  // namespace

void linear_search(const Instance& instance, MessageList& out, bool skip_idle) {
  out.clear();
  LinearSearch(instance, out, skip_idle).run();
}

void linear(const Instance& instance, MessageList& out) {
  linear_search(instance, out, true);
}

}  // namespace pat::clairvoyant
