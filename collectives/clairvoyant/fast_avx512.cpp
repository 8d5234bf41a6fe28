// fast() in vectors of 512 bits: all segments of a process are one or two vectors, 512 processes
// are one.
// A round is played in one of two ways. Where many have come together, the segments that are not
// yet held by all lie close together, and hardly any is asked for that nobody can send. Then a
// process is a window of 64 segments, one word; a segment is left out only when those who have it
// have all sent (bytes that count down), and whoever finds nothing in the window looks beyond it.
// When that is often in vain, rounds are played with all segments and exact counts for a while: how
// many can still send a segment, in bit planes (plane k has bit k of every count); the low bits
// suffice for some messages, then the high ones are asked for more.
// In both a receiver does not wait for the senders found just before it: its candidate is chosen by
// the counts of three receivers ago, which can only allow too many; if that is in vain, it is
// chosen again. Only where exact counts meet at most 128 slots it waits, as ordinary registers find
// a sender sooner than vectors.
// Cost: O(messages) vector operations. 2 bits of memory for each pair of process and segment.
// Source: own; the same schedules as seed 000 Listings 2 and 8.

#include "collectives/clairvoyant/fast_avx512.hpp"

#include <array>
#include <cstring>
#include <type_traits>

#include "collectives/clairvoyant/isa.hpp"
#include "collectives/clairvoyant/ready_slots.hpp"

#if PAT_X86_TARGETS && !defined(__clang__)

#include <immintrin.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // Bits as a template argument
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")

namespace pat::clairvoyant {
namespace {

using Bits = __m512i;

struct alignas(64) Line {
  Word word[8] = {};
};

PAT_INLINE Bits load(const Word* words) {
  return _mm512_load_si512(words);
}
PAT_INLINE void store(Word* words, Bits bits) {
  _mm512_store_si512(words, bits);
}
/// The upper half of a row of 4 words is anything: nobody is ready there.
template <int words>
PAT_INLINE Bits load_row(const Word* from) {
  if constexpr (words == 4)
    return _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
  else
    return load(from);
}
template <int words>
PAT_INLINE void store_row(Word* to, Bits bits) {
  if constexpr (words == 4)
    _mm256_store_si256(reinterpret_cast<__m256i*>(to),
                       _mm512_maskz_extracti64x4_epi64(0xf, bits, 0));
  else
    store(to, bits);
}
PAT_INLINE bool any(Bits bits) {
  return _mm512_test_epi64_mask(bits, bits) != 0;
}

/// Bytes with all bits but one; a vector that begins in the right place lacks any one of the 512.
/// Loads instead of shifts and masks, as vectors have only two ports.
constexpr auto all_but_one = [] {
  std::array<std::uint8_t, 8 * 128> bytes{};
  bytes.fill(0xff);
  for (std::size_t k = 0; k < 8; ++k) bytes[128 * k + 63] = static_cast<std::uint8_t>(~(1u << k));
  return bytes;
}();
PAT_INLINE Bits all_but(std::size_t position) {
  return _mm512_loadu_si512(all_but_one.data() + 128 * (position % 8) + 63 - position / 8 % 64);
}
alignas(64) constexpr Word none_or_all[2][8] = {
    {}, {~Word{0}, ~Word{0}, ~Word{0}, ~Word{0}, ~Word{0}, ~Word{0}, ~Word{0}, ~Word{0}}};

/// The lowest bit alone, and its place.
PAT_INLINE Bits lowest(Bits bits, std::uint32_t& place) {
  const __mmask8 some = _mm512_test_epi64_mask(bits, bits);
  const std::uint32_t words = _cvtmask8_u32(some);
  const auto word = static_cast<Word>(_mm512_maskz_compress_epi64(some, bits)[0]);
  place = static_cast<std::uint32_t>(64 * std::countr_zero(words) + std::countr_zero(word));
  const __mmask8 first = _cvtu32_mask8(words & (0u - words));
  return _mm512_maskz_and_epi64(first, bits, _mm512_sub_epi64(_mm512_setzero_si512(), bits));
}

/// A set of twice as many segments.
template <class Half>
struct Two {
  Half low, high;

