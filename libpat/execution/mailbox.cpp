#include "libpat/execution/mailbox.hpp"

#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

/// For 64 streams; so many calls apart numbers come again, when no letter is left.
constexpr unsigned number_bits = 26;
constexpr std::uint32_t numbers = 1u << number_bits;

/// How many calls of a stream `call` is before `latest`; half of all numbers or more: it is later.
std::uint32_t age(std::uint32_t latest, std::uint32_t call) {
  return (latest - call) % numbers;
}

}  // namespace

Mailbox::Name Mailbox::name_of(CallKey call) {
  return call.stream << number_bits | call.call % numbers;
}

Mailbox::Mailbox(MPI_Comm communicator, int tag) : communicator_(communicator), tag_(tag) {
  int size = 0;
  check(PMPI_Comm_size(communicator, &size));
  sent_.assign(static_cast<std::size_t>(size), 0);
  received_ = sent_;
}

Mailbox::~Mailbox() {
  try {
    settle();
  } catch (const MpiFailure&) {
    // The communicator goes all the same; MPI's error handler has spoken already.
  }
}

void Mailbox::send(CallKey call, int to, const Note& note) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  Outgoing& message = outgoing_.emplace_back();
  message.letter = {name_of(call), note};
  ++sent_[static_cast<std::size_t>(to)];
  check(PMPI_Isend(&message.letter, sizeof message.letter, MPI_BYTE, to, tag_, communicator_,
                   &message.request));
}

std::vector<std::pair<int, Note>> Mailbox::take(CallKey call) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  receive_all();
  complete_sends();
  const auto found = waiting_.find(name_of(call));
  if (found == waiting_.end()) return {};
  return std::exchange(found->second, {});
}

void Mailbox::close(CallKey call) {
  const std::lock_guard lock(mutex_);
  const Name name = name_of(call);
  waiting_.erase(name);
  Closed& closed = closed_[call.stream];
  if (closed.last.empty() || age(closed.latest, name) >= numbers / 2) closed.latest = name;
  closed.last.insert(name);
  std::erase_if(closed.last, [&](Name one) { return age(closed.latest, one) >= calls_apart; });
}

bool Mailbox::is_closed(Name call) const {
  const auto found = closed_.find(call >> number_bits);
  if (found == closed_.end()) return false;
  const std::uint32_t before = age(found->second.latest, call);
  return (before >= calls_apart && before < numbers / 2) || found->second.last.contains(call);
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
  Letter letter;
  check(PMPI_Recv(&letter, sizeof letter, MPI_BYTE, from, tag_, communicator_, MPI_STATUS_IGNORE));
  ++received_[static_cast<std::size_t>(from)];
  if (!is_closed(letter.call)) waiting_[letter.call].emplace_back(from, letter.note);
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
