// Clairvoyant with one pairing heap of possible senders a segment, as the authors of seed 004 built
// it and seed 000 repaired it. Kept as a rival for the benchmark; not part of the library.
// Cost: O(P N^2 log P + R N); R rounds, P processes, N segments.
// Source: seed 004 Section 5.4.1; seed 000 Sections 4.1 (two policies) and 4.5.

#include <boost/heap/pairing_heap.hpp>
#include <limits>
#include <optional>
#include <tuple>

#include "collectives/clairvoyant/ready.hpp"
#include "collectives/clairvoyant/rivals.hpp"

namespace pat::clairvoyant {
namespace {

/// What becomes of a process in the heaps when it has sent: it leaves all of them at once, or it
/// stays and is dropped when it comes to the top. It comes back when the round is over.
enum class Policy { erase_at_once, filter_on_extraction };

template <Policy policy>
class PairingHeaps {
 public:
  PairingHeaps(const Instance& instance, MessageList& out)
      : in_(instance),
        out_(out),
        ready_(instance),
        key_(instance.ranks),
        sent_(instance.ranks),
        held_(instance.ranks, instance.segments),
        heaps_(instance.segments),
        slots_(static_cast<std::size_t>(instance.ranks) * instance.segments) {}

  HeapOperations run(bool skip_idle) {
    ready_.start();
    do {
      admit();
      while (!ready_.alone() || (!skip_idle && ready_.more_come())) {
        play_round();
        ready_.next_group([&](int process) { return held_[process] == 0; });
        admit();
      }
    } while (ready_.skip());
    return operations_;
  }

 private:
  /// The order of two ready processes never changes, so it is fixed when they come.
  struct Key {
    std::int64_t first = 0;
    std::uint32_t second = 0;
    int process = 0;
    bool operator<(const Key& other) const {  // boost's heaps have the greatest on top
      return std::tie(first, second, process) > std::tie(other.first, other.second, other.process);
    }
  };
  using Heap = boost::heap::pairing_heap<Key>;
  struct Slot {
    Heap::handle_type handle;
    bool held = true;     // not E
    bool queued = false;  // in the heap
  };

  Slot& slot(int process, int segment) {
    return slots_[static_cast<std::size_t>(process) * in_.segments + segment];
  }

  void admit() {
    for (const int process : ready_.arrived()) {
      Key& key = key_[process];
      key.process = process;
      if (process == in_.root)
        key.first = std::numeric_limits<std::int64_t>::min();
      else if (in_.order == Order::latest_first)
        key.first = -static_cast<std::int64_t>(in_.tick[process]);
      else
        key.first = static_cast<std::int64_t>(ready_.tick(process)) - ready_.round();
      key.second = in_.part[process];
      for (int s = 0; s < in_.segments; ++s) enqueue(process, s);
    }
  }

  void enqueue(int process, int segment) {
    Slot& one = slot(process, segment);
    if (!one.held || one.queued) return;
    one.handle = heaps_[segment].push(key_[process]);
    one.queued = true;
    ++operations_.inserts;
  }
  void dequeue(int process, int segment) {
    Slot& one = slot(process, segment);
    if (!one.queued) return;
    heaps_[segment].erase(one.handle);
    one.queued = false;
    ++operations_.erases;
  }

  void play_round() {
    const std::size_t first = out_.messages.size();
    const auto& group = ready_.group();
    for (const int receiver : group) serve(receiver, receiver == group.front());
    if (out_.messages.size() > first)
      out_.rounds.push_back(ready_.listed(static_cast<std::uint32_t>(first)));
    for (std::size_t m = first; m < out_.messages.size(); ++m) {
      const Message& message = out_.messages[m];
      slot(message.receiver(), message.segment()).held = true;
      sent_[message.sender()] = false;
    }
    for (std::size_t m = first; m < out_.messages.size(); ++m) {
      const Message& message = out_.messages[m];
      enqueue(message.receiver(), message.segment());
      for (int s = 0; s < in_.segments; ++s) enqueue(message.sender(), s);
    }
  }

  void serve(int receiver, bool sink) {
    for (int segment = 0; segment < in_.segments; ++segment) {
      if (!sink && !slot(receiver, segment).held) continue;
      if (const std::optional<int> sender = first_sender(segment, receiver))
        return transfer(*sender, receiver, segment);
    }
  }

  std::optional<int> first_sender(int segment, int receiver) {
    const std::optional<int> first = top(segment);
    if (first != receiver) return first;
    dequeue(receiver, segment);  // the receiver itself stands in the way: look behind it
    const std::optional<int> behind = top(segment);
    enqueue(receiver, segment);
    return behind;
  }

  std::optional<int> top(int segment) {
    Heap& heap = heaps_[segment];
    if (policy == Policy::filter_on_extraction)
      while (!heap.empty() && sent_[heap.top().process]) dequeue(heap.top().process, segment);
    return heap.empty() ? std::nullopt : std::optional<int>(heap.top().process);
  }

  void transfer(int sender, int receiver, int segment) {
    const bool copies = !slot(receiver, segment).held;
    out_.messages.emplace_back(sender, receiver, segment, copies);
    sent_[sender] = true;
    if (policy == Policy::erase_at_once)
      for (int s = 0; s < in_.segments; ++s) dequeue(sender, s);
    else
      dequeue(sender, segment);
    dequeue(receiver, segment);
    slot(sender, segment).held = false;
    --held_[sender];
    slot(receiver, segment).held = false;  // P': neither sent nor combined again in this round
    held_[receiver] += copies;
  }

  const Instance& in_;
  MessageList& out_;
  Ready ready_;
  std::vector<Key> key_;
  std::vector<std::uint8_t> sent_;
  std::vector<int> held_;
  std::vector<Heap> heaps_;
  std::vector<Slot> slots_;
  HeapOperations operations_;
};

}  // namespace

HeapOperations pairing_heap_erasing(const Instance& instance, MessageList& out, bool skip_idle) {
  out.clear();
  return PairingHeaps<Policy::erase_at_once>(instance, out).run(skip_idle);
}

HeapOperations pairing_heap_filtering(const Instance& instance, MessageList& out, bool skip_idle) {
  out.clear();
  return PairingHeaps<Policy::filter_on_extraction>(instance, out).run(skip_idle);
}

}  // namespace pat::clairvoyant