  PAT_INLINE friend Two operator&(Two a, Two b) { return {a.low & b.low, a.high & b.high}; }
  PAT_INLINE friend Two operator|(Two a, Two b) { return {a.low | b.low, a.high | b.high}; }
  PAT_INLINE friend Two operator^(Two a, Two b) { return {a.low ^ b.low, a.high ^ b.high}; }
  PAT_INLINE friend Two operator~(Two a) { return {~a.low, ~a.high}; }
  PAT_INLINE Two& operator&=(Two other) { return *this = *this & other; }
  PAT_INLINE Two& operator|=(Two other) { return *this = *this | other; }
  PAT_INLINE Two& operator^=(Two other) { return *this = *this ^ other; }
};

PAT_INLINE void load(const Word* from, Bits& set) {
  set = load(from);
}
template <class Half>
PAT_INLINE void load(const Word* from, Two<Half>& set) {
  load(from, set.low);
  load(from + sizeof(Half) / sizeof(Word), set.high);
}
template <class Half>
PAT_INLINE void store(Word* to, Two<Half> set) {
  store(to, set.low);
  store(to + sizeof(Half) / sizeof(Word), set.high);
}
template <class Half>
PAT_INLINE bool any(Two<Half> set) {
  return any(set.low | set.high);
}
PAT_INLINE void fill(Bits& set, bool yes) {
  set = load(none_or_all[yes]);
}
PAT_INLINE void fill_but(Bits& set, std::size_t position) {
  set = all_but(position);
}
PAT_INLINE std::uint32_t first(Bits set) {
  const __mmask8 some = _mm512_test_epi64_mask(set, set);
  const auto word = static_cast<Word>(_mm512_maskz_compress_epi64(some, set)[0]);
  return static_cast<std::uint32_t>(64 * std::countr_zero(_cvtmask8_u32(some)) +
                                    std::countr_zero(word));
}
template <class Half>
PAT_INLINE void fill(Two<Half>& set, bool yes) {
  fill(set.low, yes);
  fill(set.high, yes);
}
template <class Half>
PAT_INLINE void fill_but(Two<Half>& set, std::size_t position) {
  constexpr std::size_t half = 8 * sizeof(Half);
  fill(set.low, true);
  fill(set.high, true);
  if (position < half)
    fill_but(set.low, position);
  else
    fill_but(set.high, position - half);
}
template <class Half>
PAT_INLINE std::uint32_t first(Two<Half> set) {
  constexpr auto half = static_cast<std::uint32_t>(8 * sizeof(Half));
  return any(set.low) ? first(set.low) : half + first(set.high);
}

/// Segments of a process, up to 64 of them, and how many processes can still send each.
struct Narrow {
  using Set = Word;
  static constexpr std::size_t words = 1;
  static Set load(const Word* from) { return *from; }
  static void store(Word* to, Set set) { *to = set; }
  static bool any(Set set) { return set != 0; }
  static Set where(bool yes) { return Word{0} - Word{yes}; }
  static std::uint32_t first(Set set) { return static_cast<std::uint32_t>(std::countr_zero(set)); }
  static Set all_but(std::size_t place) { return ~bit(place); }

  Set one, two;       // one or more can send it; two or more
  Bits low;           // a byte a segment
  Bits rest0, rest1;  // what the bytes have no room for
  int due;            // messages until they have to be filled again

  void start(const std::uint16_t* counts) {
    low = _mm512_setzero_si512();
    rest0 = _mm512_loadu_si512(counts);
    rest1 = _mm512_loadu_si512(counts + 32);
    refill();
    find();
  }
  /// While there is more, bytes begin with 255; a message takes at most 2, so they stay above 1.
  PAT_INLINE void refill() {
    const __m256i low0 = fetch(_mm512_maskz_extracti64x4_epi64(0xf, low, 0), rest0);
    const __m256i low1 = fetch(_mm512_maskz_extracti64x4_epi64(0xf, low, 1), rest1);
    low = _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(low0), low1, 1);
    due = 120;
  }
  PAT_INLINE static __m256i fetch(__m256i bytes, Bits& rest) {
    const __mmask32 all = ~__mmask32{0};
    const Bits room =
        _mm512_sub_epi16(_mm512_set1_epi16(255), _mm512_maskz_cvtepu8_epi16(all, bytes));
    const Bits moved = _mm512_maskz_min_epu16(all, rest, room);
    rest = _mm512_sub_epi16(rest, moved);
    return _mm256_add_epi8(bytes, _mm512_maskz_cvtepi16_epi8(all, moved));
  }
  /// One less of `held`; one less again of `twice`.
  PAT_INLINE void take(Set held, Set twice) {
    const Bits ones = _mm512_set1_epi8(1);
    low = _mm512_mask_sub_epi8(low, held, low, ones);
    low = _mm512_mask_sub_epi8(low, twice, low, ones);
    if (--due == 0) refill();
    find();
  }
  /// One less of `held`, where only `one` is asked for.
  PAT_INLINE void leave(Set held) {
    low = _mm512_mask_sub_epi8(low, held, low, _mm512_set1_epi8(1));
    if (--due == 0) refill();
    one = _mm512_test_epi8_mask(low, low);
  }
  PAT_INLINE void find() {
    one = _mm512_test_epi8_mask(low, low);
    two = _mm512_cmpgt_epu8_mask(low, _mm512_set1_epi8(1));
  }
  /// Three or more, and so on.
  PAT_INLINE Set three() const { return _mm512_cmpgt_epu8_mask(low, _mm512_set1_epi8(2)); }
  PAT_INLINE Set four() const { return _mm512_cmpgt_epu8_mask(low, _mm512_set1_epi8(3)); }
};

/// A number of so many bits for each segment, bit k of all of them in a set; in nested fields,
/// which the compiler keeps in registers.
template <class Set, int planes>
struct Planes {
  Set plane;
  Planes<Set, planes - 1> above;

