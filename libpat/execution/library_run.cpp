#include "libpat/execution/library_run.hpp"

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {

void LibraryRun::begin() {
  started_ = true;
  if (how_ == How::blocking_when_all_have_come) {
    check(PMPI_Ibarrier(where_, &request_));
    return;
  }
  aside_ = PackedAside::make(arguments_, where_);
  Arguments given = aside_ ? aside_->arguments() : arguments_;
  types_.lengthen(given, where_);
  check(library_calls(given).start(given, where_, &request_));
}

bool LibraryRun::advance(By) {
  if (done_ || all_have_come_ || !joined_ || !has_turn_ || how_ == How::blocking) return false;
  const bool begins = !started_;
  if (begins) begin();
  int ended = 0;
  const int code = PMPI_Test(&request_, &ended, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) error_ = code;
  all_have_come_ = how_ == How::blocking_when_all_have_come && ended != 0;
  done_ = code != MPI_SUCCESS || (ended != 0 && !all_have_come_);
  return begins || ended != 0 || done_;
}

void LibraryRun::block() {
  told_ = library_calls(arguments_).call(arguments_);
  done_ = true;
}

void LibraryRun::finish(const OnWait& on_wait) {
  if (how_ == How::blocking) return block();
  const double start_s = PMPI_Wtime();
  for (int attempt = 0; !done_; ++attempt) {
    if (all_have_come_) return block();
    if (advance(By::caller)) continue;
    if (started_ && !on_wait) {
      error_ = PMPI_Wait(&request_, MPI_STATUS_IGNORE);
      all_have_come_ = how_ == How::blocking_when_all_have_come && error_ == MPI_SUCCESS;
      done_ = !all_have_come_;
      continue;
    }
    pause(attempt);
    if (on_wait) on_wait(PMPI_Wtime() - start_s);
  }
}

}  // namespace pat::detail
