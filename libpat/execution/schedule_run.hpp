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
#include "libpat/execution/run.hpp"
#include "libpat/execution/turns.hpp"

namespace pat::detail {

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
class ScheduleRun final : public Run {
 public:
  /// All tags must lie below the communicator's MPI_TAG_UB.
  ScheduleRun(std::shared_ptr<const Program> program, MPI_Comm communicator, CallTags tags,
              std::size_t scratch_bytes);
  ~ScheduleRun() override;
  ScheduleRun(const ScheduleRun&) = delete;
  ScheduleRun& operator=(const ScheduleRun&) = delete;

  bool advance(By by = By::caller) override;
  /// As advance(), but waits inside MPI until `interrupt` has completed, which then is
  /// MPI_REQUEST_NULL. For a thread that has nothing else to do. Throws MpiFailure.
  void advance_until(MPI_Request& interrupt);
  /// Before the first advance(): data lands in place then, without a limit.
  void open(const UserBuffers& buffers, std::vector<std::size_t> part_ends) override;
  void hand_over_part(std::size_t part) override;
  void join(const UserBuffers& buffers) override;
  void finish(const OnWait& on_wait = nullptr) override;

  bool done() const override { return open_ == 0; }
  int error() const override { return error_; }
  std::set<int> receivers() const override;
  bool joined() const override { return joined_; }
  std::uint64_t out_of_turn() const override { return turns_.out_of_turn(); }
  std::vector<BlockTime> block_times() const override;
  std::string state() const override;

 private:
  void complete(OpId id);
  void complete_announcement();
  void begin(OpId id);
  void announce_arrival();
  void expect_announcement();
  void grant_out_of_turn();
  std::int64_t time_of_turn_ns() const;
  bool is_send(OpId id) const;
  void begin_ready();
  void post_send(OpId id);
  void post_recv(OpId id);
  void run_local(OpId id);
  bool may_read(const Slice& source) const;
  bool waits_for_buffers_only(const Op& op) const;
  bool may_combine() const { return by_ == By::caller || !user_.own_operator; }
  void retry_deferred();
  void retry_combines();
  void note_misfits();
  void land(const Slice& slice);
  void pack_send_buffer_if_needed();
  void prepare_memory();
  Area area(Buffer buffer) const;
  Area mirror();
  void bring_home();
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
  std::vector<OpId> combines_;   // wait for the caller: the operator is the program's
  By by_ = By::caller;           // who is at it
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
  /// The receive buffer's packed image: for early data of a call whose buffer is not known yet, and
  /// for the whole call (`mirror_all_`) where some slice cuts an element of the user's type, or
  /// spans two blocks of a v-form. In that case nobody reads or writes the user's buffer before
  /// all of it comes home.
  RawMemory mirror_memory_;
  RawMemory packed_send_;
  std::size_t recv_units_ = 0;
  std::size_t early_bytes_ = 0;
  bool mirror_all_ = false;
  std::vector<Slice> landed_;  // what lies in the mirror and belongs into the user's buffer
};

}  // namespace pat::detail
