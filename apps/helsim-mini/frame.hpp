#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/helsim-mini/pixel.hpp"

namespace helsim {

/// A finished picture: red, green, blue, one byte each, row by row from the top.
struct Frame {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// Lays a composited picture over the dark background.
Frame finish(const Image<DepthPixel>& image);
Frame finish(const Image<OverPixel>& image);

/// Writes the frame as PNG; the file appears under `path` only when it is complete. Throws
/// pat::Error(io).
void write_png(const Frame& frame, const std::string& path);
/// Reads a PNG. Throws pat::Error(io).
Frame read_png(const std::string& path);

}  // namespace helsim
