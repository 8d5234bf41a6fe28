#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace pat::fft {

/// A generator of its own for each combination of `seed` and `key`, the same on every machine.
inline std::mt19937_64 generator_for(std::uint64_t seed, std::initializer_list<std::uint64_t> key) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(seed),
                                   static_cast<std::uint32_t>(seed >> 32)};
  for (const std::uint64_t part : key) {
    words.push_back(static_cast<std::uint32_t>(part));
    words.push_back(static_cast<std::uint32_t>(part >> 32));
  }
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

/// Uniform in [0, 1), the same on every machine (std::uniform_real_distribution is not).
inline double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

}  // namespace pat::fft
