#include "apps/helsim-mini/frame.hpp"

#include <png.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/errors.hpp"
#include "core/whole_file.hpp"

namespace helsim {
namespace {

constexpr std::uint8_t background[3] = {8, 10, 20};

Frame empty_frame(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) *
                                    static_cast<std::size_t>(height) * 3)};
}

std::uint8_t level(float value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f) + 0.5f);
}

}  // namespace

Frame finish(const Image<DepthPixel>& image) {
  Frame frame = empty_frame(image.width, image.height);
  for (std::size_t n = 0; n < image.pixels.size(); ++n) {
    const DepthPixel& pixel = image.pixels[n];
    std::memcpy(&frame.rgb[3 * n], pixel.rgba[3] ? pixel.rgba.data() : background, 3);
  }
  return frame;
}

Frame finish(const Image<OverPixel>& image) {
  Frame frame = empty_frame(image.width, image.height);
  for (std::size_t n = 0; n < image.pixels.size(); ++n) {
    const OverPixel& pixel = image.pixels[n];
    const float colour[3] = {pixel.red, pixel.green, pixel.blue};
    for (int c = 0; c < 3; ++c)
      frame.rgb[3 * n + static_cast<std::size_t>(c)] =
          level(255.0f * colour[c] + (1.0f - pixel.alpha) * background[c]);
  }
  return frame;
}

void write_png(const Frame& frame, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(frame.width);
  image.height = static_cast<png_uint_32>(frame.height);
  image.format = PNG_FORMAT_RGB;
  pat::WholeFile whole(path);
  if (!png_image_write_to_file(&image, whole.part().c_str(), 0, frame.rgb.data(), 0, nullptr))
    throw pat::Error(pat::ErrorKind::io, "cannot write " + path + ": " + image.message);
  whole.commit();
}

Frame read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw pat::Error(pat::ErrorKind::io, "cannot read " + path + ": " + image.message);
  image.format = PNG_FORMAT_RGB;
  Frame frame = empty_frame(static_cast<int>(image.width), static_cast<int>(image.height));
  if (!png_image_finish_read(&image, nullptr, frame.rgb.data(), 0, nullptr))
    throw pat::Error(pat::ErrorKind::io, "cannot read " + path + ": " + image.message);
  return frame;
}

}  // namespace helsim
