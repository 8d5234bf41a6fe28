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

WholeFile::WholeFile(const std::string& path)
    : path_(path), place_(whole_file_place(path)), part_(place_ + ".part") {}

WholeFile::~WholeFile() {
  std::remove(part_.c_str());  // no longer there after commit()
}

void WholeFile::commit() {
  if (std::rename(part_.c_str(), place_.c_str()) != 0)
    throw Error(ErrorKind::io,
                "the file '" + path_ + "' cannot be written, give a path in a folder that can be");
}

void write_whole_file(const std::string& path, const std::string& text) {
  WholeFile whole(path);
  std::ofstream file(whole.part(), std::ios::binary);
  file << text;
  file.close();
  if (!file) std::remove(whole.part().c_str());  // nothing to commit
  whole.commit();
}

}  // namespace pat
