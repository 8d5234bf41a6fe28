#pragma once

#include <cstdint>

#include "libpat/execution/arguments.hpp"
#include "libpat/execution/packed_aside.hpp"
#include "libpat/execution/types_for_neighbours.hpp"

namespace pat::detail {

/// The MPI library's own collective, by PAT's arguments; both return MPI's code. From the table of
/// calls (libpat/execution/calls.def).
struct LibraryCalls {
  int (*call)(const Arguments&);  ///< on the user's communicator; waits
  /// The non-blocking form on another communicator of the same group.
  int (*start)(const Arguments&, MPI_Comm, MPI_Request*);
};
/// Those for this call: of its operation, v-form or not, counts of either size. Thread-safe.
const LibraryCalls& library_calls(const Arguments& arguments);

/// A call that the MPI library does. Either at once and blocking, in finish(), on the user's
/// communicator; or in its non-blocking form on a private one, where it begins when its turn has
/// come: MPI wants the collectives of a communicator begun in one order on all ranks. The library
/// may combine in another order there: so a call that must keep its bits waits on the private one
/// for all to come, and then blocks, when nobody waits for anything else.
class LibraryRun final : public Run {
 public:
  enum class How : std::uint8_t { blocking, nonblocking, blocking_when_all_have_come };

  /// Blocking.
  explicit LibraryRun(const Arguments& arguments) : arguments_(arguments) {}
  /// On `where`, the private communicator; not blocking.
  LibraryRun(const Arguments& arguments, MPI_Comm where, How how = How::nonblocking)
      : arguments_(arguments), how_(how), where_(where) {}

  void join(const UserBuffers&) override { joined_ = true; }
  bool joined() const override { return joined_; }
  void take_turn() override { has_turn_ = true; }
  bool advance(By by) override;
  void finish(const OnWait& on_wait) override;
  bool done() const override { return done_; }
  int error() const override { return error_; }
  int told_error() const override { return told_; }
  std::string state() const override { return "in the MPI library"; }
  std::set<int> receivers() const override { return {}; }

 private:
  void begin();
  void block();

  Arguments arguments_;
  How how_ = How::blocking;
  std::unique_ptr<PackedAside> aside_;
  TypesForNeighbours types_;
  MPI_Comm where_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool joined_ = false, has_turn_ = false, started_ = false, all_have_come_ = false, done_ = false;
  int error_ = MPI_SUCCESS, told_ = MPI_SUCCESS;
};

}  // namespace pat::detail
