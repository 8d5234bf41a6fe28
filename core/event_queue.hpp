#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

namespace pat {

/// Bounded queue from any number of application threads to one consumer at a time, which a lock
/// makes so. push() never blocks and never allocates; when the queue is full the value is dropped
/// and push() says so. What a thread pushes keeps its order; a value is not seen before those that
/// took their places earlier are there.
///
/// A ring of cells, each with the number of the turn whose value it may take next (D. Vyukov,
/// "Bounded MPMC queue", 1024cores.net). One compare-and-swap a push; values are read and written
/// only by who holds the turn, so there is no race for a thread sanitizer to find. (Boost's
/// lock-free queue reads links of nodes that others may be writing, and drops what it read.)
template <class T, std::size_t Capacity>
class EventQueue {
  static_assert(std::has_single_bit(Capacity), "places wrap around");

 public:
  EventQueue() {
    for (std::size_t i = 0; i < Capacity; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool push(const T& value) {
    std::size_t place = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[place % Capacity];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == place) {
        if (!tail_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) continue;
        cell.value = value;
        cell.turn.store(place + 1, std::memory_order_release);
        return true;
      }
      const std::size_t tail = tail_.load(std::memory_order_relaxed);
      if (tail == place) return false;  // the value of one round ago is still there
      place = tail;
    }
  }

  bool pop(T& value) {
    Cell& cell = cells_[head_ % Capacity];
    if (cell.turn.load(std::memory_order_acquire) != head_ + 1) return false;
    value = cell.value;
    cell.turn.store(head_ + Capacity, std::memory_order_release);
    ++head_;
    return true;
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    T value;
  };

  std::array<Cell, Capacity> cells_;
  alignas(64) std::atomic<std::size_t> tail_{0};  ///< of the producers
  alignas(64) std::size_t head_ = 0;              ///< of the consumer
};

}  // namespace pat