  void start(const Set* bits) {
    plane = bits[0];
    above.start(bits + 1);
  }
  PAT_INLINE void subtract(Set borrow) {
    const Set next = borrow & ~plane;
    plane ^= borrow;
    above.subtract(next);
  }
  PAT_INLINE Set any() const { return plane | above.any(); }
};
template <class Set>
struct Planes<Set, 1> {
  Set plane;

  void start(const Set* bits) { plane = bits[0]; }
  PAT_INLINE void subtract(Set borrow) { plane ^= borrow; }
  PAT_INLINE Set any() const { return plane; }
};

/// The same for the segments of a wider set and less than 2^planes processes. Counts are low + 8 *
/// eights. While there are eights, low begins with 8 to 15; a message takes at most 2, so that for
/// three messages low alone says whether there are two or more, and the eights need not be touched.
template <class Set_, int planes>
struct Wide {
  using Set = Set_;
  static constexpr std::size_t words = sizeof(Set) / sizeof(Word);
  static Set load(const Word* from) {
    Set set;
    clairvoyant::load(from, set);
    return set;
  }
  static void store(Word* to, Set set) { clairvoyant::store(to, set); }
  static bool any(Set set) { return clairvoyant::any(set); }
  static Set where(bool yes) {
    Set set;
    fill(set, yes);
    return set;
  }
  static std::uint32_t first(Set set) { return clairvoyant::first(set); }
  static Set all_but(std::size_t place) {
    Set set;
    fill_but(set, place);
    return set;
  }

  Set one, two;
  Set bit0, bit1, bit2, bit3;  // of low
  Planes<Set, planes - 3> eights;
  int due;

  void start(const std::uint16_t* counts) {
    alignas(64) std::uint32_t bits[planes][2 * words];
    for (std::size_t g = 0; g < 2 * words; ++g) {
      const Bits number = _mm512_loadu_si512(counts + 32 * g);
#pragma GCC unroll 16
      for (int k = 0; k < planes; ++k)
        bits[k][g] = _mm512_test_epi16_mask(number, _mm512_set1_epi16(static_cast<short>(1 << k)));
    }
    Set sets[planes];
    std::memcpy(sets, bits, sizeof bits);
    bit0 = sets[0];
    bit1 = sets[1];
    bit2 = sets[2];
    fill(bit3, false);
    eights.start(sets + 3);
    refill();
    find();
  }
  PAT_INLINE void refill() {
    const Set fetch = eights.any() & ~bit3;
    bit3 |= fetch;
    eights.subtract(fetch);
    due = 3;
  }
  /// `twice` is a part of `held`.
  PAT_INLINE void take(Set held, Set twice) {
    const Set once = held & ~twice;
    const Set borrow1 = (once & ~bit0) | twice;
    bit0 ^= once;
    const Set borrow2 = borrow1 & ~bit1;
    bit1 ^= borrow1;
    const Set borrow3 = borrow2 & ~bit2;
    bit2 ^= borrow2;
    bit3 ^= borrow3;
    if (--due == 0) refill();
    find();
  }
  PAT_INLINE void find() {
    two = bit1 | bit2 | bit3;
    one = two | bit0;
  }
  PAT_INLINE Set three() const {
    return (bit1 & bit0) | bit2 | bit3;
  }
  PAT_INLINE Set four() const {
    return bit2 | bit3;
  }
};

/// Who can send a segment, by slot. `row_words`: 4 or 8, where all slots are in so many words; 0:
/// any number of chunks of 512.
template <int row_words>
struct Senders {
  static constexpr bool one_chunk = row_words > 0;

  Word* rows;     // [segment][slots]: who holds it, but has not got it in this round
  Word* unsents;  // who has not sent in this round, with many chunks
  Bits unsent;    // the same with one chunk
  std::size_t row_chunks, low_chunk, high_chunk;
  Bits found{}, row{}, others{};  // of the last look; others: all slots but the receiver's
  Word* words = nullptr;
  std::size_t chunk = 0;

  /// `ready`: by slot, with bits in the words from `low` to `high`.
  Senders(Word* rows_, Word* unsents_, std::size_t row_chunks_, const Word* ready, std::size_t low,
          std::size_t high)
      : rows(rows_),
        unsents(unsents_),
        unsent(_mm512_loadu_si512(ready)),
        row_chunks(row_chunks_),
        low_chunk(low / 8),
        high_chunk(high / 8) {
    if constexpr (!one_chunk)
      for (std::size_t c = low_chunk; c <= high_chunk; ++c)
        store(unsents + 8 * c, _mm512_loadu_si512(ready + 8 * c));
  }

  /// Whether somebody can send `segment` to `receiver`.
  PAT_INLINE bool look(std::size_t segment, Slot receiver) {
    others = all_but(receiver);
    if constexpr (one_chunk) {
      words = rows + row_words * segment;
      row = load_row<row_words>(words) & others;
      found = row & unsent;
      return any(found);
    } else {
      words = rows + 8 * row_chunks * segment;
      for (chunk = low_chunk; chunk <= high_chunk; ++chunk) {
        found = load(words + 8 * chunk) & load(unsents + 8 * chunk);
        if (chunk == receiver / 512) found &= others;
        if (any(found)) return true;
      }
      return false;
    }
  }

