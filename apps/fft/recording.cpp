#include "apps/fft/recording.hpp"

#include <sndfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

#include "core/errors.hpp"

namespace pat::fft {
namespace {

struct CloseFile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::argument, "the recording '" + path + "' " + reason);
}

// Bytes of the file; refuses what is not a file with something in it.
std::uint64_t size_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    refuse(path, std::string("cannot be opened (") + std::strerror(errno) +
                     "), give a sound file that exists");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a file, give a sound file");
  if (status.st_size == 0) refuse(path, "is an empty file, give one that holds sound");
  return static_cast<std::uint64_t>(status.st_size);
}

// libsndfile plays what is there of a WAV file that was cut off; its first chunk says how long it
// should be. Writers that could not know the length leave 0 or the largest number.
void refuse_truncated_wav(const std::string& path, std::uint64_t bytes) {
  std::array<unsigned char, 8> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  if (!file || std::memcmp(head.data(), "RIFF", 4) != 0) return;
  const std::uint32_t said = static_cast<std::uint32_t>(head[4]) | head[5] << 8 | head[6] << 16 |
                             static_cast<std::uint32_t>(head[7]) << 24;
  const bool unknown = said == 0 || said == 0xffffffffu;
  if (!unknown && bytes < std::uint64_t{said} + 8)
    refuse(path, "is cut off (" + std::to_string(bytes) + " of " +
                     std::to_string(std::uint64_t{said} + 8) + " bytes), copy it again");
}

/// Of all channels together, so that a head with many channels does not ask for much memory.
constexpr std::size_t values_at_once = 1 << 16;
/// No format packs as many: of FLAC's silence a byte holds 5,461. Where the head of a short file
/// says more, libsndfile may make it up (GSM in W64).
constexpr std::uint64_t most_frames_a_byte = 8192;

std::vector<float> read_all(SNDFILE* file, int channels, const std::string& path,
                            std::uint64_t bytes) {
  const auto width = static_cast<std::size_t>(channels);
  const auto at_once = static_cast<sf_count_t>(std::max<std::size_t>(1, values_at_once / width));
  std::vector<float> buffer(static_cast<std::size_t>(at_once) * width);
  std::vector<float> mono;
  while (const sf_count_t frames = sf_readf_float(file, buffer.data(), at_once)) {
    for (std::size_t frame = 0; frame < static_cast<std::size_t>(frames); ++frame) {
      float sum = 0.0f;
      for (std::size_t c = 0; c < width; ++c) sum += buffer[frame * width + c];
      mono.push_back(sum / static_cast<float>(channels));
    }
    if (mono.size() / most_frames_a_byte > bytes)
      refuse(path, "says that it holds more than fits into its " + std::to_string(bytes) +
                       " bytes, copy it again");
  }
  return mono;
}

}  // namespace

Recording read_recording(const std::string& path) {
  const std::uint64_t bytes = size_of(path);
  refuse_truncated_wav(path, bytes);
  SF_INFO info{};
  const std::unique_ptr<SNDFILE, CloseFile> file(sf_open(path.c_str(), SFM_READ, &info));
  if (!file)
    refuse(path, std::string("cannot be read as sound, give a WAV file (libsndfile: ") +
                     sf_strerror(nullptr) + ")");
  Recording recording{read_all(file.get(), info.channels, path, bytes), info.samplerate};
  if (recording.samples.empty()) refuse(path, "holds no samples, give one that holds sound");
  if (sf_error(file.get()) != SF_ERR_NO_ERROR)
    refuse(path,
           std::string("is damaged, copy it again (libsndfile: ") + sf_strerror(file.get()) + ")");
  if (!std::all_of(recording.samples.begin(), recording.samples.end(),
                   [](float x) { return std::isfinite(x); }))
    refuse(path, "holds samples that are not finite numbers, convert it again");
  return recording;
}

Recording read_recordings(const std::vector<std::string>& paths) {
  if (paths.empty()) throw Error(ErrorKind::argument, "no recording was given, name a sound file");
  Recording all = read_recording(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const Recording next = read_recording(paths[i]);
    if (next.rate_hz != all.rate_hz)
      refuse(paths[i], "has " + std::to_string(next.rate_hz) + " samples a second and the first " +
                           std::to_string(all.rate_hz) + ", convert one of them");
    all.samples.insert(all.samples.end(), next.samples.begin(), next.samples.end());
  }
  return all;
}

}  // namespace pat::fft
