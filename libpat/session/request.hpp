#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "libpat/agreement/decision.hpp"
#include "libpat/execution/schedule_run.hpp"

namespace pat {

class Communicator;
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

 private:
  std::vector<MPI_Datatype> own_;
};

/// What a persistent gather or scatter was made with.
struct RequestSetup {
  std::shared_ptr<void> arguments;  ///< what `buffers` and `start_library` refer to
  KeptTypes types;
  UserBuffers buffers;
  std::size_t send_elements = 0;  ///< in this process's send buffer, for the parts
  std::size_t element_bytes = 0;
  /// The MPI library's own collective, not waited for, on a communicator of the request's own.
  std::function<int(MPI_Comm, MPI_Request*)> start_library;
};

/// A persistent gather or scatter. It has a stream of its own, so that neither plain calls nor
/// other requests can come between its calls. All but the setup is under the session's lock; while
/// `taken`, execution and library request belong to the thread in PAT_Wait.
struct Request {
  enum class State {
    inactive,
    started,  ///< the receive buffer is PAT's
    ready     ///< the send buffer too: the process has arrived
  };

  explicit Request(RequestSetup made_with) : setup(std::move(made_with)) {}
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  RequestSetup setup;
  MPI_Comm user_comm = MPI_COMM_NULL;     ///< whose error handler is called; null once freed
  Communicator* comm = nullptr;           ///< null: not all of it belongs to the session
  Stream* stream = nullptr;               ///< null: the MPI library does all calls
  MPI_Comm library_comm = MPI_COMM_NULL;  ///< where it does them; null if it never does

  State state = State::inactive;
  bool taken = false;
  std::uint32_t call = 0;  ///< of the stream
  std::size_t record = 0;  ///< place in the communicator's calls, for the trace
  std::int64_t arrival_ns = 0;
  bool asked = false, decided = false, counted = false;
  Decision decision;
  std::unique_ptr<Execution> execution;
  bool library_started = false;
  MPI_Request library = MPI_REQUEST_NULL;

  std::vector<std::size_t> part_ends;  ///< in units of the send buffer; empty: no parts
  std::vector<bool> part_ready;

  bool active() const { return state != State::inactive; }
  /// The library's own collective carries the present call.
  bool by_library() const { return stream == nullptr || decision.chosen().build == nullptr; }
  /// The whole call is on its way and needs nothing but its messages.
  bool under_way() const {
    return state == State::ready && (library_started || (execution && execution->joined()));
  }
  bool finished() const {
    return under_way() && (execution ? execution->done() : library == MPI_REQUEST_NULL);
  }
  bool any_part_ready() const;
};

}  // namespace pat