  /// Lets the first who was found send it to `receiver`.
  PAT_INLINE Slot take(Slot receiver) {
    std::uint32_t sender;
    const Bits from = lowest(found, sender);
    if constexpr (one_chunk) {
      store_row<row_words>(words, row & ~from);
      unsent &= ~from;
    } else {
      store(words + 8 * chunk, load(words + 8 * chunk) & ~from);
      words += 8 * (receiver / 512);
      store(words, load(words) & others);
      sender += static_cast<Slot>(512 * chunk);
      const Bits rest = load(unsents + 8 * chunk) & ~from;
      store(unsents + 8 * chunk, rest);
      if (chunk == low_chunk && !any(rest)) {
        ++low_chunk;
        while (low_chunk < high_chunk && !any(load(unsents + 8 * low_chunk))) ++low_chunk;
      }
    }
    return sender;
  }
};

/// The same for rows of 4 words of which the first one or two are in use: ordinary registers find
/// a sender so soon that a receiver can wait for it.
template <int used_words>
struct FewSenders {
  Word* rows;
  Word unsent0, unsent1;

  PAT_INLINE bool has_sent(int word, Word receiver) const {
    return ((word == 0 ? unsent0 : unsent1) & receiver) == 0;
  }
  /// `receiver`: its bit, in so many a word.
  PAT_INLINE Slot take(std::size_t segment, int word, Word receiver) {
    Word* const row = rows + 4 * segment;
    const Word row0 = word == 0 ? row[0] & ~receiver : row[0], found0 = row0 & unsent0;
    const Word from0 = found0 & (0 - found0);
    row[0] = row0 & ~from0;
    unsent0 &= ~from0;
    if constexpr (used_words == 1) return static_cast<Slot>(std::countr_zero(from0));
    const Word row1 = word == 1 ? row[1] & ~receiver : row[1], found1 = row1 & unsent1;
    Word none = Word{0} - Word{found0 == 0};
    asm("" : "+r"(none));  // no branch, which would often be guessed wrong
    const Word from1 = found1 & (0 - found1) & none;
    row[1] = row1 & ~from1;
    unsent1 &= ~from1;
    return static_cast<Slot>(std::countr_zero(from0 | from1)) + (none & 64);
  }
};

/// `Set`: of segments. Word, Bits or Two<Bits>.
template <class Set>
class Engine : ReadySlots<Engine<Set>> {
  using Base = ReadySlots<Engine<Set>>;
  friend Base;
  using Base::active_, Base::process_, Base::ready_, Base::ranks_, Base::low_, Base::high_;

 public:
  Engine(const Instance& instance, MessageList& out)
      : Base(instance),
        out_(out),
        segments_(instance.segments),
        counts_(std::max<std::size_t>(64, 64 * hold_words), 0),
        receivers_(ranks_ + lanes),
        transfers_(ranks_),
        emptied_(ranks_ + 1) {
    for (std::size_t s = 0; s < segments_; ++s) all_[s / 64] |= bit(s);
    if (out_.messages.empty()) out_.messages.resize((ranks_ - 1) * segments_);
  }

  void run() {
    this->start();
    do
      for (; ready_ > 1; this->next_round()) play_round();
    while (this->skip());
    out_.messages.resize(used_);
  }

 private:
  static constexpr std::size_t hold_words = sizeof(Set) / sizeof(Word);  // by slot
  static constexpr std::size_t ahead = 2;
  static constexpr std::size_t lanes = 16;  // slots that are listed at once
  // A round is regular if at most one in so many receivers looks in vain; if not, so many rounds at
  // the most are played with exact counts before the next trial.
  static constexpr std::size_t most_vain = 8;
  static constexpr std::uint32_t most_patience = 4095;

  Word* row(std::size_t segment) { return rows_.data()->word + row_words_ * segment; }
  Word* hold(Slot slot) { return holds_.data()->word + hold_words * slot; }

  // ---- what ReadySlots asks for ----

  void grow_rows(std::size_t words) {
    const std::size_t chunks = (words + 7) / 8, row_words = words <= 4 ? 4 : 8 * chunks;
    if (row_words == row_words_) return;
    std::vector<Line> wider((row_words * segments_ + 7) / 8);
    for (std::size_t s = 0; s < segments_ && row_words_ > 0; ++s)
      std::copy_n(row(s), row_words_, wider.data()->word + row_words * s);
    rows_ = std::move(wider);
    row_words_ = row_words;
    chunks_ = chunks;
    active_.resize(8 * chunks, 0);
    unsent_.resize(chunks);
    fresh_.resize(chunks);
    sent_.resize(512 * chunks);
    if (hold_words > 1) windows_.resize(512 * chunks);
    holds_.resize(64 * hold_words * chunks);
  }

  void fill(Slot slot) {
    fresh_[slot / 512].word[slot / 64 % 8] |= bit(slot);
    any_fresh_ = true;
    std::copy_n(all_.data(), hold_words, hold(slot));
    for (std::uint16_t& count : counts_) ++count;
  }

