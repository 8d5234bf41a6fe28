#pragma once

#include <cstdint>

#include "libpat/agreement/whole_message.hpp"

namespace pat::detail {

/// What rank 0 is asked of its clock, and answers. Times in ns, each of its own process's clock.
struct ClockQuestion {
  std::int64_t sent_ns = 0;    ///< when it was asked, by who asked
  std::int64_t theirs_ns = 0;  ///< what rank 0's clock showed; 0 in the question
};

/// Throws Error(internal) if the message is none.
inline ClockQuestion read_clock_question(const std::byte* message, std::size_t bytes) {
  return whole_message<ClockQuestion>(message, bytes, "a question of the time");
}

}  // namespace pat::detail
