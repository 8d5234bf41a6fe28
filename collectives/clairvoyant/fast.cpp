// Clairvoyant with the state kept twice: a row of process bits for every segment (who can send it),
// and a row of segment bits for every process (what it holds).
// A receiver walks over the segments that it holds and that somebody can still send in this round,
// in ascending order; for each, the first set bit of the segment's row among those who have not
// sent yet is the sender. Within a round rows only lose bits, so each segment keeps a cursor to the
// first word that can hold one, and a segment without any is struck from the list until the round
// is over. Bits lie in the order in which the algorithm looks at the ready processes; that order
// never changes, so a process keeps its bit: newly arrived ones take the place of a finished
// neighbour (paper), or the next free bit in front (latest-first).
// Cost: O(messages + R W N) word operations; R rounds, W words of 64 ready processes, N segments.
//   2 bits of memory for each pair of process and segment.
// Source: own; the same schedules as seed 000 Listings 2 and 8.

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/isa.hpp"

namespace pat::clairvoyant {
namespace {

using Word = std::uint64_t;
using Slot = std::uint32_t;

constexpr Word bit(std::size_t position) {
  return Word{1} << (position % 64);
}

/// `fixed_words`: words of segment bits a process, where it is one of the usual numbers; 0: any.
template <std::size_t fixed_words>
class Fast {
 public:
  Fast(const Instance& instance, MessageList& out)
      : in_(instance),
        out_(out),
        ranks_(instance.ranks),
        segments_(instance.segments),
        any_words_((segments_ + 63) / 64),
        hold_(hold_words() * ranks_, ~Word{0}),
        count_(ranks_, static_cast<std::uint32_t>(segments_)),
        first_(ranks_),
        cursor_(segments_),
        live_(hold_words()),
        paired_(hold_words()),
        all_(hold_words(), ~Word{0}),
        shared_(hold_words(), 0),
        holders_(segments_, 0),
        waiting_(ranks_) {
    if (segments_ % 64 != 0) {
      all_.back() = bit(segments_) - 1;
      for (std::size_t p = 0; p < ranks_; ++p) hold(p)[hold_words() - 1] = all_.back();
    }
    std::iota(waiting_.begin(), waiting_.end(), 0);
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(in_.tick[a], in_.part[a]) < std::tie(in_.tick[b], in_.part[b]);
    });
    if (out_.messages.empty()) out_.messages.resize((ranks_ - 1) * segments_);
    if (in_.order == Order::latest_first)
      fix_slots();
    else
      take_slot(0, in_.root);
  }

  PAT_INLINE void run() {
    admit();
    for (;;) {
      if (ready_ > 1) {
        play_round();
        ++round_;
      } else if (next_ == ranks_) {
        out_.messages.resize(used_);
        return;
      } else {
        round_ += idle_rounds();
      }
      admit();
    }
  }

 private:
  static constexpr std::size_t small_ = 64;  // words that are quickly read at the start of a round

  /// Searches in vain before strike() is cheaper than to go on.
  std::size_t patience() const { return 32 + ready_ * hold_words() / 8; }

  std::size_t hold_words() const { return fixed_words > 0 ? fixed_words : any_words_; }
  Word* hold(std::size_t process) { return hold_.data() + hold_words() * process; }
  Word* row(std::size_t word) { return rows_.data() + segments_ * word; }

