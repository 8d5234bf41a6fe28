#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "libpat/session/control.hpp"

namespace pat::detail {

/// What processes on other machines say of themselves to rank 0, for who looks at the job there
/// (report/others). While somebody looks rank 0's daemon asks theirs, once a second at most and 256
/// of them at a time, and each question gets one answer: a text, or nothing of a process that has
/// none to give. No thread of the program asks, answers or waits, but in PAT_Finalize, for answers
/// that are under way.
class Elsewhere {
 public:
  static constexpr std::int64_t pause_ns = 1'000'000'000;
  static constexpr std::size_t most_at_a_time = 256;

  explicit Elsewhere(Control& control) : control_(control) {}

  /// At rank 0 of a session of `size`: who is asked; and whether all of them have a daemon, so that
  /// who does not answer is told of.
  void begin(Locked&, std::vector<int> ranks, int size, bool all_can_answer) {
    ranks_ = std::move(ranks);
    size_ = size;
    all_can_answer_ = all_can_answer;
  }
  /// At a process that has a daemon: what it answers, at most Control::limit bytes. Called by the
  /// daemon, which holds the lock.
  void answer_with(Locked&, std::function<std::string(Locked&)> state) {
    state_ = std::move(state);
  }

  /// Somebody looks at rank 0; its daemon asks when it is woken. Any thread, without the lock.
  void look() { looked_ = true; }
  /// Whether what look() asked for has come. Any thread, without the lock.
  bool all_have_answered() const { return !looked_ && open_count_ == 0; }
  /// What was answered last by each who answers, a line each, but what is too old; and for how long
  /// others have not, if that is long (LiveState::silent_s).
  std::string states(Locked&) const;

  /// The daemon's part of a round.
  void go_on(Locked& locked);
  /// A question, and an answer: handlers of the control messages.
  void take_question(Locked& locked);
  void take_answer(Locked& locked, int from, std::string text);

  /// Asks no more, and waits until all who were asked have answered: they have come to
  /// PAT_Finalize, or will. Collective, in the place of the daemon.
  void close(Locked& locked);

 private:
  struct Answer {
    std::string text;
    std::int64_t time_ns = 0;
  };
  /// How old an answer may be: two rounds of questions.
  std::int64_t oldest_ns() const {
    return pause_ns * static_cast<std::int64_t>(2 + 2 * ranks_.size() / most_at_a_time);
  }
  void ask(Locked& locked);

  Control& control_;
  std::vector<int> ranks_;
  int size_ = 1;
  bool all_can_answer_ = false;
  std::function<std::string(Locked&)> state_;
  std::size_t next_ = 0;              ///< of ranks_, who is asked next
  std::int64_t asked_ns_ = 0;         ///< when some were asked last
  std::map<int, std::int64_t> open_;  ///< who has not answered yet, and when it was asked
  std::map<int, Answer> said_;        ///< by rank
  bool wanted_ = false;               ///< rank 0 waits for this process's answer
  bool closing_ = false;
  std::atomic<bool> looked_{false};
  std::atomic<std::size_t> open_count_{0};
};

}  // namespace pat::detail