  /// Those who have just come go into the rows together.
  void settle() {
    if (!any_fresh_) return;
    any_fresh_ = false;
    if (row_words_ == 4) {
      const Bits fresh = load(fresh_[0].word);
      for (std::size_t s = 0; s < segments_; ++s) store_row<4>(row(s), load_row<4>(row(s)) | fresh);
      fresh_[0] = Line{};
      return;
    }
    for (std::size_t c = 0; c < chunks_; ++c) {
      const Bits fresh = load(fresh_[c].word);
      if (!any(fresh)) continue;
      for (std::size_t s = 0; s < segments_; ++s)
        store(row(s) + 8 * c, load(row(s) + 8 * c) | fresh);
      fresh_[c] = Line{};
    }
  }

  void move_slot(Slot from, Slot to) {
    settle();
    for (std::size_t s = 0; s < segments_; ++s) {
      Word* words = row(s);
      words[to / 64] |= (words[from / 64] >> (from % 64) & 1) << (to % 64);
      words[from / 64] &= ~bit(from);
    }
    std::copy_n(hold(from), hold_words, hold(to));
  }

  void move_slots(Slot from, Slot to, Slot count) {
    settle();
    std::memmove(hold(to), hold(from), sizeof(Word) * hold_words * count);
  }

  /// Into 4 words at the most.
  void pack() {
    settle();
    Slot to = 0;
    for (std::size_t w = 0; w <= high_; ++w)
      for (Word bits = active_[w]; bits != 0; bits &= bits - 1)
        std::copy_n(hold(static_cast<Slot>(64 * w) + std::countr_zero(bits)), hold_words,
                    hold(to++));
    for (std::size_t s = 0; s < segments_; ++s) {
      Word packed[5] = {};
      unsigned filled = 0;
      for (std::size_t w = 0; w <= high_; ++w) {
        const Word bits = _pext_u64(row(s)[w], active_[w]);
        const unsigned shift = filled % 64;
        packed[filled / 64] |= bits << shift;
        if (shift > 0) packed[filled / 64 + 1] |= bits >> (64 - shift);
        filled += static_cast<unsigned>(std::popcount(active_[w]));
      }
      std::copy_n(packed, 4, rows_.data()->word + 4 * s);
    }
    row_words_ = 4;
    chunks_ = 1;
  }

  template <class Change>
  void each_word(std::size_t word, std::size_t neighbour, Change change) {
    for (std::size_t s = 0; s < segments_; ++s)
      row(s)[word] = change(row(s)[word], row(s)[neighbour]);
  }

  // ---- a round ----

  struct Transfer {
    std::uint16_t receiver, sender;  // slots
    std::uint16_t segment, unused;   // a power of two is faster to index
  };

  void play_round() {
    this->find_bounds();
    if (this->sparse()) this->close_gaps();
    settle();
    if (used_ + ready_ > out_.messages.size())
      out_.messages.resize(used_ + ready_ + out_.messages.size() / 16);
    out_.rounds.push_back(this->listed(used_));
    sink_copies_ = false;
    vain_ = 0;
    if (exact_rounds_ > 0) {
      --exact_rounds_;
      play_counted();
      end_round<false>();
      return;
    }
    play_windowed();
    end_round<true>();
    const bool regular = most_vain * vain_ <= ready_;
    patience_ = regular ? 0 : std::min<std::uint32_t>(2 * patience_ + 1, most_patience);
    exact_rounds_ = patience_;
  }

  void play_windowed() {
    list_receivers();
    if (row_words_ == 4)
      play_window<4>();
    else if (row_words_ == 8)
      play_window<8>();
    else
      play_window<0>();
  }

  void play_counted() {
    const bool few = row_words_ == 4 && high_ < 2 && active_[0] != 0;
    if (few && ready_ < 64 * (high_ + 1)) return high_ == 0 ? play_few<1>() : play_few<2>();
    list_receivers();
    if (row_words_ == 4)
      play_exact<4>();
    else if (row_words_ == 8)
      play_exact<8>();
    else
      play_exact<0>();
  }
  template <int row_words>
  void play_exact() {
    if constexpr (hold_words == 1)
      play<Narrow, row_words>();
    else if constexpr (row_words == 0)
      play<Wide<Set, 16>, 0>();
    else if (ready_ < 64)
      play<Wide<Set, 6>, row_words>();
    else if (row_words == 4 || ready_ < 256)
      play<Wide<Set, 8>, row_words>();
    else
      play<Wide<Set, 10>, row_words>();
  }

  [[gnu::noinline]] void list_receivers() {
    const Bits steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    Slot* next = receivers_.data();
    for (std::size_t w = low_; w <= high_; ++w)
      for (std::size_t part = 0; part < 64; part += lanes) {
        const auto some = static_cast<__mmask16>(active_[w] >> part);
        const Bits slots =
            _mm512_add_epi32(steps, _mm512_set1_epi32(static_cast<int>(64 * w + part)));
        _mm512_storeu_si512(next, _mm512_maskz_compress_epi32(some, slots));
        next += std::popcount(static_cast<unsigned>(some));
      }
    for (std::size_t i = 0; i < ahead; ++i) *next++ = receivers_[0];
  }

