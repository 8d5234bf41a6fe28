#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/fft/recording.hpp"

namespace pat::fft {

/// Where the blocks to transform come from.
class Blocks {
 public:
  virtual ~Blocks() = default;
  /// Writes block number `index`; `block` has the size that the source was made for.
  virtual void fill(std::size_t index, std::span<float> block) const = 0;
};

/// How many blocks of `size` samples, each `hop` samples after the one before, fit into `samples`.
std::size_t blocks_within(std::size_t samples, std::size_t size, std::size_t hop);

/// Overlapping blocks of a recording under a Hann window (von Hann's raised cosine, scaled so that
/// a full-scale sine becomes a line of magnitude 1 in its bin after division by size / 2).
std::unique_ptr<Blocks> recorded_blocks(Recording recording, std::size_t size, std::size_t hop);

/// Uniformly random samples in [-1, 1); block `index` depends on `seed` and `index` alone.
std::unique_ptr<Blocks> random_blocks(std::uint64_t seed);

}  // namespace pat::fft
