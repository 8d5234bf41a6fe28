// Sound files as pat-fft takes them: what it looks at itself, and what libsndfile makes of them.

#include "apps/fft/recording.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

/// The fuzzer sees which code of ours runs, but nothing of libsndfile's: inputs that end in another
/// way are kept by these counters, which it looks at, too.
[[gnu::section("__libfuzzer_extra_counters")]] std::uint8_t endings[1024];

void note_ending(std::string words) {
  std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });  // the same with other numbers
  endings[std::hash<std::string>()(words) % sizeof endings] = 1;
}

/// A file in memory that holds the input.
std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("recording", 0);
  fuzz::require(ftruncate(file, 0) == 0);
  fuzz::require(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(file);
}

void use_recording(const std::string& path, const std::string& kind) try {
  const fft::Recording recording = fft::read_recording(path);
  fuzz::require(!recording.samples.empty() && recording.rate_hz > 0);
  fuzz::require(std::ranges::all_of(recording.samples, [](float x) { return std::isfinite(x); }));
  note_ending(kind);
} catch (const Error& error) {
  note_ending(error.what());
  throw;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t of_its_kind = 4;  // bytes
  const std::string kind = fuzz::text(data, std::min(size, of_its_kind));
  fuzz::read([&] { use_recording(file_of(data, size), kind); });
  return 0;
}
