#include "tools/top/screen.hpp"

#define NCURSES_NOMACROS  // which would be named as functions of the standard library are
#include <ncurses.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "core/errors.hpp"

namespace pat {
namespace {

using Clock = std::chrono::steady_clock;

/// The terminal is as it was when this is gone.
class Screen {
 public:
  Screen() {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
      throw Error(ErrorKind::io, "pat top needs a terminal, or --once for a table");
    screen_ = newterm(nullptr, stdout, stdin);
    if (screen_ == nullptr)
      throw Error(
          ErrorKind::io,
          "this terminal is unknown, set TERM to one that is, such as xterm, or use --once");
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
  }
  ~Screen() {
    endwin();
    delscreen(screen_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  static void draw(const std::vector<std::string>& lines, const std::string& foot) {
    werase(stdscr);
    const int height = getmaxy(stdscr), width = getmaxx(stdscr);
    for (int i = 0; i < std::min(height - 1, static_cast<int>(lines.size())); ++i) {
      if (i == 3) wattron(stdscr, A_REVERSE);
      mvwaddnstr(stdscr, i, 0, lines[static_cast<std::size_t>(i)].c_str(), width);
      wattroff(stdscr, A_REVERSE);
    }
    wattron(stdscr, A_BOLD);
    mvwaddnstr(stdscr, height - 1, 0, foot.c_str(), width - 1);
    wattroff(stdscr, A_BOLD);
    wrefresh(stdscr);
  }

  /// Waits so long for a key at most.
  static int key(std::chrono::milliseconds wait) {
    wtimeout(stdscr, static_cast<int>(std::max<std::int64_t>(0, wait.count())));
    return wgetch(stdscr);
  }

 private:
  SCREEN* screen_ = nullptr;
};

}  // namespace

std::string watch_job(const std::string& job, double interval_s, TopOrder order) {
  std::optional<JobView> view = look_at(job);
  const std::string name = view ? view->job : job;
  const Screen screen;
  const auto interval = std::chrono::milliseconds(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(1e3 * interval_s)));
  bool paused = false, helps = false;
  auto next = Clock::now() + interval;
  while (true) {
    const auto width = static_cast<std::size_t>(std::max(1, getmaxx(stdscr)));
    if (view) sort_ranks(*view, order);
    const std::string foot = std::string("q quit  s sort: ") + top_orders[static_cast<int>(order)] +
                             (paused ? "  p paused" : "  p pause") + "  h help";
    Screen::draw(helps  ? top_help
                 : view ? lines_of(*view, width)
                        : std::vector<std::string>{"no process of " + name + " answers"},
                 foot);
    switch (
        Screen::key(std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()))) {
      case 'q':
        return name + " goes on";
      case 's':
        order = static_cast<TopOrder>((static_cast<int>(order) + 1) % 3);
        break;
      case 'p':
        paused = !paused;
        break;
      case 'h':
        helps = !helps;
        break;
      default:
        break;
    }
    if (Clock::now() < next) continue;
    next = Clock::now() + interval;
    if (paused) continue;
    try {
      view = look_at(name);
    } catch (const Error&) {
      return name + " is over";
    }
  }
}

}  // namespace pat
