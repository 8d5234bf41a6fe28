#include "libpat/session/departure.hpp"

#include <algorithm>

#include "libpat/execution/memory.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

/// Added to the counts by a process where a call broke off: nobody knows what is under way then,
/// so all keep the twin. More than there are processes.
constexpr std::int64_t broken = std::int64_t{1} << 40;

}  // namespace

Departure::Departure(Locked& locked, std::unique_ptr<Twin> twin)
    : twin_(std::move(twin)), partners_(static_cast<std::size_t>(twin_->size()), 0) {
  for (const int rank : twin_->give_up_all(locked)) partners_[static_cast<std::size_t>(rank)] = 1;
  if (twin_->is_broken())
    for (std::int64_t& count : partners_) count += broken;
  check(PMPI_Ireduce_scatter_block(partners_.data(), &expected_, 1, MPI_INT64_T, MPI_SUM,
                                   twin_->data(), &agreement_));
}

bool Departure::advance(Locked& locked) {
  if (!agreed_) {
    int done = 0;
    check(PMPI_Test(&agreement_, &done, MPI_STATUS_IGNORE));
    if (!done) return false;
    agreed_ = true;
    if (expected_ >= broken) {
      twin_->break_off(locked);
      return true;
    }
    send_last_messages();
  }
  take_in();
  int sent = 0;
  check(PMPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE));
  if (!sent || come_ < expected_) return false;
  twin_->mailbox().abandon();  // its letters were taken in here and elsewhere
  return true;
}

void Departure::send_last_messages() {
  for (std::size_t rank = 0; rank < partners_.size(); ++rank) {
    if (partners_[rank] == 0) continue;
    sends_.emplace_back();
    check(PMPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(rank), twin_->last_tag(), twin_->data(),
                     &sends_.back()));
  }
}

void Departure::take_in() {
  while (come_ < expected_) {
    int waiting = 0;
    MPI_Status status;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, twin_->data(), &waiting, &status));
    if (!waiting) return;
    int bytes = 0;
    check(PMPI_Get_count(&status, MPI_PACKED, &bytes));
    const RawMemory dropped = raw_memory(static_cast<std::size_t>(std::max(bytes, 1)));
    check(PMPI_Recv(dropped.get(), bytes, MPI_PACKED, status.MPI_SOURCE, status.MPI_TAG,
                    twin_->data(), MPI_STATUS_IGNORE));
    come_ += status.MPI_TAG == twin_->last_tag();
  }
}

}  // namespace pat::detail
