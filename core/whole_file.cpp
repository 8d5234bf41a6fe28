#include "core/whole_file.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/errors.hpp"

namespace pat {

std::string whole_file_place(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path place = path;
  for (int links = 0; links < 40 && fs::is_symlink(place, ignored); ++links) {
    const fs::path target = fs::read_symlink(place, ignored);
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  if (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored))
    throw Error(ErrorKind::io, "the file '" + path + "' is no regular file, give another path");
  return place.string();
}

void write_whole_file(const std::string& path, const std::string& text) {
  const std::string place = whole_file_place(path), part = place + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(part.c_str(), place.c_str()) == 0) return;
  std::remove(part.c_str());
  throw Error(ErrorKind::io,
              "the file '" + path + "' cannot be written, give a path in a folder that can be");
}

}  // namespace pat
