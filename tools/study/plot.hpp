#pragma once

#include <string>

namespace pat::study {

/// Runs gnuplot on a script (without its `set terminal` and `set output`) and writes a .png or
/// .svg; the file appears only when gnuplot has succeeded. Throws Error(argument) for another
/// ending and Error(io) if gnuplot is not there or fails.
void plot(const std::string& script, const std::string& path, int width_px = 1000,
          int height_px = 700);

/// Throws Error(argument) for a path that ends in neither, Error(io) for one that cannot be
/// written: a check to make before long work.
void check_plot(const std::string& path);

/// Text as gnuplot shows it: quoted, underscores not taken for subscripts.
std::string quoted(const std::string& text);

}  // namespace pat::study
