#pragma once

#include <cstdio>
#include <string>

#include "core/whole_file.hpp"

namespace pat::fft {

/// A WholeFile with an open stream to what will become it: a place that cannot be written is
/// refused before the work.
class OutputFile {
 public:
  /// Throws Error(argument) with a sentence if no file can be made there, and as WholeFile does.
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
  WholeFile whole_;
  std::FILE* stream_;
};

}  // namespace pat::fft
