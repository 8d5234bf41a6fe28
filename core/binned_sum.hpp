#pragma once

#include <cstddef>
#include <span>

namespace pat {

/// Sums of floating-point numbers whose bits do not depend on the order of the summands, nor on how
/// they are grouped: each element has an accumulator of a few integers, the bins, and adding
/// accumulators is exact.
///
/// The exponents of T are cut into bins of `width` bits on a grid that never moves. A summand is
/// cut along that grid into digits, one a bin, with its sign; an accumulator keeps the sums of the
/// digits in the `bins` highest bins that any of its summands reaches, and which these are. Digits
/// below are dropped: summand by summand, as the grid is the same for all, so that it does not
/// matter when. The bins' sums have 12 bits more than a digit, so up to `most_summands` of them
/// need no carry. Where bins of floating-point numbers keep 40 bits of 64 (three bins of them for
/// the accuracy of these), integers side by side in one word keep more: a double takes 16 bytes, a
/// float 12.
///
/// Result: the sum rounded once, to nearest, ties to even, of summands of which what lies more than
/// (bins - 1) * width + 1 bits below the leading bit of the largest was cut off: an error of at
/// most n 2^-56 max|x| (double), n 2^-33 max|x| (float) before that rounding, n summands. A plain
/// sum's error bound is (n - 1) 2^-53 (2^-24) times the sum of all |x|. One summand alone is
/// returned as it is. Sums that leave the range only on their way do not overflow. As in plain
/// sums, infinities of both signs or a NaN give a NaN (always the same one), and only zeros of
/// negative sign give -0.
///
/// Sources: Demmel and Nguyen 2015, "Parallel Reproducible Summation" (IEEE TC 64:7), for summation
/// in bins of a fixed grid; Neal 2015 (arXiv 1505.05571) for integers in place of floating-point
/// bins.
template <class T>
class BinnedSum {
 public:
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr std::size_t bytes = is_double ? 16 : 12;  ///< of one accumulator
  static constexpr int bins = is_double ? 3 : 2;
  static constexpr int width = is_double ? 28 : 33;
  static constexpr int most_summands = 2048;

  /// An accumulator for each value, side by side from `sums` on (of any alignment).
  static void deposit(std::span<const T> values, std::byte* sums);
  /// Adds `count` accumulators to those at `to`.
  static void add(const std::byte* from, std::byte* to, std::size_t count);
  /// What the accumulators amount to.
  static void round(const std::byte* sums, std::span<T> values);
};

extern template class BinnedSum<double>;
extern template class BinnedSum<float>;

}  // namespace pat
