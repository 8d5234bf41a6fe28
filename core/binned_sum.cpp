#include "core/binned_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pat {
namespace {

__extension__ using Word = unsigned __int128;
__extension__ using SignedWord = __int128;

/// An accumulator is a number of `payload` bits, the sum of bin k's sum times 2^(k field), and
/// above it the index. Bins' sums may be negative, so that adding payloads adds all of them. Index
/// i + 1: the highest bin is the grid's bin i. Index 0: nothing but zeros of negative sign.
template <class T>
struct Layout {
  using Sum = BinnedSum<T>;
  using Bits = std::conditional_t<Sum::is_double, std::uint64_t, std::uint32_t>;
  static constexpr int precision = std::numeric_limits<T>::digits;
  static constexpr int mantissa_bits = precision - 1;
  static constexpr Bits exponent_mask = Sum::is_double ? 0x7ff : 0xff;
  static constexpr int field = Sum::is_double ? 40 : 45;
  static constexpr int payload = Sum::bins * field;
  static constexpr unsigned special = (1u << (8 * Sum::bytes - payload)) - 1;  ///< an index
  static constexpr Word payload_mask = (Word{1} << payload) - 1;
  static constexpr int dropped = (Sum::bins - 1) * Sum::width;

  static_assert(1 << (field - 1 - Sum::width) >= Sum::most_summands);
  static_assert(dropped + 1 >= precision, "a summand fits the bins from its own highest one down");
  static_assert((std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::min_exponent +
                 precision) /
                        Sum::width +
                    2 <
                static_cast<int>(special));
};

/// What a payload says where the index is `special`.
enum Flag : unsigned { plus_infinity = 1, minus_infinity = 2, not_a_number = 4 };

/// In two halves: a word put together in memory would wait for what was just stored.
template <class T>
Word load(const std::byte* from) {
  std::uint64_t low = 0;
  std::conditional_t<BinnedSum<T>::is_double, std::uint64_t, std::uint32_t> high = 0;
  std::memcpy(&low, from, sizeof low);
  std::memcpy(&high, from + sizeof low, sizeof high);
  return Word{high} << 64 | low;
}

template <class T>
void store(Word word, std::byte* to) {
  const auto low = static_cast<std::uint64_t>(word);
  const auto high =
      static_cast<std::conditional_t<BinnedSum<T>::is_double, std::uint64_t, std::uint32_t>>(word >>
                                                                                             64);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + sizeof low, &high, sizeof high);
}

template <class T>
unsigned index_of(Word word) {
  return static_cast<unsigned>(word >> Layout<T>::payload);
}

template <class T>
Word pack(unsigned index, Word payload) {
  return Word{index} << Layout<T>::payload | (payload & Layout<T>::payload_mask);
}

/// The lowest `bits` bits as a number with a sign.
SignedWord with_sign(Word word, int bits) {
  return static_cast<SignedWord>(word << (128 - bits)) >> (128 - bits);
}

/// Any value at all.
template <class T>
Word deposited_slowly(T value) {
  using L = Layout<T>;
  constexpr int width = BinnedSum<T>::width;
  const auto bits = std::bit_cast<typename L::Bits>(value);
  const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
  const auto exponent = static_cast<int>(bits >> L::mantissa_bits & L::exponent_mask);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << L::mantissa_bits) - 1);
  if (exponent == static_cast<int>(L::exponent_mask))
    return pack<T>(L::special, mantissa != 0 ? not_a_number
                               : negative    ? minus_infinity
                                             : plus_infinity);
  if (exponent != 0) mantissa |= std::uint64_t{1} << L::mantissa_bits;
  if (mantissa == 0) return pack<T>(negative ? 0 : 1, 0);
  // The value is the mantissa times 2^lowest, in units of the smallest number there is.
  const int lowest = std::max(exponent, 1) - 1;
  const int bin = (lowest + static_cast<int>(std::bit_width(mantissa)) - 1) / width;
  const Word shifted = Word{mantissa} << (lowest - bin * width + L::dropped);
  Word payload = 0;
  for (int k = 0; k < BinnedSum<T>::bins; ++k)
    payload |= (shifted >> (k * width) & ((Word{1} << width) - 1)) << (k * L::field);
  return pack<T>(static_cast<unsigned>(bin) + 1, negative ? -payload : payload);
}

