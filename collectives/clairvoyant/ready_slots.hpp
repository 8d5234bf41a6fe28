#pragma once

// Which processes take part in a round, as bits. A ready process has a slot; slots lie in the order
// in which the algorithm looks at the ready processes. That order never changes, so a process keeps
// its slot: newly arrived ones take the place of a finished neighbour (paper), or the next free
// slot in front (latest-first).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "collectives/clairvoyant/isa.hpp"
#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

using Word = std::uint64_t;
using Slot = std::uint32_t;

constexpr Word bit(std::size_t position) {
  return Word{1} << (position % 64);
}

/// `Rows` derives from it and keeps a bit for every slot and segment:
///   grow_rows(words)       makes room for so many words of slots
///   fill(slot)             all segments of this slot
///   move_slot(from, to)    takes a slot's bits to another one, which is empty
///   each_word(w, v, f)     for every segment word w = f(word w, word v)
///   move_slots(from, to, count)  moves what else it keeps by slot
///   pack()                close_gaps() alone needs it
template <class Rows>
class ReadySlots {
 protected:
  ReadySlots(const Instance& instance)
      : in_(instance), ranks_(instance.ranks), first_(ranks_), waiting_(ranks_) {
    std::iota(waiting_.begin(), waiting_.end(), 0);
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(in_.tick[a], in_.part[a]) < std::tie(in_.tick[b], in_.part[b]);
    });
  }

  /// To be called once, when Rows is complete.
  void start() {
    if (in_.order == Order::latest_first)
      fix_slots();
    else
      take_slot(0, in_.root);
    admit();
  }

  /// Ends a round that has been played.
  void next_round() {
    ++round_;
    admit();
  }

  /// Goes over the idle rounds of a process that is alone. False if nobody else will come.
  bool skip() {
    if (next_ == ranks_) return false;
    round_ += idle_rounds();
    admit();
    return true;
  }

  /// The present round as an entry of the list whose first message has index `first`.
  Round listed(std::size_t first) const {
    const bool paper = in_.order == Order::paper;
    return {round_, static_cast<std::uint32_t>(first), paper ? head_ : 0,
            paper ? static_cast<std::uint32_t>(tick_of(head_)) : round_};
  }

  /// Words of slots in use: low_ to high_.
  void find_bounds() {
    while (active_[high_] == 0) --high_;
    if (in_.order == Order::paper) low_ = 0;
  }

  /// Whether the ready processes would fit into 1, 2 or 4 words, with a quarter of them free, but
  /// take more.
  bool sparse() const {
    const auto fits = [&](std::size_t words) { return high_ >= words && ready_ <= 48 * words; };
    return in_.order == Order::paper && (fits(1) || fits(2) || fits(4));
  }

  /// Closes all gaps; slot 0 stays the root's. rows().pack() does the same to what it keeps, by
  /// active_, where slot 0 then counts as ready.
  void close_gaps() {
    const bool root_ready = active_[0] & 1;
    active_[0] |= 1;
    rows().pack();
    Slot used = 0;
    for (std::size_t w = 0; w <= high_; ++w)
      for (Word bits = active_[w]; bits != 0; bits &= bits - 1)
        process_[used++] = process_[64 * w + std::countr_zero(bits)];
    process_.resize(used);
    std::fill_n(active_.begin(), high_ + 1, Word{0});
    for (Slot slot = root_ready ? 0 : 1; slot < used; ++slot) active_[slot / 64] |= bit(slot);
    high_ = (used - 1) / 64;
    words_ = high_ + 1;
  }

  void finish(Slot slot) {
    active_[slot / 64] &= ~bit(slot);
    --ready_;
    if (process_[slot] == head_) head_valid_ = false;
  }

  const Instance& in_;
  std::size_t ranks_;
  std::size_t ready_ = 0;
  std::vector<Word> active_;            // by slot: ready
  std::vector<std::uint32_t> process_;  // by slot; a gap keeps its last owner, and thus the order
  std::size_t low_ = 0, high_ = 0;      // words of slots in use

 private:
  /// latest_first: slots by descending tick, then rank, known from the start.
  void fix_slots() {
    std::vector<std::uint32_t> order(waiting_);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return in_.tick[a] > in_.tick[b]; });
    std::erase(order, static_cast<std::uint32_t>(in_.root));
    process_.assign(1, static_cast<std::uint32_t>(in_.root));
    process_.insert(process_.end(), order.begin(), order.end());
    fixed_.resize(ranks_);
    for (Slot s = 0; s < process_.size(); ++s) fixed_[process_[s]] = s;
    grow(process_.size());
    root_slot_ = front_ = static_cast<Slot>(process_.size());
  }

  void grow(std::size_t slots) {
    const std::size_t words = (slots + 63) / 64;
    if (words <= words_) return;
    words_ = words;
    if (words > active_.size()) active_.resize(words, 0);
    rows().grow_rows(words);
  }

  void take_slot(Slot slot, std::uint32_t process) {
    if (slot >= process_.size()) {
      process_.resize(slot + 1);
      grow(slot + 1);
    }
    process_[slot] = process;
  }

  /// Ticks of availability minus round_ never change while a process is ready.
  std::int64_t tick_of(std::uint32_t ready) const { return first_[ready] + round_; }

  bool in_reach(std::uint32_t waiting, std::int64_t tick, std::uint32_t part) const {
    if (in_.order == Order::latest_first) return in_.tick[waiting] <= tick;
    const auto mine = std::pair(std::int64_t{in_.tick[waiting]}, in_.part[waiting]);
    const auto end = std::pair(tick + 1, part);
    return in_.window == Window::closed ? mine <= end : mine < end;
  }

  bool earlier(std::uint32_t waiting, std::uint32_t ready) const {
    return std::tuple(std::int64_t{in_.tick[waiting]}, in_.part[waiting], waiting) <
           std::tuple(tick_of(ready), in_.part[ready], ready);
  }

  /// The ready process that is available first, ranks_ if none is ready.
  std::uint32_t first_ready() const {
    const std::uint32_t root = static_cast<std::uint32_t>(in_.root);
    std::uint32_t found = static_cast<std::uint32_t>(ranks_);
    for (std::size_t w = low_; w < active_.size(); ++w) {
      const Word bits = w == 0 ? active_[w] & ~Word{1} : active_[w];
      if (bits == 0) continue;
      found = process_[64 * w + std::countr_zero(bits)];
      break;
    }
    const bool root_ready = in_.order == Order::paper && !active_.empty() && (active_[0] & 1);
    if (!root_ready) return found;
    if (found == ranks_) return root;
    return std::tuple(first_[found], in_.part[found], found) <
                   std::tuple(first_[root], in_.part[root], root)
               ? found
               : root;
  }

  void admit() {
    if (in_.order == Order::latest_first) return admit_in_front();
    std::uint32_t head = head_valid_ ? head_ : first_ready();
    if (next_ < ranks_ && (head == ranks_ || earlier(waiting_[next_], head))) {
      head = waiting_[next_];
      first_[head] = std::int64_t{in_.tick[head]} - round_;
    }
    head_ = head;
    head_valid_ = true;
    const std::int64_t tick = tick_of(head);
    while (next_ < ranks_ && in_reach(waiting_[next_], tick, in_.part[head]))
      insert(waiting_[next_++]);
  }

  void admit_in_front() {
    const std::size_t begin = next_;
    bool root_came = false;
    while (next_ < ranks_ && in_.tick[waiting_[next_]] <= round_)
      root_came |= waiting_[next_++] == static_cast<std::uint32_t>(in_.root);
    if (next_ == begin) return;
    const bool root_here = root_slot_ < process_.size();
    const Slot back = front_;
    front_ -= static_cast<Slot>(next_ - begin) - root_came;
    if (root_here && front_ != back) move_root();
    for (std::size_t i = begin; i < next_; ++i)
      if (waiting_[i] != static_cast<std::uint32_t>(in_.root))
        enter(waiting_[i], fixed_[waiting_[i]]);
    if (root_came) {
      root_slot_ = front_ - 1;
      enter(static_cast<std::uint32_t>(in_.root), root_slot_);
    }
    low_ = (std::min(front_, root_slot_)) / 64;
  }

  /// The root sits right before the latest ones, on a slot whose owner has not come yet.
  void move_root() {
    const Slot from = root_slot_, to = front_ - 1;
    process_[to] = static_cast<std::uint32_t>(in_.root);
    rows().move_slot(from, to);
    active_[from / 64] &= ~bit(from);
    active_[to / 64] |= bit(to);
    root_slot_ = to;
  }

  /// A process that has just come: all its segments can be sent.
  void enter(std::uint32_t process, Slot slot) {
    process_[slot] = process;
    first_[process] = std::int64_t{in_.tick[process]} - round_;
    active_[slot / 64] |= bit(slot);
    high_ = std::max<std::size_t>(high_, slot / 64);
    ++ready_;
    rows().fill(slot);
  }

  // ---- paper: slots in the order of availability, with the finished ones as gaps ----

  void insert(std::uint32_t process) {
    first_[process] = std::int64_t{in_.tick[process]} - round_;
    if (process == static_cast<std::uint32_t>(in_.root)) return enter(process, 0);
    const auto before = [&](std::uint32_t other, std::uint32_t mine) {
      return std::tuple(first_[other], in_.part[other], other) <
             std::tuple(first_[mine], in_.part[mine], mine);
    };
    const auto place = std::lower_bound(process_.begin() + 1, process_.end(), process, before);
    enter(process, make_room(static_cast<Slot>(place - process_.begin())));
  }

  /// Frees the slot in front of what lies at `at` and returns it. Takes the next gap behind, or a
  /// new slot; where gaps have become many, one in front.
  Slot make_room(Slot at) {
    const Slot used = static_cast<Slot>(process_.size());
    const Slot behind = gap_behind(at);
    if (behind == used) {
      if (used % 64 == 0 || used > 2 * ready_ + 512)
        if (const Slot front = gap_in_front(at); front > 0) {
          shift_down(front, at - 1);
          return at - 1;
        }
      take_slot(used, 0);
    }
    shift_up(at, behind);
    return at;
  }
  Slot gap_behind(Slot at) const {
    const Slot used = static_cast<Slot>(process_.size());
    for (std::size_t w = at / 64; 64 * w < used; ++w) {
      const Word gaps = ~active_[w] & (w == at / 64 ? ~(bit(at) - 1) : ~Word{0});
      if (gaps != 0) return std::min(used, static_cast<Slot>(64 * w + std::countr_zero(gaps)));
    }
    return used;
  }
  Slot gap_in_front(Slot at) const {
    for (std::size_t w = std::min<std::size_t>(at / 64 + 1, active_.size()); w-- > 0;) {
      const Word gaps =
          ~active_[w] & (w == at / 64 ? bit(at) - 1 : ~Word{0}) & (w == 0 ? ~Word{1} : ~Word{0});
      if (gaps != 0) return static_cast<Slot>(64 * w + 63 - std::countl_zero(gaps));
    }
    return 0;
  }

  /// Moves the slots [from, free) one up; `free` is a gap.
  void shift_up(Slot from, Slot free) {
    if (from == free) return;
    high_ = std::max<std::size_t>(high_, free / 64);
    std::copy_backward(process_.begin() + from, process_.begin() + free,
                       process_.begin() + free + 1);
    rows().move_slots(from, from + 1, free - from);
    for (std::size_t w = free / 64 + 1; w-- > from / 64;) {
      const Word below = w == from / 64 ? bit(from) - 1 : 0;        // stays
      const Word upto = w == free / 64 ? bit(free) - 1 : ~Word{0};  // moves, with `below` taken off
      const Word above = ~(upto | (w == free / 64 ? bit(free) : 0));  // stays
      const bool carry = w > from / 64;
      const auto moved = [&](Word word, Word lower) {
        return (word & (below | above)) | ((word & upto & ~below) << 1) | (carry ? lower >> 63 : 0);
      };
      active_[w] = moved(active_[w], carry ? active_[w - 1] : 0);
      rows().each_word(w, carry ? w - 1 : w, moved);
    }
  }

  /// Moves the slots (free, to] one down; `free` is a gap.
  void shift_down(Slot free, Slot to) {
    if (free == to) return;
    std::copy(process_.begin() + free + 1, process_.begin() + to + 1, process_.begin() + free);
    rows().move_slots(free + 1, free, to - free);
    for (std::size_t w = free / 64; w <= to / 64; ++w) {
      const Word below = w == free / 64 ? bit(free) - 1 : 0;                // stays
      const Word upto = w == to / 64 ? (bit(to) - 1) | bit(to) : ~Word{0};  // moves
      const Word source = upto & ~(w == free / 64 ? below | bit(free) : Word{0});
      const bool carry = w < to / 64;
      const auto moved = [&](Word word, Word upper) {
        return (word & (below | ~upto)) | ((word & source) >> 1) | (carry ? upper << 63 : 0);
      };
      active_[w] = moved(active_[w], carry ? active_[w + 1] : 0);
      rows().each_word(w, carry ? w + 1 : w, moved);
    }
  }

  /// Rounds until the next waiting process can take part; one process is ready, or none.
  std::uint32_t idle_rounds() const {
    const std::uint32_t next = waiting_[next_];
    if (in_.order == Order::latest_first) return in_.tick[next] - round_;
    const std::int64_t now = tick_of(head_);
    std::int64_t idle = std::max<std::int64_t>(0, std::int64_t{in_.tick[next]} - now - 1);
    while (!in_reach(next, now + idle, in_.part[head_])) ++idle;
    return static_cast<std::uint32_t>(idle);
  }

  Rows& rows() { return static_cast<Rows&>(*this); }

  std::size_t words_ = 0;               // of slots that there is room for
  std::vector<std::int64_t> first_;     // by ready process: ticks of availability minus round_
  std::vector<Slot> fixed_;             // latest_first: by process
  Slot front_ = 0, root_slot_ = 0;      // latest_first
  std::vector<std::uint32_t> waiting_;  // by arrival; those before next_ have come
  std::size_t next_ = 0;
  std::uint32_t round_ = 0;
  std::uint32_t head_ = 0;
  bool head_valid_ = false;
};

}  // namespace pat::clairvoyant
