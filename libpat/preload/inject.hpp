#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "libpat/execution/arguments.hpp"

namespace pat::detail {

// `pat inject`: before a collective all its processes meet, agree on a time on the session's clock,
// and each comes so much later as the pattern says. What the command leaves in the environment
// (PAT_INJECT_*) may be set by hand, too.

/// After the session has begun: if it is wanted, and all processes can use their settings; else one
/// of them says what is wrong. Collective over MPI_COMM_WORLD.
void begin_injecting();
/// Gathers what the arrivals were and prints them at rank 0. Collective over MPI_COMM_WORLD.
void end_injecting();

/// One call of the program: its process comes late in the constructor, and what came of it is noted
/// in the destructor. Local where nothing is injected.
class Injection {
 public:
  explicit Injection(const Arguments& arguments);
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

 private:
  void come_late(const char* function, MPI_Comm comm, std::int64_t bytes);
  bool injected_ = false;
  std::size_t place_ = 0;  ///< of its note
  std::int64_t arrived_ns_ = 0;
};

}  // namespace pat::detail
