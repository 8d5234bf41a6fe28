#include "apps/fft/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"

namespace pat::fft {
namespace {

const std::string& name_of_file(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored))
    throw Error(ErrorKind::argument, "'" + path + "' is not the name of a file, give one");
  return path;
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : path_(path), whole_(name_of_file(path)), stream_(std::fopen(whole_.part().c_str(), "wb")) {
  if (stream_ == nullptr)
    throw Error(ErrorKind::argument, "'" + path + "' cannot be written (" + std::strerror(errno) +
                                         "), name a file in a folder that can");
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void OutputFile::commit() {
  const bool failed = std::ferror(stream_) != 0;
  const bool closed = std::fclose(stream_) == 0;
  stream_ = nullptr;
  if (failed || !closed)
    throw Error(ErrorKind::io,
                "'" + path_ + "' could not be written (" + std::strerror(errno) + ")");
  whole_.commit();
}

}  // namespace pat::fft
