#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pat::nonclairvoyant {

/// What ends at a processor.
enum class Ends : std::int32_t { communication, computation, patience };

struct Event {
  double time;
  std::int32_t processor;
  Ends what;
};

/// Events to come, the earliest first; of those at one time that of the lowest processor, so that a
/// run with equal costs has one outcome. Not thread-safe.
class EventHeap {
 public:
  void clear() { events_.clear(); }
  bool empty() const { return events_.empty(); }
  void push(const Event& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), later);
  }
  Event pop() {
    std::pop_heap(events_.begin(), events_.end(), later);
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

 private:
  static bool later(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.processor > b.processor;
  }
  std::vector<Event> events_;
};

}  // namespace pat::nonclairvoyant