  template <int row_words>
  Senders<row_words> senders() {
    return {rows_.data()->word, unsent_.data()->word, chunks_, active_.data(), low_, high_};
  }

  /// A round with exact counts.
  template <class Counts, int row_words>
  [[gnu::noinline]] void play() {
    Counts counts;
    counts.start(counts_.data());
    std::fill_n(sent_.data() + 64 * low_, 64 * (high_ + 1 - low_), std::uint8_t{0});
    Senders<row_words> senders = this->senders<row_words>();
    Transfer* transfer = transfers_.data();
    Word* const holds = holds_.data()->word;
    std::uint8_t* const sent = sent_.data();
    const Slot* const receivers = receivers_.data();
    Slot sender1 = ~Slot{0}, sender2 = ~Slot{0};  // found for the receiver before, and before it
    Set kept1{}, kept2{};                         // all but what they sent
    Slot* emptied = emptied_.data();

    const auto take = [&](Slot receiver, Set held, std::uint32_t segment, bool twice)
        __attribute__((always_inline)) {
      const Slot sender = senders.take(receiver);
      const Set kept = Counts::all_but(segment);
      Counts::store(holds + hold_words * receiver, held & kept);  // P', as in the row
      const Set theirs = Counts::load(holds + hold_words * sender);
      const Set rest = theirs & kept;
      Counts::store(holds + hold_words * sender, rest);
      counts.take(theirs, ~kept & Counts::where(twice));
      sent[sender] = 1;
      *emptied = sender;
      emptied += !Counts::any(rest);
      *transfer++ = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                     static_cast<std::uint16_t>(segment), 0};
      sender1 = sender;
      kept1 = kept;
    };

    {  // the sink takes what others have, whether it has it or not
      const Set held = Counts::load(holds + hold_words * receivers[0]);
      const Set can = (counts.one & ~held) | (counts.two & held);
      if (Counts::any(can)) {
        const std::uint32_t segment = Counts::first(can);
        senders.look(segment, receivers[0]);
        const bool had = Counts::any(held & ~Counts::all_but(segment));
        take(receivers[0], held, segment, had);
        sink_copies_ = !had;
      }
    }
    sender1 = ~Slot{0};
    Set one1 = counts.one, two1 = counts.two, one2 = one1, two2 = two1, one3 = one1, two3 = two1;
    Set held1 = Counts::load(holds + hold_words * receivers[1]);
    Set held2 = Counts::load(holds + hold_words * receivers[2]);
    bool has1 = sent[receivers[1]], has2 = sent[receivers[2]];
    for (std::size_t i = 1, n = ready_; i < n; ++i) {
      const Slot receiver = receivers[i], next = receivers[i + ahead];
      Set held = held1;
      bool has_sent = has1;
      held1 = held2;
      has1 = has2;
      held2 = Counts::load(holds + hold_words * next);
      has2 = sent[next];
      // Branches, so that the processor guesses and needs not wait for the senders.
      if (receiver == sender1) [[unlikely]] {
        asm volatile("");
        held &= kept1;
        has_sent = true;
      }
      if (receiver == sender2) [[unlikely]] {
        asm volatile("");
        held &= kept2;
        has_sent = true;
      }
      const Set can = held & (two3 | (one3 & Counts::where(has_sent)));
      one3 = one2;
      two3 = two2;
      one2 = one1;
      two2 = two1;
      sender2 = sender1;
      kept2 = kept1;
      sender1 = ~Slot{0};
      if (Counts::any(can)) {
        std::uint32_t segment = Counts::first(can);
        bool found = senders.look(segment, receiver);
        if (!found) {
          const Set now = held & (counts.two | (counts.one & Counts::where(has_sent)));
          if (Counts::any(now)) {
            segment = Counts::first(now);
            found = senders.look(segment, receiver);
          }
        }
        if (found) take(receiver, held, segment, !has_sent);
      }
      one1 = counts.one;
      two1 = counts.two;
    }
    transfers_end_ = transfer;
    emptied_end_ = emptied;
  }

