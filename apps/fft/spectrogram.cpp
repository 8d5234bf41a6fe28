#include "apps/fft/spectrogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "apps/fft/canvas.hpp"

namespace pat::fft {
namespace {

constexpr int plot_height = 512;
constexpr int least_width = 1024;
constexpr int most_width = 4096;
constexpr double highest_hz = 16000.0;
constexpr double range_db = 80.0;

constexpr int margin_left = 78;
constexpr int margin_right = 126;
constexpr int margin_top = 34;
constexpr int margin_bottom = 50;
constexpr int bar_width = 18;
constexpr int bar_gap = 20;
constexpr int tick = 6;

constexpr Colour paper = {255, 255, 255};
constexpr Colour ink = {40, 40, 40};

// Black over violet and orange to pale yellow: lightness rises evenly, also for colour-blind eyes.
constexpr std::array<Colour, 9> ramp = {{{0, 0, 4},
                                         {29, 12, 69},
                                         {81, 18, 124},
                                         {133, 33, 107},
                                         {186, 54, 85},
                                         {227, 89, 51},
                                         {249, 140, 10},
                                         {248, 201, 50},
                                         {252, 255, 164}}};

double to_mel(double hz) {
  return 2595.0 * std::log10(1.0 + hz / 700.0);
}
double to_hz(double mel) {
  return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0);
}

Colour colour_of(double share) {
  const double position = std::clamp(share, 0.0, 1.0) * (ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), ramp.size() - 2);
  const double part = position - static_cast<double>(below);
  Colour mixed;
  for (std::size_t c = 0; c < mixed.size(); ++c)
    mixed[c] = static_cast<std::uint8_t>(
        std::lround((1.0 - part) * ramp[below][c] + part * ramp[below + 1][c]));
  return mixed;
}

double to_db(double power) {
  return 10.0 * std::log10(std::max(power, 1e-30));
}

// The power around one frequency: between bins where these lie further apart than the rows of the
// picture, the strongest bin where several fall into one row.
float power_in(std::span<const Complex> spectrum, double low_bin, double high_bin) {
  const double middle = 0.5 * (low_bin + high_bin);
  const auto last = spectrum.size() - 1;
  const auto below = std::min(static_cast<std::size_t>(middle), last);
  const auto above = std::min(below + 1, last);
  const auto part = static_cast<float>(middle - static_cast<double>(below));
  float power = (1.0f - part) * std::norm(spectrum[below]) + part * std::norm(spectrum[above]);
  for (auto k = static_cast<std::size_t>(std::ceil(low_bin)); k <= last; ++k) {
    if (static_cast<double>(k) >= high_bin) break;
    power = std::max(power, std::norm(spectrum[k]));
  }
  return power;
}

// 1, 2 or 5 times a power of ten, such that the axis gets about `count` ticks.
double round_step(double span, int count) {
  const double wanted = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= wanted) return factor * power;
  return 10.0 * power;
}

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

void label_frequencies(Canvas& canvas, double top_hz) {
  for (const double khz : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0}) {
    if (khz * 1e3 > top_hz) break;
    const double height = plot_height * to_mel(khz * 1e3) / to_mel(top_hz);
    const int y = margin_top + plot_height - static_cast<int>(std::lround(height));
    canvas.fill(margin_left - tick, y - 1, tick, 2, ink);
    const std::string label = number(khz);
    canvas.text(margin_left - 2 * tick - Canvas::text_width(label), y - Canvas::text_height() / 2,
                label, ink);
  }
  canvas.text(margin_left - 2 * tick - Canvas::text_width("kHz"), 4, "kHz", ink);
}

void label_times(Canvas& canvas, int plot_width, double length_s) {
  const double step_s = round_step(length_s, 10);
  for (int i = 0; i * step_s <= length_s; ++i) {
    const int x = margin_left + static_cast<int>(std::lround(plot_width * i * step_s / length_s));
    canvas.fill(x - 1, margin_top + plot_height, 2, tick, ink);
    const std::string label = number(i * step_s);
    canvas.text(x - Canvas::text_width(label) / 2, margin_top + plot_height + 2 * tick, label, ink);
  }
  canvas.text(margin_left + plot_width + bar_gap, margin_top + plot_height + 2 * tick, "s", ink);
}

void draw_colour_bar(Canvas& canvas, int plot_width) {
  const int x = margin_left + plot_width + bar_gap;
  for (int row = 0; row < plot_height; ++row)
    canvas.fill(x, margin_top + row, bar_width, 1, colour_of(1.0 - (row + 0.5) / plot_height));
  for (int db = 0; db <= range_db; db += 20) {
    const int y = margin_top + static_cast<int>(std::lround(plot_height * db / range_db));
    canvas.fill(x + bar_width, y - 1, tick, 2, ink);
    const std::string label = db == 0 ? "0 dB" : number(-db);
    canvas.text(x + bar_width + 2 * tick, y - Canvas::text_height() / 2, label, ink);
  }
}

}  // namespace

Spectrogram::Spectrogram(std::size_t size, std::size_t hop, int rate_hz)
    : bins_(size / 2 + 1),
      hop_s_(static_cast<double>(hop) / rate_hz),
      bin_hz_(static_cast<double>(rate_hz) / static_cast<double>(size)),
      top_hz_(std::min(0.5 * rate_hz, highest_hz)) {}

void Spectrogram::add(std::span<const Complex> spectrum) {
  std::vector<float> column(plot_height);
  for (int row = 0; row < plot_height; ++row) {
    const double low_hz = to_hz(to_mel(top_hz_) * row / plot_height);
    const double high_hz = to_hz(to_mel(top_hz_) * (row + 1) / plot_height);
    column[static_cast<std::size_t>(row)] =
        power_in(spectrum.first(bins_), low_hz / bin_hz_, high_hz / bin_hz_);
  }
  columns_.push_back(std::move(column));
}

void Spectrogram::write(const std::string& path) const {
  const int blocks = static_cast<int>(columns_.size());
  const int enlarged = blocks * std::max(1, (least_width + blocks - 1) / std::max(blocks, 1));
  const int plot_width = std::min(enlarged, most_width);
  float loudest = 0.0f;
  for (const auto& column : columns_)
    loudest = std::max(loudest, *std::max_element(column.begin(), column.end()));

  Canvas canvas(margin_left + plot_width + margin_right, margin_top + plot_height + margin_bottom,
                paper);
  for (int x = 0; x < plot_width; ++x) {
    const auto block =
        static_cast<std::size_t>(x) * columns_.size() / static_cast<std::size_t>(plot_width);
    for (int row = 0; row < plot_height; ++row) {
      const double db = to_db(columns_[block][static_cast<std::size_t>(row)]) - to_db(loudest);
      canvas.dot(margin_left + x, margin_top + plot_height - 1 - row,
                 colour_of(1.0 + db / range_db));
    }
  }
  label_frequencies(canvas, top_hz_);
  label_times(canvas, plot_width, hop_s_ * blocks);
  draw_colour_bar(canvas, plot_width);
  canvas.write_png(path);
}

}  // namespace pat::fft
