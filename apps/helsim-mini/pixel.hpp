#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace helsim {

/// A pixel of an opaque picture: what is nearest is seen. Things at the same depth are told apart
/// by identity, so that the result is the same in any order: the depth test commutes.
struct DepthPixel {
  static constexpr bool commutative = true;

  std::array<std::uint8_t, 4> rgba{};  ///< alpha is 255 or, where nothing is, 0
  float depth = std::numeric_limits<float>::infinity();
  std::uint64_t id = ~std::uint64_t{0};
};
static_assert(sizeof(DepthPixel) == 16);

/// The one of the two that is seen.
inline DepthPixel nearer(const DepthPixel& a, const DepthPixel& b) {
  if (a.depth != b.depth) return a.depth < b.depth ? a : b;
  return a.id <= b.id ? a : b;
}

/// A pixel of a translucent picture: colour multiplied by its opacity. What is in front is laid
/// over what is behind it, so the order matters: over associates but does not commute.
struct OverPixel {
  static constexpr bool commutative = false;

  float red = 0.0f, green = 0.0f, blue = 0.0f, alpha = 0.0f;
};
static_assert(sizeof(OverPixel) == 16);

/// T. Porter and T. Duff, Compositing digital images, SIGGRAPH 1984: A over B.
inline OverPixel over(const OverPixel& front, const OverPixel& back) {
  const float through = 1.0f - front.alpha;
  return {front.red + through * back.red, front.green + through * back.green,
          front.blue + through * back.blue, front.alpha + through * back.alpha};
}

/// A full-size picture, row by row from the top.
template <class Pixel>
struct Image {
  int width = 0;
  int height = 0;
  std::vector<Pixel> pixels;

  Image(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  Pixel& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  std::size_t bytes() const { return pixels.size() * sizeof(Pixel); }
};

}  // namespace helsim
