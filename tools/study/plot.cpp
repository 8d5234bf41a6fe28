#include "tools/study/plot.hpp"

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/gnuplot.hpp"

namespace pat::study {
namespace {

/// gnuplot has eight, and there are more models.
const std::string more_colours =
    "set linetype 9 lc rgb '#7f3b08'\nset linetype 10 lc rgb '#35978f'\n"
    "set linetype 11 lc rgb '#762a83'\nset linetype 12 lc rgb '#878787'\n"
    "set linetype 13 lc rgb '#a6d96a'\nset linetype 14 lc rgb '#f46d43'\n"
    "set linetype 15 lc rgb '#000000'\nset linetype 16 lc rgb '#fb9a99'\nset linetype cycle 16\n";

/// Throws Error(argument) for another ending.
std::string terminal_for(const std::string& path) {
  if (path.ends_with(".png")) return "pngcairo";
  if (path.ends_with(".svg")) return "svg";
  throw Error(ErrorKind::argument, "the plot '" + path + "' must end in .png or .svg");
}

}  // namespace

void check_plot(const std::string& path) {
  terminal_for(path);
  whole_file_place(path);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '_' || c == '^' || c == '@' || c == '{' || c == '}') result += "\\\\";
    result += c == '\n' ? ' ' : c;
  }
  return result += '"';
}

void plot(const std::string& script, const std::string& path, int width_px, int height_px) {
  const std::string terminal = terminal_for(path);
  WholeFile file(path);
  const std::string whole = "set terminal " + terminal + " size " + std::to_string(width_px) + "," +
                            std::to_string(height_px) + " background rgb 'white' font 'sans,11'\n" +
                            "set output " + quoted(file.part()) + "\nset grid lc rgb '#d0d0d0'\n" +
                            more_colours + script + "\nset output\n";
  run_gnuplot(whole, file, path);
}

}  // namespace pat::study