  /// A round with exact counts and few slots: each receiver waits for the sender before it. What
  /// that one holds goes into the choice at once and into the counts later.
  template <int used_words>
  [[gnu::noinline]] void play_few() {
    using Counts = std::conditional_t<hold_words == 1, Narrow, Wide<Set, 5 + used_words>>;
    Counts counts;
    counts.start(counts_.data());
    const Word ready0 = active_[0], ready1 = used_words > 1 ? active_[1] : 0;
    FewSenders<used_words> senders{rows_.data()->word, ready0, ready1};
    Transfer* transfer = transfers_.data();
    Word* const holds = holds_.data()->word;
    Slot* emptied = emptied_.data();
    const Set none = Counts::where(false);
    Set taken = none, taken_twice = none;  // by the last message, not yet in the counts

    const auto take = [&](int word, Slot receiver, Set held, std::uint32_t segment, bool twice)
        __attribute__((always_inline)) {
      const Slot sender = senders.take(segment, word, bit(receiver));
      const Set kept = Counts::all_but(segment);
      Counts::store(holds + hold_words * receiver, held & kept);  // P', as in the row
      const Set theirs = Counts::load(holds + hold_words * sender);
      const Set rest = theirs & kept;
      Counts::store(holds + hold_words * sender, rest);
      taken = theirs;
      taken_twice = ~kept & Counts::where(twice);
      *emptied = sender;
      emptied += !Counts::any(rest);
      *transfer++ = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                     static_cast<std::uint16_t>(segment), 0};
    };
    const auto serve = [&](int word, Word ready) __attribute__((always_inline)) {
      for (; ready != 0; ready &= ready - 1) {
        const Slot receiver = static_cast<Slot>(64 * word + std::countr_zero(ready));
        const Set held = Counts::load(holds + hold_words * receiver);
        const bool has_sent = senders.has_sent(word, bit(receiver));
        const Set yes = Counts::where(has_sent), three = counts.three(), ones = ~taken_twice;
        const Set enough = counts.two | (counts.one & yes);  // besides itself
        const Set one_more = three | (counts.two & yes);     // than that
        const Set two_more = counts.four() | (three & yes);
        const Set can =
            held & enough & (one_more | ones) & ((one_more & (two_more | ones)) | ~taken);
        counts.take(taken, taken_twice);
        taken = taken_twice = none;
        if (Counts::any(can)) [[likely]]
          take(word, receiver, held, Counts::first(can), !has_sent);
      }
    };

