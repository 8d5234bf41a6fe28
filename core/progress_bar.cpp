#include "core/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/launcher.hpp"

namespace pat {
namespace {

std::string clock_text(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5);
  char text[32];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

bool launcher_has_terminal() {
  if (!is_launched()) return false;
  const std::string link = "/proc/" + std::to_string(getppid()) + "/fd/2";
  char target[256];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  if (length <= 0) return false;
  const std::string_view path(target, static_cast<std::size_t>(length));
  return path.starts_with("/dev/pts/") || path.starts_with("/dev/tty");
}

}  // namespace

std::string progress_line(const std::string& label, long done, long total, double elapsed_s,
                          ProgressStyle style) {
  constexpr long width = 30;
  total = std::max(1L, total);
  done = std::clamp(done, 0L, total);
  const long filled = width * done / total;
  std::string line = label;
  if (style == ProgressStyle::bar)
    line += " [" + std::string(filled, '#') + std::string(width - filled, ' ') + "]";
  else
    line += ":";
  line += " " + std::to_string(100 * done / total) + " %";
  if (done > 0) {
    const double to_go_s =
        elapsed_s * static_cast<double>(total - done) / static_cast<double>(done);
    line += ", " + clock_text(to_go_s) + " to go";
  }
  return line;
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1 || std::getenv("PAT_CLUSTER_TERMINAL") != nullptr ||
         launcher_has_terminal();
}

ProgressStyle progress_style(bool wanted) {
  if (!wanted) return ProgressStyle::none;
  return stderr_is_terminal() ? ProgressStyle::bar : ProgressStyle::lines;
}

ProgressBar::ProgressBar(std::string label, long total, ProgressStyle style, std::FILE* out,
                         double seconds_between_lines)
    : label_(std::move(label)),
      total_(total),
      style_(style),
      out_(out),
      pause_s_(style == ProgressStyle::bar ? 0.1 : seconds_between_lines) {}

ProgressBar::~ProgressBar() {
  if (style_ == ProgressStyle::bar) std::fprintf(out_, "\r\033[K"), std::fflush(out_);
}

void ProgressBar::update(long done) {
  if (style_ == ProgressStyle::none) return;
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const auto now = Clock::now();
  const bool at_end = style_ == ProgressStyle::bar && done >= total_;
  if (!at_end && seconds(now - drawn_) < pause_s_) return;
  drawn_ = now;
  const std::string line = progress_line(label_, done, total_, seconds(now - start_), style_);
  std::fprintf(out_, style_ == ProgressStyle::bar ? "\r\033[K%s" : "%s\n", line.c_str());
  std::fflush(out_);
}

}  // namespace pat
