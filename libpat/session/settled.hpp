#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "collectives/operation.hpp"
#include "core/clock.hpp"

namespace pat {

/// The arguments of a plain collective call as the program gives them, buffers aside; null what it
/// has none of.
struct CallArguments {
  Operation operation = Operation::gather;
  int root = 0;
  std::array<int, 2> counts = {};
  std::array<MPI_Datatype, 2> types = {};
  std::array<bool, 2> in_place = {};
  MPI_Op op = {};
  MPI_Comm comm = {};
  bool operator==(const CallArguments&) const = default;
};

/// The calls of one stream, or those of a communicator that need no decision: how many were made,
/// and before which one all go to the MPI library without a word to anybody. Such a call only
/// leaves an event behind (ProgressEvent::Kind::call), which whoever handles events next counts.
/// Touched by the thread that is in a collective on the communicator; MPI orders these.
struct alignas(64) Settled {
  static constexpr std::uint32_t no_stream = 0xffffffff;
  std::uint32_t communicator = 0, stream = no_stream;  ///< their ids
  std::uint32_t calls = 0;
  std::uint32_t until = 0;
};

/// What a call with these arguments needs to look at, if it is settled; else null, and the call
/// takes the long way: checks, the session's lock, a decision. One look at this thread's last
/// calls: a call whose process has slept, and whose cache is cold, must touch little.
Settled* settled(const CallArguments& arguments);

/// From now on calls of this thread with these arguments, which were found right, look at
/// `settled` first. Not if one of `types`, those that matter on this process (others null), is
/// derived or the operation is the program's own: a new one may get the handle of one that was
/// freed. `drops`: settled_drops() before the call was decided; what has been dropped since is not
/// kept.
void keep_settled(const CallArguments& arguments, const std::array<MPI_Datatype, 2>& types,
                  Settled& settled, std::uint64_t drops);

/// What was kept on any thread holds no longer: a communicator is gone, another algorithm is
/// chosen, the daemon has failed. Thread-safe.
void drop_settled();
/// How often that has happened.
std::uint64_t settled_drops();

/// A call of this stream was made and the library returned `code`.
void note_settled_call(std::uint32_t communicator, std::uint32_t stream, std::int64_t arrival_ns,
                       int code);

/// Makes a settled call by `library`. Returns its code.
template <class Library>
int run_settled(Settled& settled, const Library& library) {
  const std::int64_t arrival_ns = now_ns();
  // All that is needed of it now: an error handler of the user's may end the session.
  const std::uint32_t communicator = settled.communicator, stream = settled.stream;
  ++settled.calls;
  const int code = library();
  note_settled_call(communicator, stream, arrival_ns, code);
  return code;
}

}  // namespace pat
