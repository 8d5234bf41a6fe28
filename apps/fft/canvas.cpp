#include "apps/fft/canvas.hpp"

#include <png.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "core/whole_file.hpp"

namespace pat::fft {
namespace {

constexpr int enlargement = 2;
constexpr int glyph_width = 5;
constexpr int glyph_height = 7;

using Glyph = std::array<std::string_view, glyph_height>;

constexpr std::pair<char, Glyph> glyphs[] = {
    {'0', {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "}},
    {'1', {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'2', {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"}},
    {'3', {" ### ", "#   #", "    #", "  ## ", "    #", "#   #", " ### "}},
    {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
    {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
    {'6', {" ### ", "#    ", "#    ", "#### ", "#   #", "#   #", " ### "}},
    {'7', {"#####", "    #", "   # ", "  #  ", "  #  ", "  #  ", "  #  "}},
    {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
    {'9', {" ### ", "#   #", "#   #", " ####", "    #", "    #", " ### "}},
    {'.', {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "}},
    {'-', {"     ", "     ", "     ", " ### ", "     ", "     ", "     "}},
    {'k', {"#    ", "#    ", "#  # ", "# #  ", "##   ", "# #  ", "#  # "}},
    {'H', {"#   #", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"}},
    {'z', {"     ", "     ", "#####", "   # ", "  #  ", " #   ", "#####"}},
    {'s', {"     ", "     ", " ####", "#    ", " ### ", "    #", "#### "}},
    {'d', {"    #", "    #", " ####", "#   #", "#   #", "#   #", " ####"}},
    {'B', {"#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### "}},
};

const Glyph* find_glyph(char letter) {
  for (const auto& [known, glyph] : glyphs)
    if (known == letter) return &glyph;
  return nullptr;
}

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width),
      height_(height),
      pixels_(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
  fill(0, 0, width, height, background);
}

void Canvas::dot(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const std::size_t pixel =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  std::copy(colour.begin(), colour.end(), pixels_.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
}

void Canvas::fill(int x, int y, int width, int height, Colour colour) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) dot(x + column, y + row, colour);
}

void Canvas::text(int x, int y, std::string_view text, Colour colour) {
  for (const char letter : text) {
    if (const Glyph* glyph = find_glyph(letter)) {
      for (int row = 0; row < glyph_height; ++row)
        for (int column = 0; column < glyph_width; ++column)
          if ((*glyph)[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] == '#')
            fill(x + enlargement * column, y + enlargement * row, enlargement, enlargement, colour);
    }
    x += enlargement * (glyph_width + 1);
  }
}

int Canvas::text_width(std::string_view text) {
  return enlargement * ((glyph_width + 1) * static_cast<int>(text.size()) - 1);
}

int Canvas::text_height() {
  return enlargement * glyph_height;
}

void Canvas::write_png(const std::string& path) const {
  WholeFile whole(path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, whole.part().c_str(), 0, pixels_.data(), 0, nullptr) == 0)
    throw Error(ErrorKind::io, "'" + path + "' could not be written (" + image.message + ")");
  whole.commit();
}

}  // namespace pat::fft
