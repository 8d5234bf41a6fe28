#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "libpat/agreement/signature.hpp"

namespace pat::detail {

/// The latest calls of a process that are over, for whoever looks at the running job. Under the
/// session's lock.
class RecentCalls {
 public:
  struct One {
    std::uint32_t communicator, number;  ///< the twin's id, and which of its calls
    std::uint32_t series;                ///< on it
    CallSignature signature;
    std::string algorithm;
    std::int64_t arrival_ns, exit_ns;  ///< on the session's clock
  };
  /// So many of each process are enough to say who is late, and few enough to tell at once.
  static constexpr std::size_t most = 64;

  void add(One one) {
    if (calls_.size() == most) calls_.pop_front();
    calls_.push_back(std::move(one));
  }
  /// Oldest first.
  const std::deque<One>& all() const { return calls_; }

 private:
  std::deque<One> calls_;
};

}  // namespace pat::detail
