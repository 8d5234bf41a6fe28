#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/fft/transform.hpp"

namespace pat::fft {

/// Collects spectra column by column and draws them: time to the right, frequency upwards on the
/// mel scale (Stevens and Volkmann, 1940, in O'Shaughnessy's formula), level in dB as colour.
class Spectrogram {
 public:
  /// For blocks of `size` samples (`hop` from one to the next) at `rate_hz`.
  Spectrogram(std::size_t size, std::size_t hop, int rate_hz);

  /// The next block's spectrum, size / 2 + 1 bins.
  void add(std::span<const Complex> spectrum);
  /// Writes the picture as PNG, whole or not at all. Throws Error(io) if that fails.
  void write(const std::string& path) const;

 private:
  std::size_t bins_;
  double hop_s_;
  double bin_hz_;
  double top_hz_;
  std::vector<std::vector<float>> columns_;  // each from low to high frequency, power
};

}  // namespace pat::fft
