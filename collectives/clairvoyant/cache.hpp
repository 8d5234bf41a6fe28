#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// What a schedule is wanted for, the arrivals aside.
struct Request {
  int segments = 1;
  int root = 0;
  double round_s = 0.0;
  Order order = Order::latest_first;
  Window window = Window::closed;
};

/// Keeps the last schedules by what determines them: order, root, segments and the arrivals in
/// whole ticks (with order paper also the order of their remainders). Arrivals that move within
/// their ticks cost a comparison. Not thread-safe.
class Cache {
 public:
  /// Keeps `capacity` schedules (at least 1), the longest unused one goes first.
  explicit Cache(std::size_t capacity) : capacity_(capacity > 0 ? capacity : 1) {}

  /// The schedule, generated if it is not there. Arrivals in seconds. Throws as make_instance().
  std::shared_ptr<const MessageList> get(const Request& request, std::span<const double> arrival_s);

  std::size_t hits() const { return hits_; }
  std::size_t misses() const { return misses_; }

 private:
  struct Entry {
    Instance key;
    std::shared_ptr<const MessageList> list;
    std::size_t used = 0;
  };
  std::size_t capacity_;
  std::vector<Entry> entries_;
  std::size_t clock_ = 0, hits_ = 0, misses_ = 0;
};

/// The messages of one rank: what it sends and what it receives, with the rounds; empty rounds are
/// left out.
MessageList rows_of(const MessageList& list, int rank);

}  // namespace pat::clairvoyant
