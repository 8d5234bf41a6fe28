#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collectives/schedule.hpp"
#include "libpat/execution/memory.hpp"
#include "libpat/execution/turns.hpp"

namespace pat {

/// The user's side of one collective call.
struct UserBuffers {
  Area send, recv;
  bool in_place = false;           ///< copies from the send buffer have nothing to do
  MPI_Op op = MPI_OP_NULL;         ///< for reductions
  DatatypeInfo datatype;           ///< for reductions: how scratch is laid out
  MPI_Datatype type = MPI_PACKED;  ///< likewise
};

/// Where the messages of one call lie in the tags of a communicator.
struct CallTags {
  int first = 0;         ///< added to the tags of the schedule
  int announcement = 0;  ///< of "I have come", in paced stars
};

/// Runs one rank's program over point-to-point MPI on a private communicator. The daemon may
/// advance it before the process arrives; join() then hands it to the caller, who finishes it. One
/// user at a time: the owner changes hands under the session's lock, and no request is ever waited
/// for by two threads. Early data for the user's receive buffer lands in a scratch area of at most
/// `scratch_bytes`, and receives beyond that wait for the join, unless open() gave the buffers.
class Execution {
 public:
  /// All tags must lie below the communicator's MPI_TAG_UB.
  Execution(std::shared_ptr<const Program> program, MPI_Comm communicator, CallTags tags,
            std::size_t scratch_bytes);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Starts what may start and completes what has ended, without waiting. Returns whether anything
  /// changed. Throws MpiFailure.
  bool advance();
  /// As advance(), but waits inside MPI until `interrupt` has completed, which then is
  /// MPI_REQUEST_NULL. For a thread that has nothing else to do. Throws MpiFailure.
  void advance_until(MPI_Request& interrupt);
  /// Persistent calls, before the first advance(): the buffers are known before the process
  /// arrives. All of the receive buffer is handed over: data lands in place, without a limit. Of
  /// the send buffer nothing is yet; piece p of it ends at unit `part_ends[p]` and is handed over
  /// by hand_over_part(p), the rest by join(). Pass no ends where there are no pieces.
  void open(const UserBuffers& buffers, std::vector<std::size_t> part_ends);
  void hand_over_part(std::size_t part);
  /// The process has arrived: binds its buffers. From here on the caller owns the execution.
  void join(const UserBuffers& buffers);
  /// Waits until the whole program is done. A message that fails counts as ended, so that all
  /// others still find their partners: see error(). `on_wait`, when given, is called now and then
  /// with the time waited in seconds instead of sleeping inside MPI.
  void finish(const std::function<void(double waited_s)>& on_wait = nullptr);

  bool done() const { return open_ == 0; }
  /// The first MPI error of a message or a reduction of this call, which then has no result.
  int error() const { return error_; }
  /// The ranks that this process sends to in the whole program.
  std::set<int> receivers() const;
  bool has_requests() const { return !requests_.empty(); }
  bool joined() const { return joined_; }
  /// Go-aheads given to processes that had come before their turn.
  std::uint64_t out_of_turn() const { return turns_.out_of_turn(); }
  /// "3 of 7 operations open: recv from 2, send to 0 ..."
  std::string state() const;

 private:
  void complete(OpId id);
  void complete_announcement();
  void begin(OpId id);
  void announce_arrival();
  void expect_announcement();
  void grant_out_of_turn();
  bool is_send(OpId id) const;
  void begin_ready();
  void post_send(OpId id);
  void post_recv(OpId id);
  void run_local(OpId id);
  bool may_read(const Slice& source) const;
  bool waits_for_buffers_only(const Op& op) const;
  void note_misfits();
  void land(const Slice& slice);
  void pack_send_buffer_if_needed();
  void prepare_memory();
  const Area& area(Buffer buffer) const;
  void note_error(int code);
  void note_errors(int code, int outcount);
  void complete_requests(int outcount);
  void wait_some(MPI_Request* interrupt = nullptr);

  std::shared_ptr<const Program> shared_;
  const Program& program_;
  MPI_Comm communicator_;
  CallTags tags_;
  std::size_t scratch_limit_;

  std::vector<std::uint32_t> waiting_;
  std::vector<std::vector<OpId>> dependents_;
  std::deque<OpId> ready_;
  std::vector<OpId> deferred_;   // wait for a hand-over: no room for early data, data not ready
  std::vector<bool> in_mirror_;  // receives whose data lands in the mirror
  std::size_t open_ = 0;
  OpId join_id_ = 0;
  bool join_reached_ = false;
  bool joined_ = false;
  bool opened_ = false;                 // the receive buffer was handed over before the join
  std::vector<std::size_t> part_ends_;  // pieces of the send buffer, in units
  std::vector<bool> part_ready_;

  Turns turns_;
  int announced_rank_ = -1;  // what an announcement carries, sent or received
  std::size_t announcements_to_come_ = 0;
  bool listening_ = false;  // for announcements: from the first go-ahead on

  std::vector<MPI_Request> requests_;
  std::vector<OpId> request_ops_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  int error_ = MPI_SUCCESS;

  UserBuffers user_;
  Area scratch_;
  RawMemory scratch_memory_;
  RawMemory mirror_memory_;  // receive buffer's packed image
  RawMemory packed_send_;
  std::size_t recv_units_ = 0;
  std::size_t early_bytes_ = 0;
  bool mirror_all_ = false;
  std::vector<Slice> landed_;  // what lies in the mirror and belongs into the user's buffer
};

}  // namespace pat
