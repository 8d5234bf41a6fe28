#pragma once

#include <memory>
#include <span>

#include "apps/fft/transform.hpp"

namespace pat::fft {

/// FFTW's transform of blocks of real samples, to compare with. Not thread-safe.
class Reference {
 public:
  explicit Reference(std::size_t size);
  ~Reference();

  /// The largest difference between `spectrum` (size / 2 + 1 bins) and FFTW's of `block`, over the
  /// largest magnitude of the latter; the largest difference itself where FFTW's is all zero,
  /// infinity for NaN.
  double relative_error(std::span<const float> block, std::span<const Complex> spectrum);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace pat::fft
