#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/problem.hpp"
#include "core/config.hpp"
#include "libpat/agreement/mistakes.hpp"
#include "libpat/agreement/region_sums.hpp"
#include "libpat/session/passed_on.hpp"
#include "libpat/session/tally.hpp"

namespace pat::detail {

class Locked;
class Session;

/// What a session has come to in one process, as the report and the tests read it: plain data, of
/// one moment.
struct Snapshot {
  /// A series of calls on a communicator that is in use, or, without ids, all alike of those freed
  /// since.
  struct Stream {
    std::optional<std::uint32_t> communicator, stream;
    TallyKey key;
    Tally tally;
  };

  Config config;
  int rank = 0, size = 0;
  std::string mpi;  ///< name and version of the library
  bool thread_multiple = false;
  bool daemon = false;
  LinkCost network;  ///< what `auto` takes messages of 64 KiB to cost, seconds
  double wall_s = 0.0, daemon_cpu_s = 0.0, daemon_moving_cpu_s = 0.0;
  std::size_t control_messages = 0, control_bytes = 0;
  std::uint64_t dropped_events = 0;
  std::uint64_t static_calls = 0;      ///< without a decision
  std::uint64_t unmeasured_calls = 0;  ///< of communicators that are not of the session
  std::vector<RegionSum> regions;
  std::vector<Mistake> mistakes;  ///< of the program, in saying how far it is
  std::vector<Stream> streams;
  std::vector<PassedOn::Count> passed_on;  ///< calls that were only watched
  std::vector<int> slow_links;             ///< as Calls::slow_links(), in ascending order
};

/// Takes in what waits in the event queue. Takes the lock.
Snapshot take_snapshot(Session& session);
/// As it stands without what waits in the queue. Calls no MPI.
Snapshot take_snapshot(Locked&, Session& session);

}  // namespace pat::detail
