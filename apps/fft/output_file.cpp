#include "apps/fft/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/errors.hpp"
#include "core/whole_file.hpp"

namespace pat::fft {
namespace {

bool is_directory(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.empty() || is_directory(path))
    throw Error(ErrorKind::argument, "'" + path + "' is not the name of a file, give one");
  path_ = whole_file_place(path);
  temporary_ = path_ + ".part" + std::to_string(getpid());
  stream_ = std::fopen(temporary_.c_str(), "wb");
  if (stream_ == nullptr)
    throw Error(ErrorKind::argument, "'" + path + "' cannot be written (" + std::strerror(errno) +
                                         "), name a file in a folder that can");
}

OutputFile::~OutputFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  unlink(temporary_.c_str());
}

void OutputFile::commit() {
  const bool failed = std::ferror(stream_) != 0;
  const bool closed = std::fclose(stream_) == 0;
  stream_ = nullptr;
  if (!failed && closed && std::rename(temporary_.c_str(), path_.c_str()) == 0) return;
  const std::string reason = std::strerror(errno);
  unlink(temporary_.c_str());
  throw Error(ErrorKind::io, "'" + path_ + "' could not be written (" + reason + ")");
}

}  // namespace pat::fft