  // ---- who is ready, and in which slot ----

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
    if (words <= active_.size()) return;
    active_.resize(words, 0);
    unsent_.resize(words, 0);
    rows_.resize(words * segments_, 0);
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
    Word *source = row(from / 64), *target = row(to / 64);
    for (std::size_t j = 0; j < segments_; ++j) {
      const Word has = source[j] >> (from % 64) & 1;
      source[j] &= ~bit(from);
      target[j] |= has << (to % 64);
    }
    active_[from / 64] &= ~bit(from);
    active_[to / 64] |= bit(to);
    root_slot_ = to;
  }

  /// A process that has just come: all its segments can be sent.
  void enter(std::uint32_t process, Slot slot) {
    process_[slot] = process;
    first_[process] = std::int64_t{in_.tick[process]} - round_;
    active_[slot / 64] |= bit(slot);
    Word* words = row(slot / 64);
    const Word one = bit(slot);
    for (std::size_t j = 0; j < segments_; ++j) words[j] |= one;
    high_ = std::max<std::size_t>(high_, slot / 64);
    ++ready_;
    for (std::size_t j = 0; j < segments_; ++j) ++holders_[j];
    if (ready_ > 1) shared_ = all_;
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
      if (used > ready_ + ready_ / 2 + 64)
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
    for (std::size_t w = at / 64 + 1; w-- > 0;) {
      const Word gaps =
          ~active_[w] & (w == at / 64 ? bit(at) - 1 : ~Word{0}) & (w == 0 ? ~Word{1} : ~Word{0});
      if (gaps != 0) return static_cast<Slot>(64 * w + 63 - std::countl_zero(gaps));
    }
    return 0;
  }

  /// Moves the slots [from, free) one up; `free` is a gap.
  void shift_up(Slot from, Slot free) {
    high_ = std::max<std::size_t>(high_, free / 64);
    std::copy_backward(process_.begin() + from, process_.begin() + free,
                       process_.begin() + free + 1);
    for (std::size_t w = free / 64 + 1; w-- > from / 64;) {
      const Word below = w == from / 64 ? bit(from) - 1 : 0;        // stays
      const Word upto = w == free / 64 ? bit(free) - 1 : ~Word{0};  // moves, with `below` taken off
      const Word above = ~(upto | (w == free / 64 ? bit(free) : 0));  // stays
      const bool carry = w > from / 64;
      const auto moved = [&](Word word, Word lower) {
        return (word & (below | above)) | ((word & upto & ~below) << 1) | (carry ? lower >> 63 : 0);
      };
      active_[w] = moved(active_[w], carry ? active_[w - 1] : 0);
      Word* words = row(w);
      const Word* lower = carry ? row(w - 1) : words;
      for (std::size_t j = 0; j < segments_; ++j) words[j] = moved(words[j], lower[j]);
    }
  }

  /// Moves the slots (free, to] one down; `free` is a gap.
  void shift_down(Slot free, Slot to) {
    std::copy(process_.begin() + free + 1, process_.begin() + to + 1, process_.begin() + free);
    for (std::size_t w = free / 64; w <= to / 64; ++w) {
      const Word below = w == free / 64 ? bit(free) - 1 : 0;                // stays
      const Word upto = w == to / 64 ? (bit(to) - 1) | bit(to) : ~Word{0};  // moves
      const Word source = upto & ~(w == free / 64 ? below | bit(free) : Word{0});
      const bool carry = w < to / 64;
      const auto moved = [&](Word word, Word upper) {
        return (word & (below | ~upto)) | ((word & source) >> 1) | (carry ? upper << 63 : 0);
      };
      active_[w] = moved(active_[w], carry ? active_[w + 1] : 0);
      Word* words = row(w);
      const Word* upper = carry ? row(w + 1) : words;
      for (std::size_t j = 0; j < segments_; ++j) words[j] = moved(words[j], upper[j]);
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

  // ---- a round ----

  PAT_INLINE void play_round() {
    while (active_[high_] == 0) --high_;
    if (in_.order == Order::paper) low_ = 0;
    for (std::size_t w = low_; w <= high_; ++w) unsent_[w] = active_[w];
    if (high_ > low_ || cursors_at_ != low_) {
      std::fill(cursor_.begin(), cursor_.end(), static_cast<std::uint32_t>(low_));
      cursors_at_ = high_ > low_ ? ~std::size_t{0} : low_;
    }
    if (ready_ * hold_words() <= small_) {
      strike();
    } else {
      std::copy(all_.begin(), all_.end(), live_.begin());
      std::copy(all_.begin(), all_.end(), paired_.begin());
      vain_ = 0;
    }
    begin_round();
    const std::size_t most = patience();
    bool sink = true;
    for (std::size_t w = low_; w <= high_; ++w)
      for (Word bits = active_[w]; bits != 0; bits &= bits - 1) {
        const Slot slot = static_cast<Slot>(64 * w) + std::countr_zero(bits);
        sink ? serve<true>(slot) : serve<false>(slot);
        sink = false;
        if (vain_ >= most) strike();
      }
    end_round();
  }

  void begin_round() {
    if (used_ + ready_ > out_.messages.size())
      out_.messages.resize(std::max(used_ + ready_, 2 * out_.messages.size()));
    if (received_.size() < ready_) received_.resize(2 * ready_);
    const bool paper = in_.order == Order::paper;
    out_.rounds.push_back({round_, static_cast<std::uint32_t>(used_), paper ? head_ : 0,
                           paper ? static_cast<std::uint32_t>(tick_of(head_)) : round_});
    next_message_ = out_.messages.data() + used_;
    next_received_ = received_.data();
    finished_.clear();
  }

  PAT_INLINE void end_round() {
    used_ = static_cast<std::size_t>(next_message_ - out_.messages.data());
    for (const Received* one = received_.data(); one != next_received_; ++one)
      rows_[one->index] |= bit(one->bit);
    for (const Slot slot : finished_) {
      active_[slot / 64] &= ~bit(slot);
      --ready_;
      if (process_[slot] == head_) head_valid_ = false;
    }
  }

  /// Strikes what none of those who have not sent yet holds, and finds out what only one of them
  /// does. What they hold counts, even if it was received in this round: a filter may let through
  /// too much.
  PAT_INLINE void strike() {
    std::copy(all_.begin(), all_.end(), live_.begin());
    std::fill(paired_.begin(), paired_.end(), Word{0});
    once_.assign(hold_words(), 0);
    Word *once = once_.data(), *twice = paired_.data();
    for (std::size_t w = low_; w <= high_; ++w)
      for (Word bits = unsent_[w]; bits != 0; bits &= bits - 1) {
        const Word* held = hold(process_[64 * w + std::countr_zero(bits)]);
        for (std::size_t v = 0; v < hold_words(); ++v) {
          twice[v] |= once[v] & held[v];
          once[v] |= held[v];
        }
      }
    for (std::size_t v = 0; v < hold_words(); ++v) live_[v] &= once[v];
    vain_ = 0;
  }

  template <bool sink>
  PAT_INLINE void serve(Slot slot) {
    const std::uint32_t process = process_[slot];
    const Word* own = hold(process);
    const Word sent = (unsent_[slot / 64] >> (slot % 64) & 1) - 1;  // all bits, or none
    for (std::size_t v = 0; v < hold_words(); ++v) {
      const Word others = shared_[v] & (paired_[v] | sent);  // of what it holds itself
      Word candidates = live_[v] & (sink ? others | ~own[v] : others & own[v]);
      for (; candidates != 0; candidates &= candidates - 1) {
        const std::size_t segment = 64 * v + std::countr_zero(candidates);
        std::size_t w = cursor_[segment];
        Word senders = row(w)[segment] & unsent_[w];
        while (senders == 0 && w < high_) {
          ++w;
          senders = row(w)[segment] & unsent_[w];
        }
        cursor_[segment] = static_cast<std::uint32_t>(w);
        if (senders == 0) {
          live_[v] &= ~bit(segment);
          ++vain_;
          continue;
        }
        Slot sender = static_cast<Slot>(64 * w) + std::countr_zero(senders);
        if (sender == slot) {
          senders &= senders - 1;
          while (senders == 0 && w < high_) {
            ++w;
            senders = row(w)[segment] & unsent_[w];
          }
          if (senders == 0) {
            ++vain_;
            continue;
          }
          sender = static_cast<Slot>(64 * w) + std::countr_zero(senders);
        }
        return transfer(sender, slot, process, segment);
      }
    }
  }

  PAT_INLINE void transfer(Slot from, Slot to, std::uint32_t receiver, std::size_t segment) {
    const std::uint32_t sender = process_[from];
    const std::size_t v = segment / 64;
    const Word one = bit(segment);
    Word* got = hold(receiver);
    const bool copies = (got[v] & one) == 0;
    *next_message_++ = Message(sender, receiver, static_cast<std::uint32_t>(segment), copies);
    unsent_[from / 64] &= ~bit(from);
    hold(sender)[v] &= ~one;
    if (--count_[sender] == 0) finished_.push_back(from);
    got[v] |= one;
    count_[receiver] += copies;
    holders_[segment] -= !copies;
    shared_[v] &= ~(static_cast<Word>(holders_[segment] == 1) << (segment % 64));
    row(from / 64)[segment] &= ~bit(from);
    const std::size_t index = segments_ * (to / 64) + segment;
    rows_[index] &= ~bit(to);  // P': not to be sent on in this round
    *next_received_++ = {static_cast<std::uint32_t>(index), to % 64};
  }

  struct Received {
    std::uint32_t index;
    std::uint32_t bit;
  };

  const Instance& in_;
  MessageList& out_;
  std::size_t ranks_, segments_;
  std::size_t any_words_;
  std::vector<Word> hold_;              // by process: segments it holds
  std::vector<std::uint32_t> count_;    // by process: how many
  std::vector<std::int64_t> first_;     // by ready process: ticks of availability minus round_
  std::vector<Word> rows_;              // [word of slots][segment]: who can send it
  std::vector<Word> active_, unsent_;   // by slot: ready; ready and not yet sender in this round
  std::vector<std::uint32_t> process_;  // by slot; a gap keeps its last owner, and thus the order
  std::vector<Slot> fixed_;             // latest_first: by process
  Slot front_ = 0, root_slot_ = 0;      // latest_first
  std::size_t low_ = 0, high_ = 0;      // words of slots in use
  std::vector<std::uint32_t> cursor_;   // by segment: first word that may hold a sender
  std::size_t cursors_at_ = ~std::size_t{0};
  std::vector<Word> live_;    // segments that somebody can still send in this round
  std::vector<Word> paired_;  // those that two who have not sent may hold
  std::vector<Word> all_, once_;
  std::vector<Word> shared_;            // segments of which two or more ready processes have a part
  std::vector<std::uint32_t> holders_;  // by segment: how many have one
  std::vector<Received> received_;      // slots to be given back when the round is over
  Received* next_received_ = nullptr;
  Message* next_message_ = nullptr;
  std::size_t used_ = 0;  // messages so far
  std::size_t vain_ = 0;  // segments looked at in vain since strike()
  std::vector<Slot> finished_;
  std::vector<std::uint32_t> waiting_;  // by arrival; those before next_ have come
  std::size_t next_ = 0;
  std::size_t ready_ = 0;
  std::uint32_t round_ = 0;
  std::uint32_t head_ = 0;
  bool head_valid_ = false;
};

#if PAT_X86_TARGETS
template <std::size_t words>
PAT_TARGET_AVX2 void run_avx2(Fast<words>& generator) {
  generator.run();
}
template <std::size_t words>
PAT_TARGET_AVX512 void run_avx512(Fast<words>& generator) {
  generator.run();
}
#endif

template <std::size_t words>
void run(const Instance& instance, MessageList& out) {
  Fast<words> generator(instance, out);
#if PAT_X86_TARGETS
  if (chosen_isa() == Isa::avx512) return run_avx512(generator);
  if (chosen_isa() == Isa::avx2) return run_avx2(generator);
#endif
  generator.run();
}

}  // namespace

void fast(const Instance& instance, MessageList& out) {
  out.rounds.clear();
  if (instance.segments <= 64)
    run<1>(instance, out);
  else
    run<0>(instance, out);
}

}  // namespace pat::clairvoyant
