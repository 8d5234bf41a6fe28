#include "core/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

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
  if (std::getenv("OMPI_COMM_WORLD_RANK") == nullptr && std::getenv("PMI_RANK") == nullptr)
    return false;
  const std::string link = "/proc/" + std::to_string(getppid()) + "/fd/2";
  char target[256];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  if (length <= 0) return false;
  const std::string_view path(target, static_cast<std::size_t>(length));
  return path.starts_with("/dev/pts/") || path.starts_with("/dev/tty");
}

}  // namespace

std::string progress_line(const std::string& label, long done, long total, double elapsed_s) {
  constexpr long width = 30;
  total = std::max(1L, total);
  done = std::clamp(done, 0L, total);
  const long filled = width * done / total;
  std::string line = label + " [" + std::string(filled, '#') + std::string(width - filled, ' ') +
                     "] " + std::to_string(100 * done / total) + " %";
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

ProgressBar::ProgressBar(std::string label, long total, bool visible, std::FILE* out)
    : label_(std::move(label)), total_(total), visible_(visible), out_(out) {}

ProgressBar::~ProgressBar() {
  if (visible_) std::fprintf(out_, "\r\033[K"), std::fflush(out_);
}

void ProgressBar::update(long done) {
  if (!visible_) return;
  const auto now = Clock::now();
  if (done < total_ && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  std::fprintf(out_, "\r\033[K%s", progress_line(label_, done, total_, elapsed_s).c_str());
  std::fflush(out_);
}

}  // namespace pat
