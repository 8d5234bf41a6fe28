#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "libpat/session/departure.hpp"
#include "libpat/session/locked.hpp"
#include "libpat/session/tally.hpp"
#include "libpat/session/twin.hpp"

namespace pat::detail {

/// The twins of the user's communicators: each is made when PAT meets the communicator first, hangs
/// on it as an attribute, and departs when the user frees it.
class Twins {
 public:
  /// Called when the user frees a communicator; from MPI, without the lock.
  using OnFree = void (*)(Twin&);

  /// `session`: the communicator that all others must be part of. Local.
  Twins(MPI_Comm session, OnFree on_free, bool keeps_tallies);
  /// Every twin must have departed.
  ~Twins();
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  /// The twin of a user communicator; null if it has none yet. Thread-safe.
  static Twin* attached(MPI_Comm user);
  /// The ranks that the processes of the communicator have in the session; nothing if not all of
  /// them belong to it, or it is an inter-communicator, which have no twin. Local.
  std::optional<std::vector<int>> session_ranks(MPI_Comm user) const;
  /// Makes one. Collective over `user`, for which all have come.
  std::unique_ptr<Twin> make(MPI_Comm user, std::vector<int> session_ranks);
  Twin& add(Locked&, MPI_Comm user, std::unique_ptr<Twin> twin);

  /// By its id; null: it is not here (yet, or any more).
  Twin* find(Locked&, std::uint32_t id) const;
  /// It was here: ids come from the process that names the communicator, which counts them, and all
  /// that it shares with this process are made in one order.
  bool has_departed(Locked&, std::uint32_t id) const;
  const std::map<std::uint32_t, std::unique_ptr<Twin>>& all(Locked&) const { return twins_; }

  /// Nothing refers to the twin any more: it goes when nothing is under way in it.
  void depart(Locked&, Twin& twin);
  void advance_departures(Locked&);
  /// All processes of the session.
  std::vector<int> session_ranks() const;
  bool any_departing(Locked&) const { return !departures_.empty(); }
  /// Of the communicators that the user has freed, if they are kept.
  const std::map<TallyKey, Tally>& departed_tallies(Locked&) const { return departed_tallies_; }

  /// Takes the attributes off all communicators, as if the user had freed them; on all processes
  /// in the same order. Without the lock.
  static void detach_all();

 private:
  MPI_Group session_ = MPI_GROUP_NULL;
  int rank_ = 0, size_ = 0;
  const bool keeps_tallies_;
  std::atomic<std::uint32_t> made_{0};
  std::map<std::uint32_t, std::unique_ptr<Twin>> twins_;
  std::vector<std::unique_ptr<Departure>> departures_;
  std::map<TallyKey, Tally> departed_tallies_;
  std::vector<std::uint32_t> newest_;  ///< by who named it: the count after its latest here
};

}  // namespace pat::detail
