#include "libpat/execution/library_run.hpp"

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {

bool LibraryRun::advance(By) {
  if (done_ || !joined_ || !has_turn_ || is_blocking()) return false;
  const bool begins = !started_;
  if (begins) {
    aside_ = PackedAside::make(arguments_, where_);
    Arguments given = aside_ ? aside_->arguments() : arguments_;
    types_.lengthen(given, where_);
    check(library_calls(given).start(given, where_, &request_));
    started_ = true;
  }
  int ended = 0;
  const int code = PMPI_Test(&request_, &ended, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) error_ = code;
  done_ = ended != 0 || code != MPI_SUCCESS;
  return begins || done_;
}

void LibraryRun::finish(const OnWait& on_wait) {
  if (is_blocking()) {
    told_ = library_calls(arguments_).call(arguments_);
    done_ = true;
    return;
  }
  const double start_s = PMPI_Wtime();
  for (int attempt = 0; !done_; ++attempt) {
    if (advance(By::caller)) continue;
    if (started_ && !on_wait) {
      error_ = PMPI_Wait(&request_, MPI_STATUS_IGNORE);
      done_ = true;
      return;
    }
    pause(attempt);
    if (on_wait) on_wait(PMPI_Wtime() - start_s);
  }
}

}  // namespace pat::detail