/// The same by shifts of 64 bits, for all but zeros, denormal and infinite numbers and NaNs.
template <class T>
Word deposited(T value) {
  using L = Layout<T>;
  constexpr int width = BinnedSum<T>::width;
  constexpr std::uint64_t digit_mask = (std::uint64_t{1} << width) - 1;
  constexpr int up = L::dropped + 1 - L::precision;  // from the mantissa's end to the lowest bin's
  const auto bits = std::bit_cast<typename L::Bits>(value);
  const auto exponent = static_cast<unsigned>(bits >> L::mantissa_bits & L::exponent_mask);
  if (exponent - 1 >= L::exponent_mask - 1) [[unlikely]]
    return deposited_slowly(value);
  const std::uint64_t mantissa =
      (bits & ((std::uint64_t{1} << L::mantissa_bits) - 1)) | std::uint64_t{1} << L::mantissa_bits;
  const unsigned top = exponent - 1 + L::mantissa_bits, bin = top / width, place = top % width;
  const std::uint64_t highest = mantissa >> (L::mantissa_bits - place) % 64;
  Word payload;
  if constexpr (BinnedSum<T>::is_double) {
    const std::uint64_t middle = mantissa << up >> (width - place) & digit_mask;
    const std::uint64_t lowest = mantissa << (place + up) & digit_mask;
    payload = Word{highest} << (2 * L::field) | Word{middle} << L::field | lowest;
  } else {
    const Word shifted = Word{mantissa} << (place + up);
    payload = Word{static_cast<std::uint64_t>(shifted >> width)} << L::field |
              (static_cast<std::uint64_t>(shifted) & digit_mask);
  }
  const Word sign = -Word{bits >> (8 * sizeof(T) - 1)};
  return pack<T>(bin + 1, (payload ^ sign) - sign);
}

/// Without the lowest `count` bins.
template <class T>
Word without_lowest(Word payload, unsigned count) {
  using L = Layout<T>;
  if (count >= static_cast<unsigned>(BinnedSum<T>::bins)) return 0;
  SignedWord rest = with_sign(payload, L::payload);
  for (unsigned k = 0; k < count; ++k)
    rest = (rest - with_sign(static_cast<Word>(rest), L::field)) >> L::field;
  return static_cast<Word>(rest);
}

template <class T>
Word added_unlike(Word a, Word b) {
  using L = Layout<T>;
  if (index_of<T>(a) < index_of<T>(b)) std::swap(a, b);
  const unsigned higher = index_of<T>(a), lower = index_of<T>(b);
  if (higher == L::special || lower == 0) return a;
  return pack<T>(higher, a + without_lowest<T>(b, higher - lower));
}

template <class T>
Word added(Word a, Word b) {
  const unsigned index = index_of<T>(a);
  if (index != index_of<T>(b)) [[unlikely]]
    return added_unlike<T>(a, b);
  if (index == Layout<T>::special) [[unlikely]]
    return a | b;
  return pack<T>(index, a + b);
}

template <class T>
T special_value(Word payload) {
  const auto flags = static_cast<unsigned>(payload & 7);
  if (flags == plus_infinity) return std::numeric_limits<T>::infinity();
  if (flags == minus_infinity) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::quiet_NaN();
}

/// `magnitude` times 2^lowest, in units of the smallest number there is, to nearest, ties to even.
double nearest(bool negative, Word magnitude, int lowest) {
  using L = Layout<double>;
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int length = high != 0
                         ? 64 + static_cast<int>(std::bit_width(high))
                         : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude)));
  // Below the precision, and below the smallest number.
  const int surplus = std::max({length - L::precision, -lowest, 0});
  if (surplus > 0) {
    const Word rest = magnitude & ((Word{1} << surplus) - 1), half = Word{1} << (surplus - 1);
    magnitude >>= surplus;
    lowest += surplus;
    if (rest > half || (rest == half && (magnitude & 1) != 0)) ++magnitude;
  }
  auto mantissa = static_cast<std::uint64_t>(magnitude);
  if (mantissa >> L::precision != 0) mantissa >>= 1, ++lowest;  // rounded up to a power of two
  const int spare = std::min(L::precision - static_cast<int>(std::bit_width(mantissa)), lowest);
  mantissa <<= spare;
  lowest -= spare;
  const bool normal = mantissa >> L::mantissa_bits != 0;
  const auto exponent = static_cast<std::uint64_t>(normal ? lowest + 1 : 0);
  const std::uint64_t sign = static_cast<std::uint64_t>(negative) << (8 * sizeof(double) - 1);
  if (exponent >= L::exponent_mask)
    return std::bit_cast<double>(
        static_cast<std::uint64_t>(sign | L::exponent_mask << L::mantissa_bits));
  const auto fraction =
      static_cast<std::uint64_t>(mantissa & ((std::uint64_t{1} << L::mantissa_bits) - 1));
  return std::bit_cast<double>(
      static_cast<std::uint64_t>(sign | exponent << L::mantissa_bits | fraction));
}

