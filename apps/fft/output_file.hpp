#pragma once

#include <cstdio>
#include <string>

namespace pat::fft {

/// A file that appears under its name when it is complete and not before: written beside it, then
/// renamed. Without commit() nothing is left behind.
class OutputFile {
 public:
  /// Throws Error(argument) with a sentence if no file can be made there.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  std::FILE* stream() { return stream_; }
  /// Throws Error(io) if not everything could be written. Once.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* stream_;
};

}  // namespace pat::fft
