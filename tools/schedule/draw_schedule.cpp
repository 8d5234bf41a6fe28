#include "tools/schedule/draw_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <sstream>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/gnuplot.hpp"

namespace pat::schedule {
namespace {

struct Pixels {
  int width, height;
};

Pixels parse_size(const std::string& text) {
  Pixels size{0, 0};
  const char *begin = text.data(), *end = begin + text.size();
  const auto width = std::from_chars(begin, end, size.width);
  const bool cross = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = cross ? std::from_chars(width.ptr + 1, end, size.height) : width;
  const auto fits = [](int pixels) { return pixels >= 200 && pixels <= 10000; };
  if (!cross || height.ec != std::errc() || height.ptr != end || !fits(size.width) ||
      !fits(size.height))
    throw Error(ErrorKind::argument,
                "--size is '" + text + "', give width x height from 200x200 to 10000x10000 pixels");
  return size;
}

std::string terminal_for(const std::string& path, const Pixels& size) {
  const std::string extent = std::to_string(size.width) + "," + std::to_string(size.height);
  if (path.ends_with(".svg")) return "svg size " + extent + " font 'sans,12' background '#ffffff'";
  if (path.ends_with(".png")) return "pngcairo size " + extent + " font 'sans,10'";
  throw Error(ErrorKind::argument, "the drawing '" + path + "' must end in .svg or .png");
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

/// One colour a segment: hues a golden ratio apart, so that neighbours differ.
std::string colour(int segment) {
  const double hue = segment < 0 ? 0.6 : 0.6180339887 * segment;
  char text[64];
  std::snprintf(text, sizeof text, "hsv2rgb(%.3f,0.85,0.75)", hue - static_cast<int>(hue));
  return text;
}

/// Finds a place for the number of each arrow: on the arrow, where no other number is.
class Labels {
 public:
  Labels(const Pixels& size, double end, int ranks)
      : per_time_(0.9 * size.width / end), per_rank_(0.85 * size.height / ranks) {}

  /// Share of the arrow's length; nothing if its number would lie on another one everywhere.
  std::optional<double> place(const Drawing::Arrow& arrow) {
    const double wide = 5.0 + 7.0 * static_cast<double>(std::to_string(arrow.segment).size());
    for (const double share : {0.3, 0.5, 0.2, 0.4, 0.6, 0.7, 0.8, 0.25, 0.35, 0.45, 0.55, 0.65}) {
      const Box box{per_time_ * (arrow.begin + share * (arrow.end - arrow.begin)),
                    per_rank_ * (arrow.sender + share * (arrow.receiver - arrow.sender)), wide};
      const auto hit = [&](const Box& other) {
        return std::abs(box.x - other.x) < (box.wide + other.wide) / 2 &&
               std::abs(box.y - other.y) < 14.0;
      };
      if (std::any_of(taken_.begin(), taken_.end(), hit)) continue;
      taken_.push_back(box);
      return share;
    }
    return std::nullopt;
  }

 private:
  struct Box {
    double x, y, wide;  // middle and width, pixels
  };
  double per_time_, per_rank_;
  std::vector<Box> taken_;
};

/// What the lines mean; nothing where it would not fit.
std::string legend(const Drawing& drawing, const Pixels& size) {
  if (size.width < 700) return "";
  const auto& arrows = drawing.arrows;
  const bool segments = std::any_of(arrows.begin(), arrows.end(),
                                    [](const auto& arrow) { return arrow.segment >= 0; });
  const bool copies =
      std::any_of(arrows.begin(), arrows.end(), [](const auto& arrow) { return arrow.copies; });
  std::string text = "dot: a process arrives; arrow: a message";
  if (segments) text += ", number and colour: its segment";
  if (copies) text += "; dashed: kept as it comes, not combined";
  if (!drawing.note.empty()) text += "\\n" + drawing.note;
  return "set title \"" + text + "\" font ',9' textcolor rgb '#555555'\n";
}

std::string script(const Drawing& drawing, const Pixels& size, const std::string& terminal,
                   const std::string& path) {
  std::ostringstream out;
  double end = 0.0;
  for (const double arrival : drawing.arrival) end = std::max(end, arrival);
  for (const auto& arrow : drawing.arrows) end = std::max(end, arrow.end);
  if (end <= 0.0) end = 1.0;
  out << "set terminal " << terminal << "\nset output " << quoted(path) << "\n"
      << "set xlabel " << quoted(drawing.axis) << "\nset ylabel 'rank'\nunset key\n"
      << legend(drawing, size) << "set xrange [0:" << end << "]\nset yrange ["
      << drawing.ranks - 0.5 << ":-0.5]\n"
      << "set ytics " << std::max(1, drawing.ranks / 16) << "\nset grid xtics lc rgb '#dddddd'\n";
  for (int rank = 0; rank < drawing.ranks; ++rank) {
    const double from = drawing.arrival[static_cast<std::size_t>(rank)];
    out << "set arrow from 0," << rank << " to " << from << "," << rank
        << " nohead lw 1 dt 3 lc rgb '#aaaaaa'\n"
        << "set arrow from " << from << "," << rank << " to " << end << "," << rank
        << " nohead lw 1 lc rgb '#444444'\n"
        << "set label '' at " << from << "," << rank << " point pt 7 ps 0.6 lc rgb '#444444'\n";
  }
  out << "set style textbox opaque noborder margins 0.2,0.2\n";
  Labels labels(size, end, drawing.ranks);
  for (const auto& arrow : drawing.arrows) {
    out << "set arrow from " << arrow.begin << "," << arrow.sender << " to " << arrow.end << ","
        << arrow.receiver << " head filled size screen 0.008,20 lw 1.5 "
        << (arrow.copies ? "dt 2 " : "") << "lc rgb " << colour(arrow.segment) << "\n";
    if (arrow.segment < 0) continue;
    if (const auto share = labels.place(arrow))
      out << "set label '" << arrow.segment << "' at "
          << arrow.begin + *share * (arrow.end - arrow.begin) << ","
          << arrow.sender + *share * (arrow.receiver - arrow.sender)
          << " center front boxed textcolor rgb " << colour(arrow.segment) << "\n";
  }
  out << "plot NaN\n";
  return out.str();
}

}  // namespace

void draw_schedule(const Drawing& drawing, const std::string& path, const std::string& size) {
  if (path.find_first_of("\n\r") != std::string::npos)
    throw Error(ErrorKind::argument, "the name of a drawing must not have line breaks");
  const Pixels pixels = parse_size(size);
  const std::string terminal = terminal_for(path, pixels);
  WholeFile whole(path);
  run_gnuplot(script(drawing, pixels, terminal, whole.part()), whole, path);
}

}  // namespace pat::schedule
