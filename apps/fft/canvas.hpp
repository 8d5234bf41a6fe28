#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pat::fft {

using Colour = std::array<std::uint8_t, 3>;

/// A picture to draw on: red, green, blue, row after row from the top left corner.
class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  int width() const { return width_; }
  int height() const { return height_; }
  /// Points outside are ignored.
  void dot(int x, int y, Colour colour);
  void fill(int x, int y, int width, int height, Colour colour);
  /// Letters of 5 by 7 points, enlarged; (x, y) is the top left corner. Knows the digits and the
  /// letters of the units that axes carry; anything else is a gap.
  void text(int x, int y, std::string_view text, Colour colour);
  static int text_width(std::string_view text);
  static int text_height();

  /// Writes the picture as PNG (libpng), as a WholeFile. Throws Error(io).
  void write_png(const std::string& path) const;

 private:
  int width_;
  int height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace pat::fft
