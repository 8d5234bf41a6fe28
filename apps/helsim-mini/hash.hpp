#pragma once

#include <cstdint>

namespace helsim {

/// Scrambles all bits of a key (the finaliser of SplitMix64: G. L. Steele, D. Lea, C. H. Flood,
/// Fast splittable pseudorandom number generators, OOPSLA 2014).
inline std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace helsim
