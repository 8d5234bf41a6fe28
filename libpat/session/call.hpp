#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "collectives/problem.hpp"
#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/signature.hpp"
#include "libpat/execution/order_free.hpp"
#include "libpat/session/watchdog.hpp"

namespace pat::detail {

class Twin;
struct Series;
struct Stream;

/// Datatypes that live as long as this object, whatever the user does with his own.
class KeptTypes {
 public:
  KeptTypes() = default;
  KeptTypes(KeptTypes&&) = default;
  KeptTypes& operator=(KeptTypes&&) = default;
  ~KeptTypes();
  /// The same type under a handle of our own; predefined types stay themselves.
  MPI_Datatype keep(MPI_Datatype type);
  /// The same for many: an array that lives as long.
  const MPI_Datatype* keep(std::vector<MPI_Datatype> types);

 private:
  std::vector<MPI_Datatype> own_;
  std::deque<std::vector<MPI_Datatype>> arrays_;
};

/// One call of a collective on its way, in any form: open (the receive buffer is PAT's), ready (the
/// send buffer too: the process has arrived), advanced by whoever holds the lock, over. A plain
/// call is ready and finished, a persistent one open, ready and finished again and again, a
/// non-blocking one ready, then tested. All but arguments, signature and counts is under the
/// session's lock; while `taken`, the run belongs to the thread that waits for it.
struct Call {
  enum class State : std::uint8_t { idle, open, ready };

  Arguments arguments;
  CallSignature signature;
  /// The same on all ranks; 0 in a v-form whose counts not all of them know. What is too much for
  /// an int is the library's, and `auto` compares it with PAT_MIN_BYTES (not of v-forms).
  std::size_t total_bytes = 0;
  bool left_to_library = false;  ///< whatever is chosen; the same on all ranks
  /// V-forms: units per rank; 0 where unknown here; all to all: what each may have.
  std::vector<std::size_t> counts;
  Exchange exchange;        ///< v-forms of all to all: this process's
  int rank = 0, ranks = 1;  ///< in the communicator

  Twin* twin = nullptr;                ///< null: not all of the communicator belongs to the session
  Stream* stream = nullptr;            ///< null: the MPI library does it
  Series* series = nullptr;            ///< the stream, or where else it is counted; null: no twin
  MPI_Comm user_comm = MPI_COMM_NULL;  ///< whose error handler is called; null once freed
  MPI_Comm own_comm = MPI_COMM_NULL;   ///< persistent: where the library does it, if it ever does

  State state = State::idle;
  bool taken = false;
  bool asked = false, counted = false;
  std::uint32_t number = 0;  ///< of the stream
  std::uint32_t entry = 0;   ///< persistent: its number in the journal
  std::int64_t arrival_ns = 0;
  std::int64_t waits_since_ns = 0;      ///< of a request: a thread waits for it; 0: none does
  std::int64_t undecided_since_ns = 0;  ///< plain: when it began to look for its decision
  std::shared_ptr<const Decision> decision;
  std::unique_ptr<Run> run;

  std::unique_ptr<OrderFree> order_free;  ///< requests: whose arguments these are; else null
  KeptTypes types;
  UserBuffers buffers;                 ///< persistent: bound once
  SendElements elements;               ///< of which the parts are made
  std::vector<std::size_t> part_ends;  ///< in units of the send buffer; empty: no parts
  std::vector<bool> part_ready;

  bool active() const { return state != State::idle; }
  bool ready() const { return state == State::ready; }
  bool any_part_ready() const;
  /// It is decided, and the MPI library does it.
  bool by_library() const;
  /// The library's blocking collective is its fastest, but while a thread is inside it nothing that
  /// needs that thread goes on.
  bool may_block() const;
  /// The operator is the program's and runs in its threads only, so PAT must do the call: in the
  /// MPI library's non-blocking collectives whoever calls MPI next runs it.
  bool keeps_operator() const;
  /// Only finish() is left, which does not wait.
  bool over() const { return ready() && run && run->joined() && run->done(); }
};

/// Which of the communicator's calls it is; a request's is not counted among them.
CallPlace place_of(const Call& call);

}  // namespace pat::detail
