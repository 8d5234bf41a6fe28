#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "core/clock.hpp"
#include "libpat/agreement/inferred_progress.hpp"
#include "libpat/agreement/region.hpp"

namespace pat::detail {

/// What a call that is no computing waits for: a message, or what all do together, such as making a
/// communicator.
enum class WaitsFor { message, others };

/// The computing phases of one thread of a program that does not say where they are: what lies
/// between the end of one collective and the beginning of the next. A region is the place of the
/// call that ends the phase: communicator and return address. Where the thread has come by before,
/// the call that follows is expected to be the one that followed last, so the phase is known, and
/// foretold, while it runs.
class Phases {
 public:
  /// Those of this thread.
  static Phases& mine();

  /// A place that the program calls a collective from, as this thread knows it.
  struct Place {
    MPI_Comm comm = MPI_COMM_NULL;
    const void* caller = nullptr;
    const char* function = "";      ///< "MPI_Gather"
    bool is_the_librarys = false;   ///< the MPI library calls it for itself
    std::uint16_t number = 0;       ///< of session/sites; 0: nobody keeps records
    RegionState* region = nullptr;  ///< made when a phase was long enough
    std::uint64_t drops = 0;        ///< settled_drops() when the region was looked up
    Place* next = nullptr;          ///< the place that was called from next, last time
    std::int64_t gap_ns = 0;        ///< the time before its latest call
    InferredProgress progress;      ///< of the phases before it
  };
  Place& place(const char* function, MPI_Comm comm, const void* caller);

  /// The program enters the collective: the phase before it ends.
  void arrive(Place& here, std::int64_t now_ns);
  /// It leaves it: the next phase begins.
  void leave(Place& here, std::int64_t now_ns);
  /// The program has waited until now: that part of the present phase is no computing. A wait for a
  /// message tells how far the phase has come, too.
  void waited(WaitsFor what, std::int64_t since_ns, std::int64_t now_ns);

  bool inside = false;  ///< a call that is only watched

 private:
  Place& find(const char* function, MPI_Comm comm, const void* caller);
  void name(Place& place);
  void drop_open(std::int64_t now_ns);
  Waypoint waypoint(std::int64_t now_ns);
  void begin_phase(std::int64_t now_ns);
  void tell_progress(std::int64_t now_ns, const Waypoint& point);

  std::map<std::pair<MPI_Comm, const void*>, Place> places_;
  std::array<Place*, 16> recent_{};
  Place* last_ = nullptr;
  std::int64_t left_ns_ = 0;     ///< when last_ was left; 0: there is none
  std::int64_t paused_ns_ = 0;   ///< of the present phase
  std::int64_t noted_ns_ = 0;    ///< of that, what events have told
  RegionState* open_ = nullptr;  ///< whose phase is thought to run
  Place* open_place_ = nullptr;
  Waypoints passed_;   ///< of the present phase
  double told_ = 0.0;  ///< the share of it that was told last
  HardwareCounters counters_;
  std::int64_t instructions_ = 0;  ///< of the present phase, as far as it was looked at
};

}  // namespace pat::detail
