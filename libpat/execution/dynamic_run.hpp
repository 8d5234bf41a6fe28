#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collectives/dynamic/protocol.hpp"
#include "libpat/execution/mailbox.hpp"
#include "libpat/execution/schedule_run.hpp"

namespace pat {

/// Runs one rank's part of a dynamic reduction in the caller's thread: letters through the mailbox,
/// values point to point with tag_base + piece. While it waits for other processes it sleeps
/// between looks, longer and longer; only while data moves it yields instead.
class DynamicRun {
 public:
  /// `units` elements, cut into the protocol's pieces. Begins the mailbox's next call.
  DynamicRun(std::unique_ptr<Protocol> protocol, const UserBuffers& user, std::size_t units,
             bool is_root, Mailbox& mailbox, MPI_Comm communicator, int tag_base);
  /// Returns when this rank is done. `on_wait`, when given, is told the time waited in seconds now
  /// and then. Throws MpiFailure.
  void finish(const std::function<void(double waited_s)>& on_wait);
  /// The first MPI error of a message or a reduction of this call, which then has no result; the
  /// call goes on after it, for the others' sake.
  int error() const { return error_; }
  /// "2 of 16 pieces on their way: recv from 3, send to 0".
  std::string state() const;

 private:
  struct Transfer {
    MPI_Request request;
    int peer, piece;
    bool sends;
  };

  bool take_letters();
  bool complete_transfers();
  void act();
  void post(const Actions::Transfer& transfer, bool sends);
  void combine(int piece);
  Slice slice(int piece) const;
  void note_error(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }

  std::unique_ptr<Protocol> protocol_;
  UserBuffers user_;
  std::size_t units_;
  Mailbox& mailbox_;
  MPI_Comm communicator_;
  int tag_base_;
  double start_s_ = PMPI_Wtime();
  int error_ = MPI_SUCCESS;
  std::vector<Transfer> transfers_;
  std::vector<bool> combined_;  // pieces whose value lies in home_, no longer in the send buffer
  ElementMemory home_memory_, in_memory_;
  Area home_;  // the receive buffer at the root
};

}  // namespace pat
