#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "core/errors.hpp"

namespace pat {

/// A file that appears whole or not at all: whoever writes it writes part(), then commit() gives it
/// its name. Without commit() nothing is left behind, and what a writer that was killed has left
/// goes when the file is written next. A link stays one, the file that it names is written. Not
/// thread-safe.
class WholeFile {
 public:
  /// Throws Error(io) that names the path for what is no regular file (a device or a pipe must not
  /// be replaced by one), and for a folder that cannot be written.
  explicit WholeFile(const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  const std::string& part() const { return part_; }
  /// Throws Error(io) that names the path. Once.
  void commit();

 private:
  std::string path_, place_, part_;
};

/// Puts `text` at `path` as a WholeFile. Throws Error(io) that names the path.
void write_whole_file(const std::string& path, const std::string& text);

/// What a regular file holds (a device or a pipe may never end); nothing if it cannot be read.
std::optional<std::string> read_whole_file(const std::string& path);

/// A regular file or a pipe, opened. Throws an error of this kind that begins with `what` and the
/// path for what cannot be, for a folder, and for a device, which may never end.
std::ifstream open_to_read(const std::string& path, const std::string& what = "the file",
                           ErrorKind kind = ErrorKind::io);

/// Throws Error(argument) where `output` is the file `input`, which would be lost.
void refuse_replacing(const std::string& input, const std::string& output);

/// Where a WholeFile of this path is put: `path`, links followed. Throws as its constructor; so it
/// is a check to make before long work as well.
std::string whole_file_place(const std::string& path);

}  // namespace pat
