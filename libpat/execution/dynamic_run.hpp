#pragma once

#include <memory>
#include <string>

#include "collectives/dynamic/protocol.hpp"
#include "collectives/problem.hpp"
#include "libpat/execution/mailbox.hpp"
#include "libpat/execution/run.hpp"

namespace pat::detail {

/// Runs one rank's part of a dynamic algorithm: letters through the mailbox, values point to point
/// with tag_base + piece, to be combined where the operation does. Begins when the process arrives.
/// While the caller waits for other processes he sleeps between looks, longer and longer; only
/// while data moves he yields instead.
class DynamicRun final : public Run {
 public:
  /// The problem's units are cut into the protocol's pieces.
  DynamicRun(std::unique_ptr<Protocol> protocol, const Problem& problem, int rank, Mailbox& mailbox,
             CallKey call, MPI_Comm communicator, int tag_base);
  ~DynamicRun() override;
  DynamicRun(const DynamicRun&) = delete;
  DynamicRun& operator=(const DynamicRun&) = delete;

  void join(const UserBuffers& buffers) override;
  bool joined() const override { return joined_; }
  bool advance(By by) override;
  void finish(const OnWait& on_wait) override;
  bool done() const override { return joined_ && protocol_->done(); }
  int error() const override { return error_; }
  /// "2 of 16 pieces on their way: recv from 3, send to 0".
  std::string state() const override;
  /// Letters are the mailbox's to tell.
  std::set<int> receivers() const override;

 private:
  struct Transfer {
    MPI_Request request;
    int peer, piece;
    OperandSide side;
    bool sends;
  };
  /// Where the value of a piece lies.
  enum class At { send_buffer, home, beside };

  bool take_letters();
  bool complete_transfers();
  void act();
  void post(const Actions::Transfer& transfer, bool sends);
  At landing(int piece, OperandSide side) const;
  const Area& area(At at);
  void combine(int piece, OperandSide side);
  void pack_pieces_that_do_not_fit();
  void bring_home();
  Slice slice(int piece) const;
  void note_error(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }

  std::unique_ptr<Protocol> protocol_;
  UserBuffers user_;
  const std::size_t units_;
  const bool combines_;
  const bool has_result_;  ///< its receive buffer
  Mailbox& mailbox_;
  CallKey call_;
  MPI_Comm communicator_;
  int tag_base_;
  bool joined_ = false;
  double start_s_ = 0.0;
  int error_ = MPI_SUCCESS;
  std::vector<Transfer> transfers_;
  std::vector<At> values_;  // by piece
  ElementMemory home_memory_, beside_memory_;
  RawMemory packed_;  // where pieces begin or end within an element of the user's type
  Area home_;         // the receive buffer, where there is one
};

}  // namespace pat::detail
