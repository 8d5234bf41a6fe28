#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace pat::fft {

using Complex = std::complex<float>;

/// The roots of unity of every stage of a transform. Constant after construction, so thread-safe.
class Twiddles {
 public:
  /// For transforms of up to `points` points, a power of two of at least 1.
  explicit Twiddles(std::size_t points);

  /// exp(-2 pi i j / length) for j in [0, length / 2); `length` is a power of two, at least 2.
  const Complex* of_length(std::size_t length) const { return table_.data() + length / 2; }

 private:
  std::vector<Complex> table_;  // the roots of one length follow those of half that length
};

/// A run of decimation-in-frequency stages (radix 2; Gentleman and Sande, 1966) over `data`, which
/// holds independent blocks of `length` points one after another. Each stage splits every block
/// into two independent blocks of half its length, so `stages` = log2(length) stages finish the
/// transforms and leave their results in bit-reversed order.
struct Decimation {
  std::size_t length;  ///< points of a block before the first stage, a power of two
  int stages;          ///< 0 to log2(length)
};

/// Does the share [from, to) of the butterflies of `plan`, 0 <= from <= to <= 1, in their order:
/// (0, 0.5) and then (0.5, 1) do the same as (0, 1). `data` is a whole number of blocks. Runs on
/// `threads` OpenMP threads, the caller among them.
void decimate(std::span<Complex> data, const Decimation& plan, double from, double to,
              const Twiddles& twiddles, int threads);

/// The number whose lowest `bits` bits are those of `index` in reverse.
std::size_t reverse_bits(std::size_t index, int bits);

/// log2 of a power of two.
int log2_exact(std::size_t power_of_two);

/// The spectrum of 2 M real samples out of the M-point transform of the complex numbers
/// (even sample, odd sample), in natural order: M + 1 bins, from 0 to half the sampling rate.
/// `twiddles` must reach 2 M points. `spectrum` has M + 1 elements.
void real_spectrum(std::span<const Complex> transformed, const Twiddles& twiddles,
                   std::span<Complex> spectrum);

}  // namespace pat::fft
