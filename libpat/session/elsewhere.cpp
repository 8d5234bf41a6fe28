#include "libpat/session/elsewhere.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace pat::detail {

std::string Elsewhere::states(Locked&) const {
  const std::int64_t now = now_ns();
  std::string all;
  for (const auto& [rank, answer] : said_)
    if (now - answer.time_ns < oldest_ns()) all += answer.text;
  return all;
}

void Elsewhere::go_on(Locked& locked) {
  if (looked_) ask(locked);
  if (!std::exchange(wanted_, false)) return;
  const auto say = state_;
  control_.send_state(locked, 0, say(locked));
}

/// Who has not answered is not asked again, and not waited for.
void Elsewhere::ask(Locked& locked) {
  const std::int64_t now = now_ns();
  if (asked_ns_ == 0 || now - asked_ns_ >= pause_ns) {
    asked_ns_ = now;
    std::size_t asked = 0;
    for (std::size_t i = 0; i < std::min(ranks_.size(), most_at_a_time); ++i) {
      next_ = (next_ + 1) % ranks_.size();
      if (!open_.insert(ranks_[next_]).second) continue;
      control_.send_question(locked, ranks_[next_]);
      ++asked;
    }
    open_count_ = asked;
  }
  looked_ = false;
}

void Elsewhere::take_question(Locked& locked) {
  if (state_ && !closing_)
    wanted_ = true;
  else
    control_.send_state(locked, 0, "");
}

void Elsewhere::take_answer(Locked&, int from, std::string text) {
  if (open_.erase(from) > 0 && open_count_ > 0) --open_count_;
  if (text.empty())
    said_.erase(from);
  else
    said_[from] = {std::move(text), now_ns()};
}

void Elsewhere::close(Locked& locked) {
  closing_ = true;
  if (std::exchange(wanted_, false)) control_.send_state(locked, 0, "");
  while (!open_.empty()) {
    control_.poll(locked);
    locked.without([] { sched_yield(); });
  }
}

}  // namespace pat::detail
