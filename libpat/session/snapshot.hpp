#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "libpat/agreement/signature.hpp"
#include "libpat/session/tally.hpp"

namespace pat::detail {

class Session;

/// What a session has come to in one process, as the report and the tests read it: plain data, of
/// one moment.
struct Snapshot {
  struct Region {
    std::string name;
    std::uint64_t phases = 0;
    double computing_s = 0.0;
    double forecast_mean_absolute_error_s = 0.0;
    std::uint64_t forecasts = 0;
    std::int64_t instructions = 0, cycles = 0;
  };
  /// One of a communicator that is in use, or, without ids, all alike of those freed since.
  struct Stream {
    std::optional<std::uint32_t> communicator, stream;
    TallyKey key;
    Tally tally;
  };
  /// One call on the session's communicator, times on the session's clock.
  struct Record {
    std::int64_t start_ns = 0, arrival_ns = 0;  ///< arrival 0: it was begun and never made
    double computing_s = 0.0;
    std::string place;  ///< what was called, after which region
    std::vector<std::pair<std::string, double>> hints;
  };

  Config config;
  MPI_Comm comm = MPI_COMM_NULL;  ///< the session's private one
  int rank = 0, size = 0;
  bool records = false;  ///< some process wants a trace or a report
  bool daemon = false;
  double wall_s = 0.0, daemon_cpu_s = 0.0, daemon_moving_cpu_s = 0.0;
  std::size_t control_messages = 0, control_bytes = 0;
  std::uint64_t dropped_events = 0, static_calls = 0;
  std::vector<Region> regions;
  std::vector<Stream> streams;
  /// Of the session's communicator; nothing if the user has freed it.
  std::optional<std::vector<Record>> calls;
};

/// Takes in what waits in the event queue. Takes the lock.
Snapshot take_snapshot(Session& session);

}  // namespace pat::detail
