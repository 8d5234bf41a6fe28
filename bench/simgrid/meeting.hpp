#pragma once

#include <simgrid/s4u.hpp>

namespace pat::simulated {

/// Where simulated processes learn that all have come to a call, without a message. For actors of
/// one simulation, which take turns.
class Meeting {
 public:
  explicit Meeting(int processes) : processes_(processes) {}

  void come() {
    if (++come_ % processes_ == 0) complete_->notify_all();
  }
  /// Whether all have come `calls` times.
  bool all_have_come(int calls) const { return come_ >= static_cast<long>(calls) * processes_; }
  /// Until somebody is the last to come, at most until then (simulated seconds).
  void wait_until(double time_s) {
    std::unique_lock lock(*mutex_);
    complete_->wait_until(lock, time_s);
  }

 private:
  const int processes_;
  long come_ = 0;
  ::simgrid::s4u::MutexPtr mutex_ = ::simgrid::s4u::Mutex::create();
  ::simgrid::s4u::ConditionVariablePtr complete_ = ::simgrid::s4u::ConditionVariable::create();
};

}  // namespace pat::simulated
