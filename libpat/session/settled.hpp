#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "collectives/algorithm.hpp"
#include "libpat/execution/arguments.hpp"

namespace pat::detail {

/// The calls of one series: how many were made,
/// and before which one all go to the MPI library without a word to anybody. Such a call only
/// leaves an event behind (ProgressEvent::Kind::call), which whoever handles events next counts.
/// Touched by the thread that is in a collective on the communicator; MPI orders these. Another
/// one may take the rest back with stop().
struct alignas(64) Settled {
  std::uint32_t communicator = 0, series = 0;     ///< their ids
  std::atomic<std::uint32_t>* entered = nullptr;  ///< the communicator's (Twin::entered)
  std::atomic<std::uint32_t> calls = 0;
  std::atomic<std::uint32_t> until = 0;

  /// The next call is the library's; look at it, then begin() it.
  bool is_next() const { return calls.load(std::memory_order_relaxed) < until.load(); }
  void begin() { calls.fetch_add(1); }
  /// No call goes this way any more, except for one that has just been looked at: the first that
  /// will not for sure. (All is sequentially consistent: a thread that begins call n after this
  /// read less has looked before; its next look finds `until` gone.)
  std::uint32_t stop() {
    until.store(0);
    return calls.load() + 1;
  }
};

/// What a call with these arguments needs to look at, if it is settled; else null, and the call
/// takes the long way: checks, the session's lock, a decision. One look at this thread's last
/// calls: a call whose process has slept, and whose cache is cold, must touch little.
Settled* settled(const Arguments& arguments);

/// What held before a call was decided: what has changed since is not kept by it.
struct BeforeDeciding {
  std::uint64_t drops;   ///< settled_drops()
  std::uint16_t choice;  ///< of the operation's algorithm
};
BeforeDeciding before_deciding(Operation operation);

/// From now on calls of this thread with these arguments, which were found right on rank `rank`,
/// look at `settled` first, while the program's choice of an algorithm is what it was before. Not
/// if the next call is not settled, so that what is keeps its place; nor if a type that matters
/// here is derived or the operation is the program's own: a new one may get the handle of one that
/// was freed.
void keep_settled(const Arguments& arguments, int rank, Settled& settled,
                  const BeforeDeciding& before);

/// The program chooses an algorithm for the operation, or none (null): first the one, then what
/// decides calls may change, then the other. What is decided meanwhile on another thread is not
/// kept; what was kept holds again when the program comes back to the choice before. Thread-safe.
void begin_to_choose(Operation operation);
void choose_settled(Operation operation, const Algorithm* algorithm);

/// What was kept on any thread holds no longer: a communicator is gone, the daemon has failed.
/// Thread-safe.
void drop_settled();
/// How often that has happened.
std::uint64_t settled_drops();

}  // namespace pat::detail
