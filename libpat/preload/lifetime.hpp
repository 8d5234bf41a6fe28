#pragma once

#include <atomic>

namespace pat::detail {

namespace preloaded {
inline std::atomic<bool> on{false};            ///< this library takes part
inline std::atomic<bool> finds_phases{false};  ///< by call sites
}  // namespace preloaded

/// Whether the program's calls go through PAT now.
bool is_watching();
/// Whether computing phases are found by call sites: not in programs that say themselves where they
/// are.
inline bool finds_phases() {
  return preloaded::finds_phases.load(std::memory_order_relaxed);
}

/// Whether MPI is to be started with MPI_THREAD_MULTIPLE, whatever the program asks for.
bool wants_thread_multiple();
/// MPI has started. Collective.
void begin_watching();
/// The program makes a session of MPI 4, without MPI_Init or beside it.
void note_session_of_program();
/// MPI is about to end. Collective.
void end_watching();

}  // namespace pat::detail
