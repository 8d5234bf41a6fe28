#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace pat::detail {

/// The calls of one MPI function in this process that PAT watches and leaves to MPI. One object a
/// function, made when it is first called and never destroyed. Thread-safe.
class PassedOn {
 public:
  explicit PassedOn(const char* function);
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;

  void add(std::int64_t duration_ns) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    ns_.fetch_add(duration_ns, std::memory_order_relaxed);
  }

  struct Count {
    std::string function;
    std::uint64_t calls = 0;
    double in_call_s = 0.0;
  };
  /// Those that were called, in order of their names.
  static std::vector<Count> all();

 private:
  const char* const function_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::int64_t> ns_{0};
};

}  // namespace pat::detail
