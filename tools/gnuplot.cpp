#include "tools/gnuplot.hpp"

#include <cstdio>

#include "core/errors.hpp"

namespace pat {

std::string harmless(std::string text) {
  for (char& c : text)
    if (c == '\'' || c == '"' || c == '\\' || c == '`' || static_cast<unsigned char>(c) < 32)
      c = ' ';
  return text;
}

void run_gnuplot(const std::string& text) {
  std::FILE* gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr)
    throw Error(ErrorKind::io, "gnuplot cannot be started; install gnuplot-nox.");
  std::fwrite(text.data(), 1, text.size(), gnuplot);
  if (pclose(gnuplot) != 0)
    throw Error(ErrorKind::io,
                "gnuplot failed; is it installed, and may the figure be written there?");
}

}  // namespace pat
