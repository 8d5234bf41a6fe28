#include "apps/fft/blocks.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "apps/fft/seeds.hpp"

namespace pat::fft {
namespace {

std::vector<float> hann_window(std::size_t size) {
  std::vector<float> window(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double turn = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size);
    window[i] = static_cast<float>(1.0 - std::cos(turn));  // twice the textbook's: mean 1
  }
  return window;
}

class RecordedBlocks : public Blocks {
 public:
  RecordedBlocks(Recording recording, std::size_t size, std::size_t hop)
      : samples_(std::move(recording.samples)), window_(hann_window(size)), hop_(hop) {}
  void fill(std::size_t index, std::span<float> block) const override {
    const float* first = samples_.data() + index * hop_;
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = first[i] * window_[i];
  }

 private:
  std::vector<float> samples_;
  std::vector<float> window_;
  std::size_t hop_;
};

class RandomBlocks : public Blocks {
 public:
  explicit RandomBlocks(std::uint64_t seed) : seed_(seed) {}
  void fill(std::size_t index, std::span<float> block) const override {
    std::mt19937_64 generator = generator_for(seed_, {0, index});
    for (float& x : block) x = static_cast<float>(generator() >> 40) * 0x1p-23f - 1.0f;
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::size_t blocks_within(std::size_t samples, std::size_t size, std::size_t hop) {
  return samples < size ? 0 : (samples - size) / hop + 1;
}

std::unique_ptr<Blocks> recorded_blocks(Recording recording, std::size_t size, std::size_t hop) {
  return std::make_unique<RecordedBlocks>(std::move(recording), size, hop);
}

std::unique_ptr<Blocks> random_blocks(std::uint64_t seed) {
  return std::make_unique<RandomBlocks>(seed);
}

}  // namespace pat::fft
