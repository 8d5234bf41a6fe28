#pragma once

#include <cstdint>
#include <string>

namespace pat::detail {

/// Says where a thread of this process is, by a signal to it: the handler notes the addresses on
/// the stack and no more. One at a time in a process; for one thread, which is not the one asked.
///
/// A signal ends some calls of the system early (sleep, poll and others: signal(7)), and a program
/// need not expect that. So a thread in one of these gets none, nor one that blocks the signal; and
/// none is sent where the program has taken the signal for itself.
class StackLine {
 public:
  /// Takes a real-time signal that nobody has a handler for. Without one nothing is ever known.
  StackLine();
  ~StackLine();
  StackLine(const StackLine&) = delete;
  StackLine& operator=(const StackLine&) = delete;

  /// "solver.c:81 (iterate)", the innermost place outside of PAT and of libraries of MPI and C; or
  /// the function of such a call of the system, "poll". Empty: it cannot be had. Takes 50 ms at
  /// most, and what the debug information takes to read. `thread`: the kernel's number for it.
  std::string of(std::int32_t thread) const;

 private:
  int signal_ = 0;  ///< 0: none is free
};

}  // namespace pat::detail