/// What an accumulator's bins amount to, in units of the lowest one's.
template <class T>
SignedWord amount(Word word) {
  using L = Layout<T>;
  SignedWord sum = 0;
  std::uint64_t borrowed = 0;  // by the bins below, where they amount to less than nothing
  for (int k = 0; k < BinnedSum<T>::bins; ++k) {
    const std::uint64_t raw = static_cast<std::uint64_t>(word >> (k * L::field)) + borrowed;
    const std::int64_t bin = static_cast<std::int64_t>(raw << (64 - L::field)) >> (64 - L::field);
    sum += static_cast<SignedWord>(bin) << (k * BinnedSum<T>::width);
    borrowed = bin < 0 || (bin == 0 && borrowed != 0) ? 1 : 0;
  }
  return sum;
}

/// A double that rounds to T as the exact number would: that number, or where it needs more bits
/// the neighbour whose last bit is set (rounding to odd).
double to_odd(SignedWord number) {
  constexpr int half = 48;
  const double high = static_cast<double>(static_cast<std::int64_t>(number >> half)) * 0x1p48;
  const auto low = static_cast<double>(static_cast<std::int64_t>(
      static_cast<std::uint64_t>(number) & ((std::uint64_t{1} << half) - 1)));
  const double sum = high + low, back = sum - high;
  const double error = (high - (sum - back)) + (low - back);
  auto bits = std::bit_cast<std::int64_t>(sum);
  if (error != 0.0 && (bits & 1) == 0) bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

template <class T>
T rounded(Word word) {
  using L = Layout<T>;
  const unsigned index = index_of<T>(word);
  if (index == L::special) [[unlikely]]
    return special_value<T>(word);
  if (index == 0) [[unlikely]]
    return -T{0};
  const SignedWord sum = amount<T>(word);
  const int lowest = (static_cast<int>(index) - 1) * BinnedSum<T>::width - L::dropped;
  const auto power = [](int exponent) {  // of two, for normal numbers
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  if constexpr (!BinnedSum<T>::is_double)
    return static_cast<float>(to_odd(sum) * power(lowest - 149));
  if (lowest < 52) [[unlikely]]  // it may be denormal
    return sum == 0 ? T{0}
                    : nearest(sum < 0, sum < 0 ? -static_cast<Word>(sum) : static_cast<Word>(sum),
                              lowest);
  // Both halves are exact, so their sum is rounded once.
  constexpr int half = 48;
  const double high = static_cast<double>(static_cast<std::int64_t>(sum >> half)) * 0x1p48;
  const auto low = static_cast<double>(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) &
                                                                 ((std::uint64_t{1} << half) - 1)));
  return static_cast<T>((high + low) * power(lowest - 1074));
}

}  // namespace

template <class T>
void BinnedSum<T>::deposit(std::span<const T> values, std::byte* sums) {
  for (std::size_t i = 0; i < values.size(); ++i) store<T>(deposited(values[i]), sums + i * bytes);
}

template <class T>
void BinnedSum<T>::add(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    store<T>(added<T>(load<T>(from + i * bytes), load<T>(to + i * bytes)), to + i * bytes);
}

template <class T>
void BinnedSum<T>::round(const std::byte* sums, std::span<T> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = rounded<T>(load<T>(sums + i * bytes));
}

template class BinnedSum<double>;
template class BinnedSum<float>;

}  // namespace pat
