#pragma once

#include <atomic>

namespace pat::detail {

/// The MPI function, other than a collective, in which the program waits for other processes, as
/// far as PAT sees it; null: none. Of several threads that wait the one that came last is told. The
/// text is never freed.
class WaitsIn {
 public:
  static const char* function() { return latest().load(std::memory_order_relaxed); }
  static void enter(const char* function) {
    latest().store(function, std::memory_order_relaxed);
  }
  static void leave(const char* function) {
    const char* mine = function;
    latest().compare_exchange_strong(mine, nullptr, std::memory_order_relaxed);
  }

 private:
  static std::atomic<const char*>& latest() {
    static constinit std::atomic<const char*> one = nullptr;
    return one;
  }
};

}  // namespace pat::detail
