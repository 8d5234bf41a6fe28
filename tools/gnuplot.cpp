#include "tools/gnuplot.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "core/errors.hpp"

namespace pat {

void run_gnuplot(const std::string& script, WholeFile& file, const std::string& path) {
  std::FILE* gnuplot = popen("gnuplot >/dev/null 2>&1", "w");
  if (gnuplot == nullptr) throw Error(ErrorKind::io, "gnuplot cannot be started");
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // where there is no gnuplot nobody reads
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = pclose(gnuplot);
  std::signal(SIGPIPE, before);
  std::error_code failed;
  if (status != 0 || std::filesystem::file_size(file.part(), failed) == 0 || failed)
    throw Error(ErrorKind::io, "gnuplot could not draw '" + path +
                                   "', see that it is installed and that the disk is not full");
  file.commit();
}

std::string harmless(std::string text) {
  for (char& c : text)
    if (c == '\'' || c == '"' || c == '\\' || c == '`' || static_cast<unsigned char>(c) < 32)
      c = ' ';
  return text;
}

std::string range_if_empty(char axis, double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (!std::isfinite(size) || high - low > 1e-9 * size) return "";
  const double margin = size > 0.0 ? 0.5 * size : 1.0;
  std::ostringstream text;
  text << "set " << axis << "range [" << low - margin << ":" << high + margin << "]\n";
  return text.str();
}

}  // namespace pat
