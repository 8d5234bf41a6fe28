#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "libpat/agreement/thread_id.hpp"

namespace pat::detail {

/// In which MPI functions, other than collectives, threads of the program wait for other processes,
/// as far as PAT sees it. Of threads whose numbers are a multiple of the places apart the one that
/// came last is known. The texts are never freed. Thread-safe.
class WaitsIn {
 public:
  struct Wait {
    const char* function = nullptr;  ///< null: in none, or not known
    std::int64_t since_ns = 0;       ///< now_ns(); 0: not told, as it may last by itself
  };
  /// Of the thread with this thread_id().
  static Wait of(std::int32_t thread) {
    for (const Place& place : places())
      if (place.thread.load(std::memory_order_relaxed) == thread)
        if (const char* function = place.function.load(std::memory_order_acquire))
          return {function, place.since_ns.load(std::memory_order_relaxed)};
    return {};
  }
  static void enter(const char* function, std::int64_t since_ns) {
    mine().thread.store(thread_id(), std::memory_order_relaxed);
    mine().since_ns.store(since_ns, std::memory_order_relaxed);
    mine().function.store(function, std::memory_order_release);
  }
  static void leave() { mine().function.store(nullptr, std::memory_order_relaxed); }

 private:
  struct alignas(64) Place {
    std::atomic<std::int32_t> thread = 0;
    std::atomic<std::int64_t> since_ns = 0;
    std::atomic<const char*> function = nullptr;
  };
  using Places = std::array<Place, 32>;
  static Places& places() {
    static constinit Places all{};
    return all;
  }
  static Place& mine() { return places()[thread_number() % std::tuple_size_v<Places>]; }
};

}  // namespace pat::detail
