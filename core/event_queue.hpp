#pragma once

#include <boost/lockfree/queue.hpp>
#include <cstddef>

namespace pat {

/// Bounded queue from any number of application threads to one consumer. push() never blocks and
/// never allocates; when the queue is full the value is dropped and push() says so.
template <class T, std::size_t Capacity>
class EventQueue {
 public:
  bool push(const T& value) { return queue_.bounded_push(value); }
  bool pop(T& value) { return queue_.pop(value); }
  bool empty() const { return queue_.empty(); }

 private:
  boost::lockfree::queue<T, boost::lockfree::capacity<Capacity>> queue_;
};

}  // namespace pat
