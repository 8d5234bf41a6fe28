// Clairvoyant with the state kept twice: a row of process bits for every segment (who can send it),
// and a row of segment bits for every process (what it holds).
// A receiver walks over the segments that it holds and that somebody can still send in this round,
// in ascending order; for each, the first set bit of the segment's row among those who have not
// sent yet is the sender. Within a round rows only lose bits, so each segment keeps a cursor to the
// first word that can hold one, and a segment without any is struck from the list until the round
// is over.
// Cost: O(messages + R W N) word operations; R rounds, W words of 64 ready processes, N segments.
//   2 bits of memory for each pair of process and segment.
// Source: own; the same schedules as seed 000 Listings 2 and 8.

#include <algorithm>
#include <bit>

#include "collectives/clairvoyant/fast_avx512.hpp"
#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/isa.hpp"
#include "collectives/clairvoyant/ready_slots.hpp"

namespace pat::clairvoyant {
namespace {

/// `fixed_words`: words of segment bits a process, where it is one of the usual numbers; 0: any.
template <std::size_t fixed_words>
class Fast : ReadySlots<Fast<fixed_words>> {
  using Base = ReadySlots<Fast<fixed_words>>;
  friend Base;
  using Base::active_, Base::process_, Base::ready_, Base::ranks_, Base::low_, Base::high_;

 public:
  Fast(const Instance& instance, MessageList& out)
      : Base(instance),
        out_(out),
        segments_(instance.segments),
        any_words_((segments_ + 63) / 64),
        hold_(hold_words() * ranks_, ~Word{0}),
        count_(ranks_, static_cast<std::uint32_t>(segments_)),
        cursor_(segments_),
        live_(hold_words()),
        paired_(hold_words()),
        all_(hold_words(), ~Word{0}),
        shared_(hold_words(), 0),
        holders_(segments_, 0) {
    if (segments_ % 64 != 0) {
      all_.back() = bit(segments_) - 1;
      for (std::size_t p = 0; p < ranks_; ++p) hold(p)[hold_words() - 1] = all_.back();
    }
    if (out_.messages.empty()) out_.messages.resize((ranks_ - 1) * segments_);
  }

  PAT_INLINE void run() {
    this->start();
    do
      for (; ready_ > 1; this->next_round()) play_round();
    while (this->skip());
    out_.messages.resize(used_);
  }

 private:
  static constexpr std::size_t small_ = 64;  // words that are quickly read at the start of a round

  /// Searches in vain before strike() is cheaper than to go on.
  std::size_t patience() const { return 32 + ready_ * hold_words() / 8; }

  std::size_t hold_words() const { return fixed_words > 0 ? fixed_words : any_words_; }
  Word* hold(std::size_t process) { return hold_.data() + hold_words() * process; }
  Word* row(std::size_t word) { return rows_.data() + segments_ * word; }

  // ---- what ReadySlots asks for ----

  void grow_rows(std::size_t words) {
    unsent_.resize(words, 0);
    rows_.resize(words * segments_, 0);
  }

  void fill(Slot slot) {
    Word* words = row(slot / 64);
    const Word one = bit(slot);
    for (std::size_t j = 0; j < segments_; ++j) words[j] |= one;
    for (std::size_t j = 0; j < segments_; ++j) ++holders_[j];
    if (ready_ > 1) shared_ = all_;
  }

  void move_slot(Slot from, Slot to) {
    Word *source = row(from / 64), *target = row(to / 64);
    for (std::size_t j = 0; j < segments_; ++j) {
      const Word has = source[j] >> (from % 64) & 1;
      source[j] &= ~bit(from);
      target[j] |= has << (to % 64);
    }
  }

  template <class Change>
  void each_word(std::size_t word, std::size_t neighbour, Change change) {
    Word* words = row(word);
    const Word* others = row(neighbour);
    for (std::size_t j = 0; j < segments_; ++j) words[j] = change(words[j], others[j]);
  }

  void move_slots(Slot, Slot, Slot) {}

  // ---- a round ----

  PAT_INLINE void play_round() {
    this->find_bounds();
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
      out_.messages.resize(used_ + ready_ + out_.messages.size() / 16);
    if (received_.size() < ready_) received_.resize(2 * ready_);
    out_.rounds.push_back(this->listed(used_));
    next_message_ = out_.messages.data() + used_;
    next_received_ = received_.data();
    finished_.clear();
  }

  PAT_INLINE void end_round() {
    used_ = static_cast<std::size_t>(next_message_ - out_.messages.data());
    for (const Received* one = received_.data(); one != next_received_; ++one)
      rows_[one->index] |= bit(one->bit);
    for (const Slot slot : finished_) this->finish(slot);
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

  MessageList& out_;
  std::size_t segments_;
  std::size_t any_words_;
  std::vector<Word> hold_;             // by process: segments it holds
  std::vector<std::uint32_t> count_;   // by process: how many
  std::vector<Word> rows_;             // [word of slots][segment]: who can send it
  std::vector<Word> unsent_;           // by slot: ready and not yet sender in this round
  std::vector<std::uint32_t> cursor_;  // by segment: first word that may hold a sender
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
  if (chosen_isa() == Isa::avx512 && fast_avx512(instance, out)) return;
  if (instance.segments <= 64)
    run<1>(instance, out);
  else
    run<0>(instance, out);
}

}  // namespace pat::clairvoyant
