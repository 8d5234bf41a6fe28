#pragma once

#include <string>
#include <vector>

namespace pat::fft {

/// Samples of one channel, in [-1, 1] for recordings of whole numbers.
struct Recording {
  std::vector<float> samples;
  int rate_hz = 0;
};

/// Reads a sound file (WAV, and whatever else libsndfile knows), its channels averaged into one.
/// Throws Error(argument) with a sentence that names the file if it is missing, is no sound file,
/// is empty, ends before its own header says, says that it holds more than a file of its size can,
/// or holds values that are not finite.
Recording read_recording(const std::string& path);

/// The recordings one after another. Throws as read_recording, and if their rates differ or there
/// is no path.
Recording read_recordings(const std::vector<std::string>& paths);

}  // namespace pat::fft
