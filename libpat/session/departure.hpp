#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "libpat/session/twin.hpp"

namespace pat::detail {

/// A communicator's twin on its way out, after the user has freed the communicator. Go-aheads that
/// were sent for a call that never came, and late letters, may still be under way in it; MPI gives
/// the context of a freed communicator to a new one, where they would be taken for that one's
/// messages. So each process tells how many it may have sent to, a last message follows to each of
/// these, and the twin is kept until all last messages have come: messages of one sender do not
/// overtake each other. Waits for nobody, as programs may free their communicators in any order.
class Departure {
 public:
  /// Gives up what was begun ahead. All processes of the twin must get here at some time.
  Departure(Locked&, std::unique_ptr<Twin> twin);
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;

  /// Goes on as far as possible without waiting. True when the twin may be destroyed, which the
  /// destructor does. Throws MpiFailure.
  bool advance(Locked&);

 private:
  void send_last_messages();
  void take_in();

  std::unique_ptr<Twin> twin_;
  std::vector<std::int64_t> partners_;  ///< by rank: 1 if something may have been sent to it
  std::int64_t expected_ = 0;           ///< last messages that come here
  std::int64_t come_ = 0;
  MPI_Request agreement_ = MPI_REQUEST_NULL;
  bool agreed_ = false;
  std::vector<MPI_Request> sends_;
};

}  // namespace pat::detail
