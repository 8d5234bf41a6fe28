#include "libpat/mailbox.hpp"

#include "libpat/mpi_check.hpp"

namespace pat {

Mailbox::~Mailbox() {
  // Letters this short are on their way as soon as they are posted, whether or not they are read.
  for (Outgoing& message : outgoing_) PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
}

void Mailbox::send(int to, const Note& note) {
  Outgoing& message = outgoing_.emplace_back();
  message.letter = {call_, note};
  check(PMPI_Isend(&message.letter, sizeof message.letter, MPI_BYTE, to, tag_, communicator_,
                   &message.request));
}

std::vector<std::pair<int, Note>> Mailbox::take() {
  receive_all();
  complete_sends();
  waiting_.erase(waiting_.begin(), waiting_.lower_bound(call_));
  const auto found = waiting_.find(call_);
  if (found == waiting_.end()) return {};
  return std::exchange(found->second, {});
}

void Mailbox::receive_all() {
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_, &arrived, &status));
    if (!arrived) return;
    Letter letter;
    check(PMPI_Recv(&letter, sizeof letter, MPI_BYTE, status.MPI_SOURCE, tag_, communicator_,
                    MPI_STATUS_IGNORE));
    waiting_[letter.call].emplace_back(status.MPI_SOURCE, letter.note);
  }
}

void Mailbox::complete_sends() {
  for (auto message = outgoing_.begin(); message != outgoing_.end();) {
    int done = 0;
    check(PMPI_Test(&message->request, &done, MPI_STATUS_IGNORE));
    message = done ? outgoing_.erase(message) : std::next(message);
  }
}

}  // namespace pat