    {  // the sink takes what others have, whether it has it or not
      const auto sink = static_cast<Slot>(std::countr_zero(ready0));
      const Set held = Counts::load(holds + hold_words * sink);
      const Set can = (counts.one & ~held) | (counts.two & held);
      if (Counts::any(can)) {
        const std::uint32_t segment = Counts::first(can);
        const bool had = Counts::any(held & ~Counts::all_but(segment));
        take(0, sink, held, segment, had);
        sink_copies_ = !had;
      }
    }
    serve(0, ready0 & (ready0 - 1));
    if (used_words > 1) serve(1, ready1);
    transfers_end_ = transfer;
    emptied_end_ = emptied;
  }

  /// The first segment that anybody but the sink holds.
  std::size_t first_held() {
    const Word* const sink = hold(receivers_[0]);
    for (std::size_t s = 0; s < segments_; ++s)
      if (counts_[s] > (sink[s / 64] >> (s % 64) & 1)) return s;
    return segments_;
  }

  /// A round in a window of 64 segments, from `base` on. Receivers stay in holds and counts while
  /// the round lasts, as the rows alone decide; counts only leave out what nobody has.
  template <int row_words>
  [[gnu::noinline]] void play_window() {
    std::size_t base = 0;
    Word* holds = holds_.data()->word;
    if constexpr (hold_words > 1) {
      base = std::min(first_held(), 64 * (hold_words - 1)) / 8 * 8;
      for (std::size_t i = 0; i < ready_; ++i)
        std::memcpy(&windows_[receivers_[i]],
                    reinterpret_cast<const char*>(hold(receivers_[i])) + base / 8, sizeof(Word));
      holds = windows_.data();
    }
    Narrow counts;
    counts.start(counts_.data() + base);
    Senders<row_words> senders = this->senders<row_words>();
    Transfer* transfer = transfers_.data();
    const Slot* const receivers = receivers_.data();
    std::size_t vain = 0;
    Slot* emptied = emptied_.data();

    const auto take = [&](Slot receiver, std::size_t segment) __attribute__((always_inline)) {
      const Slot sender = senders.take(receiver);
      *transfer++ = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                     static_cast<std::uint16_t>(segment), 0};
      return sender;
    };
    const auto take_inside = [&](Slot receiver, std::size_t place) __attribute__((always_inline)) {
      const Slot sender = take(receiver, base + place);
      const Word theirs = holds[sender], rest = theirs & ~bit(place);
      holds[sender] = rest;
      *emptied = sender;
      emptied += rest == 0;
      counts.leave(theirs);
      return sender;
    };
    const auto beyond = [&](Slot receiver) {
      for (std::size_t s = base + 64; s < segments_; ++s)
        if ((hold(receiver)[s / 64] >> (s % 64) & 1) && senders.look(s, receiver)) return s;
      return segments_;
    };
    const auto take_beyond = [&](Slot receiver, std::size_t segment) {
      const Slot sender = take(receiver, segment);
      hold(sender)[segment / 64] &= ~bit(segment);
      counts.leave(holds[sender]);
      *emptied++ = sender;
      return sender;
    };

    Slot sender1 = ~Slot{0}, sender2 = ~Slot{0};
    Word sent1 = 0, sent2 = 0;
    const Slot sink = receivers[0];  // takes what others have, whether it has it or not
    for (std::size_t s = base; s < segments_; ++s)
      if (senders.look(s, sink)) {
        sink_copies_ = (hold(sink)[s / 64] >> (s % 64) & 1) == 0;
        s < base + 64 ? take_inside(sink, s - base) : take_beyond(sink, s);
        break;
      }
    Word one1 = counts.one, one2 = one1, one3 = one1;
    Word held1 = holds[receivers[1]], held2 = holds[receivers[2]];
    for (std::size_t i = 1, n = ready_; i < n; ++i) {
      const Slot receiver = receivers[i];
      Word can = held1;
      held1 = held2;
      held2 = holds[receivers[i + ahead]];
      // Branches, so that the processor guesses and needs not wait for the senders.
      if (receiver == sender1) [[unlikely]] {
        asm volatile("");
        can &= ~sent1;
      }
      if (receiver == sender2) [[unlikely]] {
        asm volatile("");
        can &= ~sent2;
      }
      can &= one3;
      one3 = one2;
      one2 = one1;
      sender2 = sender1;
      sent2 = sent1;
      sender1 = ~Slot{0};
      for (; can != 0; can &= can - 1) {
        const std::size_t place = static_cast<std::size_t>(std::countr_zero(can));
        if (senders.look(base + place, receiver)) [[likely]] {
          sender1 = take_inside(receiver, place);
          sent1 = bit(place);
          break;
        }
        ++vain;
      }
      if (hold_words > 1 && can == 0) [[unlikely]]
        if (const std::size_t segment = beyond(receiver); segment < segments_) {
          ++vain;
          sender1 = take_beyond(receiver, segment);
          sent1 = 0;
        }
      one1 = counts.one;
    }
    transfers_end_ = transfer;
    emptied_end_ = emptied;
    vain_ = vain;
  }

  /// Lists the messages. What was received can be sent on from now on.
  template <bool plain>
  [[gnu::noinline]] void end_round() {
    Message* message = out_.messages.data() + used_;
    const std::size_t row_words = row_words_;
    Word* const rows = rows_.data()->word;
    Word* const holds = holds_.data()->word;
    std::uint16_t* const counts = counts_.data();
    const std::uint32_t* const process = process_.data();
    const Transfer* const begin = transfers_.data();
    const Transfer* const end = transfers_end_;
    for (const Transfer* one = begin; one != end; ++one) {
      const std::size_t segment = one->segment, receiver = one->receiver, sender = one->sender;
      *message++ = Message(process[sender], process[receiver], one->segment, false);
      rows[row_words * segment + receiver / 64] |= bit(receiver);
      if (!plain) holds[hold_words * receiver + segment / 64] |= bit(segment);
      if (plain && hold_words > 1) holds[hold_words * sender + segment / 64] &= ~bit(segment);
      --counts[segment];
    }
    if (sink_copies_) {
      const Transfer& one = *begin;
      out_.messages[used_] = Message(process[one.sender], process[one.receiver], one.segment, true);
      hold(one.receiver)[one.segment / 64] |= bit(one.segment);
      ++counts[one.segment];
    }
    used_ = static_cast<std::size_t>(message - out_.messages.data());
    for (const Slot* slot = emptied_.data(); slot != emptied_end_; ++slot)
      if (holds_nothing(*slot)) this->finish(*slot);
  }

  bool holds_nothing(Slot slot) {
    return std::all_of(hold(slot), hold(slot) + hold_words, [](Word word) { return word == 0; });
  }

  MessageList& out_;
  std::size_t segments_;
  std::array<Word, hold_words> all_{};
  std::vector<Line> rows_;                  // [segment][row_words_ words of slots]: who can send it
  std::size_t row_words_ = 0, chunks_ = 0;  // 4, or 8 for each chunk of 512 slots
  std::vector<Line> holds_;                 // by slot, hold_words each: the segments it holds
  std::vector<Word> windows_;               // by slot: 64 of these segments, where there are more
  std::vector<Line> fresh_;                 // by slot: just come, not yet in rows_
  bool any_fresh_ = false;
  std::vector<Line> unsent_;           // by slot, with more than one chunk
  std::vector<std::uint8_t> sent_;     // by slot: has been sender in this round
  std::vector<std::uint16_t> counts_;  // by segment: how many ready processes have one
  std::vector<Slot> receivers_;        // the slots of a round, and the first ones again
  std::vector<Transfer> transfers_;    // of this round
  Transfer* transfers_end_ = nullptr;
  bool sink_copies_ = false;   // what the sink gets, the first transfer
  std::vector<Slot> emptied_;  // who seemed to hold nothing more after sending in this round
  Slot* emptied_end_ = nullptr;
  std::size_t vain_ = 0;            // segments of the window looked at in vain in this round
  std::uint32_t patience_ = 0;      // rounds with exact counts after the last trial without
  std::uint32_t exact_rounds_ = 0;  // of them, those still to be played
  std::size_t used_ = 0;            // messages so far
};

}  // namespace

bool fast_avx512(const Instance& instance, MessageList& out) {
  if (instance.segments > 1024 || instance.ranks > 32000) return false;
  if (instance.segments <= 64)
    Engine<Word>(instance, out).run();
  else if (instance.segments <= 512)
    Engine<Bits>(instance, out).run();
  else
    Engine<Two<Bits>>(instance, out).run();
  return true;
}

}  // namespace pat::clairvoyant

#pragma GCC pop_options
#pragma GCC diagnostic pop

#else

namespace pat::clairvoyant {

bool fast_avx512(const Instance&, MessageList&) {
  return false;
}

}  // namespace pat::clairvoyant

#endif
