// Radix-2 fast Fourier transform by decimation in frequency. A transform of N points is
// log2(N) stages of N / 2 butterflies; no stage needs more than its two inputs, and after s stages
// the data are 2^s independent transforms: that is what processes and threads share.
// Source: seed 001, Section 6.

#include "apps/fft/transform.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace pat::fft {
namespace {

// std::complex multiplication also repairs infinities (C99 Annex G), which costs a branch here.
inline Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The thread sanitizer cannot see what OpenMP's runtime library orders, since that is not built
// with it: this says where threads meet. Nothing in other builds.
#ifdef __SANITIZE_THREAD__
char meeting_point;
void before_meeting() {
  __tsan_release(&meeting_point);
}
void after_meeting() {
  __tsan_acquire(&meeting_point);
}
#else
void before_meeting() {}
void after_meeting() {}
#endif

// The butterflies [first, last) of one stage, counted through all blocks of `length` points.
void butterflies(Complex* data, std::size_t length, std::size_t first, std::size_t last,
                 const Complex* root) {
  const std::size_t half = length / 2;
  const int shift = log2_exact(half);
  for (std::size_t done = first; done < last;) {
    const std::size_t block = done >> shift;
    const std::size_t within = done & (half - 1);
    const std::size_t count = std::min(half - within, last - done);
    Complex* upper = data + block * length + within;
    Complex* lower = upper + half;
    for (std::size_t j = 0; j < count; ++j) {
      const Complex sum = upper[j] + lower[j];
      lower[j] = product(upper[j] - lower[j], root[within + j]);
      upper[j] = sum;
    }
    done += count;
  }
}

}  // namespace

Twiddles::Twiddles(std::size_t points) : table_(std::max<std::size_t>(points, 2)) {
  for (std::size_t half = 1; half < table_.size(); half *= 2) {
    const double step = -std::numbers::pi / static_cast<double>(half);
    for (std::size_t j = 0; j < half; ++j) {
      const double angle = step * static_cast<double>(j);
      table_[half + j] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
  }
}

// Not checked itself: it reads what OpenMP's runtime library hands to the threads. What they do to
// the data, in butterflies(), is.
[[gnu::no_sanitize("thread")]] void decimate(std::span<Complex> data, const Decimation& plan,
                                             double from, double to, const Twiddles& twiddles,
                                             int threads) {
  const std::size_t per_stage = data.size() / 2;
  const double all = static_cast<double>(per_stage) * plan.stages;
  const auto begin = static_cast<std::size_t>(from * all);
  const auto end = static_cast<std::size_t>(to * all);
  if (begin >= end) return;
  before_meeting();
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    after_meeting();
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const auto member = static_cast<std::size_t>(omp_get_thread_num());
    for (std::size_t stage = begin / per_stage; stage * per_stage < end; ++stage) {
      const std::size_t offset = stage * per_stage;
      const std::size_t first = std::max(begin, offset) - offset;
      const std::size_t last = std::min(end - offset, per_stage);
      const std::size_t length = plan.length >> stage;
      butterflies(data.data(), length, first + (last - first) * member / team,
                  first + (last - first) * (member + 1) / team, twiddles.of_length(length));
      before_meeting();
#pragma omp barrier
      after_meeting();
    }
  }
  after_meeting();
}

std::size_t reverse_bits(std::size_t index, int bits) {
  std::size_t reversed = 0;
  for (int bit = 0; bit < bits; ++bit) {
    reversed = (reversed << 1) | (index & 1);
    index >>= 1;
  }
  return reversed;
}

int log2_exact(std::size_t power_of_two) {
  return std::countr_zero(power_of_two);
}

void real_spectrum(std::span<const Complex> transformed, const Twiddles& twiddles,
                   std::span<Complex> spectrum) {
  const std::size_t m = transformed.size();
  const Complex* root = twiddles.of_length(2 * m);
  const Complex zero = transformed[0];
  spectrum[0] = zero.real() + zero.imag();
  spectrum[m] = zero.real() - zero.imag();
  for (std::size_t k = 1; k < m; ++k) {
    const Complex mirrored = std::conj(transformed[m - k]);
    const Complex even = 0.5f * (transformed[k] + mirrored);
    const Complex odd = product({0.0f, -0.5f}, transformed[k] - mirrored);
    spectrum[k] = even + product(root[k], odd);
  }
}

}  // namespace pat::fft
