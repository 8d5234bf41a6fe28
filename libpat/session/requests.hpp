#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>

#include "libpat/session/calls.hpp"

namespace pat::detail {

/// Calls that outlive the function that makes them, and what becomes of them when the program frees
/// their communicator or ends the session.
class Requests {
 public:
  using Handle = void*;

  Requests(Twins& twins, Rest& rest, Following& following, Calls& calls)
      : twins_(twins), rest_(rest), following_(following), calls_(calls) {}
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  Handle add(Locked&, std::unique_ptr<Call> call);
  bool knows(Locked&, Handle handle) const;
  /// Throws Error(request) for what is none.
  Call& at(Locked&, Handle handle, const char* function);
  /// Whose error handler mistakes with it go to; MPI_COMM_NULL if that is unknown or freed.
  MPI_Comm user_communicator(Locked&, Handle handle) const;
  void release(Locked&, Handle handle);
  /// Releases one whose call cannot go on; what is on its way of it stays.
  void abandon(Locked&, Handle handle);
  std::size_t active(Locked&) const;
  /// By handle.
  const std::map<std::uint64_t, std::unique_ptr<Call>>& all(Locked&) const { return all_; }

  /// The user freed the communicator.
  void forget(Locked&, Twin& twin);
  /// PAT_Finalize: all are given up.
  void give_up_all(Locked&);

 private:
  void depart(Locked&, Twin& twin);

  Twins& twins_;
  Rest& rest_;
  Following& following_;
  Calls& calls_;
  std::uint64_t made_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Call>> all_;
};

}  // namespace pat::detail
