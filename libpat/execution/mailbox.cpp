#include "libpat/execution/mailbox.hpp"

#include <array>
#include <cstddef>
#include <exception>

#include "libpat/mpi/check.hpp"

namespace pat::detail {

Mailbox::Mailbox(MPI_Comm communicator, int tag) : communicator_(communicator), tag_(tag) {
  int size = 0;
  check(PMPI_Comm_size(communicator, &size));
  sent_.assign(static_cast<std::size_t>(size), 0);
  received_ = sent_;
}

Mailbox::~Mailbox() {
  try {
    settle();
  } catch (const std::exception&) {
    // The communicator goes all the same. If MPI failed, its error handler has spoken already.
  }
}

void Mailbox::send(CallKey call, int to, const Note& note) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  Outgoing& message = outgoing_.emplace_back();
  message.letter = Letters::letter(call, note);
  ++sent_[static_cast<std::size_t>(to)];
  check(PMPI_Isend(&message.letter, sizeof message.letter, MPI_BYTE, to, tag_, communicator_,
                   &message.request));
}

std::vector<std::pair<int, Note>> Mailbox::take(CallKey call) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  receive_all();
  complete_sends();
  return letters_.take(call);
}

void Mailbox::close(CallKey call) {
  const std::lock_guard lock(mutex_);
  letters_.close(call);
}

void Mailbox::settle() {
  if (!used_) return;  // nor was it on any other rank
  std::vector<int> expected(sent_.size(), 0);
  check(PMPI_Alltoall(sent_.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, communicator_));
  for (std::size_t from = 0; from < expected.size(); ++from)
    while (received_[from] < expected[from]) receive(static_cast<int>(from));
  abandon();
}

void Mailbox::abandon() {
  for (Outgoing& message : outgoing_) check(PMPI_Wait(&message.request, MPI_STATUS_IGNORE));
  outgoing_.clear();
  used_ = false;
}

std::set<int> Mailbox::receivers() const {
  const std::lock_guard lock(mutex_);
  std::set<int> ranks;
  for (std::size_t to = 0; to < sent_.size(); ++to)
    if (sent_[to] > 0) ranks.insert(static_cast<int>(to));
  return ranks;
}

void Mailbox::receive(int from) {
  std::array<std::byte, sizeof(Letter)> message;
  MPI_Status status;
  int bytes = 0;
  check(PMPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, from, tag_,
                  communicator_, &status));
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  ++received_[static_cast<std::size_t>(from)];
  letters_.put(from, message.data(), static_cast<std::size_t>(bytes));
}

void Mailbox::receive_all() {
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_, &arrived, &status));
    if (!arrived) return;
    receive(status.MPI_SOURCE);
  }
}

void Mailbox::complete_sends() {
  for (auto message = outgoing_.begin(); message != outgoing_.end();) {
    int done = 0;
    check(PMPI_Test(&message->request, &done, MPI_STATUS_IGNORE));
    message = done ? outgoing_.erase(message) : std::next(message);
  }
}

}  // namespace pat::detail
