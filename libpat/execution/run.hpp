#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libpat/execution/memory.hpp"
#include "libpat/execution/slow_links.hpp"

namespace pat::detail {

/// The user's side of one collective call.
struct UserBuffers {
  Area send, recv;
  bool in_place = false;           ///< copies from the send to the receive buffer are done already
  MPI_Op op = MPI_OP_NULL;         ///< for reductions
  bool own_operator = false;       ///< `op` runs code of the program's
  DatatypeInfo datatype;           ///< for reductions: how scratch is laid out
  MPI_Datatype type = MPI_PACKED;  ///< likewise
  std::shared_ptr<const void> keeps;  ///< memory that the areas lie in, if not the user's
};

/// Who brings a run forward: the program's own thread, inside a call of PAT, or the background.
enum class By { caller, daemon };

/// Called now and then with the time waited, seconds.
using OnWait = std::function<void(double waited_s)>;

/// One rank's part of one call, on its way: of a schedule, of a dynamic protocol or of the MPI
/// library's own collective. One thread at a time; who that is changes under the session's lock.
/// Everything but finish() returns without waiting for other processes. All throw MpiFailure where
/// the call cannot go on.
class Run {
 public:
  virtual ~Run() = default;

  /// Before the process arrives: the buffers are known, and all of the receive buffer is handed
  /// over. Of the send buffer nothing is yet; piece p of it ends at unit `part_ends[p]` and is
  /// handed over by hand_over_part(p), the rest by join(). No ends: there are no pieces.
  virtual void open(const UserBuffers&, std::vector<std::size_t> /*part_ends*/) {}
  virtual void hand_over_part(std::size_t) {}
  /// The process has arrived: binds its buffers.
  virtual void join(const UserBuffers& buffers) = 0;
  virtual bool joined() const = 0;

  /// All calls before it on its communicator have begun, if it must begin after them.
  virtual void take_turn() {}

  /// Starts what may start and completes what has ended. Returns whether anything changed. By the
  /// daemon, operators of the program's own stay uncalled.
  virtual bool advance(By by) = 0;
  /// Joined: waits until this rank is done, and brings home what lies elsewhere. By the caller.
  /// `on_wait`, when given, is called instead of sleeping inside MPI.
  virtual void finish(const OnWait& on_wait) = 0;
  /// Nothing is left but finish(), which then does not wait.
  virtual bool done() const = 0;

  /// The first MPI error of a message or a reduction of this call, which then has no result; the
  /// call goes on after it, for the others' sake.
  virtual int error() const = 0;
  /// An error that the program's own error handler has been told by the MPI library.
  virtual int told_error() const { return MPI_SUCCESS; }
  /// What is open: "3 of 7 operations open: recv from 2, send to 0".
  virtual std::string state() const = 0;
  /// The ranks to which something of this call may be on its way, if it is given up now.
  virtual std::set<int> receivers() const = 0;
  /// Go-aheads given to processes that had come before their turn.
  virtual std::uint64_t out_of_turn() const { return 0; }
  /// What the blocks of leaves took, at the root of a star.
  virtual std::vector<BlockTime> block_times() const { return {}; }
};

}  // namespace pat::detail
