#include "core/whole_file.hpp"

#include <cstdio>
#include <fstream>

#include "core/errors.hpp"

namespace pat {

void write_whole_file(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(part.c_str(), path.c_str()) == 0) return;
  std::remove(part.c_str());
  throw Error(ErrorKind::io,
              "the file '" + path + "' cannot be written, give a path in a folder that can be");
}

}  // namespace pat
