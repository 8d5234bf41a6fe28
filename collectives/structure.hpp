#pragma once

#include <string>

#include "collectives/schedule.hpp"

namespace pat {

/// Outcome of a check: ok, or one sentence that says what is wrong and where.
struct Verdict {
  bool ok = true;
  std::string problem;
  explicit operator bool() const { return ok; }
};

/// What can be said of each program by itself: dependencies point backwards, slices lie inside
/// their buffers, peers exist, one join, and the user's buffers are used only after it (receiving
/// into `recv` excepted).
Verdict check_structure(const Schedule& schedule);

/// "operation 4 of rank 2 (recv from 0, round 3)".
std::string describe(const Schedule& schedule, int rank, OpId id);

/// "the send buffer", "the receive buffer" or "scratch".
std::string buffer_name(Buffer buffer);

}  // namespace pat
