#pragma once

#include <cstdint>

namespace pat {

/// What an annotation call, or a collective that needed nothing else, leaves behind: 24 bytes,
/// written to a lock-free queue by the thread that made the call and read by whoever forecasts.
struct ProgressEvent {
  /// leave: no call of PAT's will follow the present or last phase; one that has not ended is none.
  enum class Kind : std::uint8_t { start, edge, pause, resume, end, leave, call };

  struct Progress {
    float fraction;           ///< share of the computing phase done: 0 at start, 1 at end
    std::uint32_t iteration;  ///< counts the computing phases of the region, from 0
    std::uint32_t region;     ///< index of the region in its session
  };
  struct Call {
    float duration_s;            ///< from the arrival to the exit
    std::uint32_t communicator;  ///< id of the twin
    std::uint16_t series;        ///< id in the communicator
    std::uint16_t site;          ///< number of the place that the program called from; 0: not known
  };

  std::int64_t time_ns;  ///< pat::now_ns() at the call; of a collective at its arrival
  union {
    Progress progress;  ///< of all but call
    Call call;          ///< of call
  };
  Kind kind;
  std::uint16_t thread = 0;  ///< which of the process's made the call; 0: not said
};
static_assert(sizeof(ProgressEvent) == 24);

}  // namespace pat
