#include "core/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pat {
namespace {

constexpr const char* part_ending = ".part";

/// Of a process that is no longer there. One of another machine may have that number, so what was
/// written in the last minute is not judged.
bool is_left_behind(const std::filesystem::path& part, std::string_view writer) {
  pid_t process = 0;
  const auto [end, wrong] = std::from_chars(writer.data(), writer.data() + writer.size(), process);
  if (wrong != std::errc{} || end != writer.data() + writer.size() || process <= 0) return false;
  if (kill(process, 0) == 0 || errno != ESRCH) return false;
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(part, failed);
  return !failed && decltype(written)::clock::now() - written > std::chrono::minutes(1);
}

/// What writers of this file that were killed have left.
void remove_left_parts(const std::filesystem::path& place) {
  const std::string prefix = place.filename().string() + part_ending;
  const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : ".";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) &&
        is_left_behind(entry.path(), std::string_view(name).substr(prefix.size())))
      unlink(entry.path().c_str());
  }
}

}  // namespace

std::string whole_file_place(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::io, "the file '" + path + "' " + why);
  };
  fs::path place = path;
  for (int links = 0; fs::is_symlink(place, ignored); ++links) {
    if (links == 40) refuse("is a link that leads nowhere, give another path");
    const fs::path target = fs::read_symlink(place, ignored);
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  if (place.filename().empty() ||
      (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored)))
    refuse("is no regular file, give another path");
  const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    refuse("cannot be written, give a path in a folder that can be");
  return place.string();
}

std::optional<std::string> read_whole_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::ifstream open_to_read(const std::string& path, const std::string& what, ErrorKind kind) {
  const auto refuse = [&](const std::string& why) {
    throw Error(kind, what + " '" + path + "' " + why);
  };
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) refuse("is a folder, give a file");
  if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status))
    refuse("is a device, give a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::string("cannot be read: ") + std::strerror(errno));
  return file;
}

void refuse_replacing(const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored))
    throw Error(ErrorKind::argument,
                "-o is '" + output + "', which is the file that is read, give another name");
}

WholeFile::WholeFile(const std::string& path)
    : path_(path),
      place_(whole_file_place(path)),
      part_(place_ + part_ending + std::to_string(getpid())) {
  remove_left_parts(place_);
}

WholeFile::~WholeFile() {
  unlink(part_.c_str());  // no longer there after commit()
}

void WholeFile::commit() {
  struct stat old;
  if (stat(place_.c_str(), &old) == 0) chmod(part_.c_str(), old.st_mode & 07777);
  if (std::rename(part_.c_str(), place_.c_str()) != 0)
    throw Error(ErrorKind::io,
                "the file '" + path_ + "' cannot be written, give a path in a folder that can be");
}

void write_whole_file(const std::string& path, const std::string& text) {
  WholeFile whole(path);
  std::ofstream file(whole.part(), std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw Error(ErrorKind::io,
                "the file '" + path + "' cannot be written: " + std::strerror(errno));
  whole.commit();
}

}  // namespace pat
