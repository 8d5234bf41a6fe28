#pragma once

// What the fuzzers share. Each is one file with LLVMFuzzerTestOneInput for one reader;
// scripts/fuzz.sh builds and runs them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pat::fuzz {

/// A finding unless it holds.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Lets a reader read. To refuse with a sentence is right; to throw anything else is a finding.
template <class Reader>
void read(const Reader& reader) {
  try {
    reader();
  } catch (const Error& error) {
    require(*error.what() != '\0');
  }
}

inline std::string text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Input for what does not read text, taken from the front. Zeros follow its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  /// A number from 0 to `most`.
  int upto(int most) { return number<std::uint8_t>() % (most + 1); }
  template <class Number>
  Number number() {
    Number value{};
    const std::string part = string(sizeof value);
    std::memcpy(&value, part.data(), part.size());
    return value;
  }
  /// The next `size` bytes, or those that are left.
  std::string string(std::size_t size) {
    const std::size_t here = std::min(size, left_);
    const std::string part = text(data_, here);
    data_ += here;
    left_ -= here;
    return part;
  }
  std::string rest() { return string(left_); }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

inline const std::byte* as_bytes(const std::string& message) {
  return reinterpret_cast<const std::byte*>(message.data());
}

}  // namespace pat::fuzz
