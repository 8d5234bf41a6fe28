#include "apps/fft/progress.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace pat::fft {
namespace {

constexpr int bar_width = 40;

bool output_of_parent_is_terminal() {
  std::array<char, 64> target{};
  const std::string link = "/proc/" + std::to_string(getppid()) + "/fd/1";
  if (readlink(link.c_str(), target.data(), target.size() - 1) < 0) return false;
  const std::string_view file = target.data();
  return file.starts_with("/dev/pts/") || file.starts_with("/dev/tty") || file == "/dev/console";
}

}  // namespace

bool output_is_watched() {
  return isatty(STDOUT_FILENO) == 1 && output_of_parent_is_terminal();
}

ProgressBar::ProgressBar(std::size_t blocks, bool shown) : blocks_(blocks), shown_(shown) {}

ProgressBar::~ProgressBar() {
  if (!shown_) return;
  std::fputs("\r\033[K", stdout);
  std::fflush(stdout);
}

void ProgressBar::update(std::size_t done) {
  const auto now = Clock::now();
  if (!shown_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(blocks_);
  const double gone_s = std::chrono::duration<double>(now - started_).count();
  const double left_s = share > 0.0 ? gone_s / share - gone_s : 0.0;
  const std::string bar(static_cast<std::size_t>(share * bar_width), '#');
  std::printf("\r[%-*s] %zu of %zu blocks, %.0f s left \033[K", bar_width, bar.c_str(), done,
              blocks_, left_s);
  std::fflush(stdout);
}

}  // namespace pat::fft
