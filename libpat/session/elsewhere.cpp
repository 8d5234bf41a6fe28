#include "libpat/session/elsewhere.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "core/live_state.hpp"
#include "core/seconds.hpp"

namespace pat::detail {

namespace {

std::string silence_of(int rank, int ranks, double silent_s) {
  LiveState state;
  state.rank = rank;
  state.ranks = ranks;
  state.silent_s = silent_s;
  return text_of(state);
}

}  // namespace

std::string Elsewhere::states(Locked&) const {
  const std::int64_t now = now_ns();
  std::string all;
  for (const auto& [rank, answer] : said_)
    if (now - answer.time_ns < oldest_ns()) all += answer.text;
  if (!all_can_answer_) return all;
  for (const auto& [rank, asked_ns] : open_)
    if (now - asked_ns >= oldest_ns()) all += silence_of(rank, size_, seconds(now - asked_ns));
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
      if (!open_.emplace(ranks_[next_], now).second) continue;
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
