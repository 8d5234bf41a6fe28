#include "libpat/session/control.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/clock.hpp"
#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {
namespace {

template <class Message>
std::shared_ptr<const std::vector<std::byte>> bytes_of(const Message& message) {
  auto bytes = std::make_shared<std::vector<std::byte>>(sizeof message);
  std::memcpy(bytes->data(), &message, sizeof message);
  return bytes;
}

}  // namespace

Control::Control(MPI_Comm session, Handlers handlers, double disturb)
    : communicator_(private_communicator(session)),
      handlers_(std::move(handlers)),
      incoming_(limit),
      disturb_(disturb) {
  check(PMPI_Comm_size(communicator_, &size_));
  post_receive();
}

Control::~Control() {
  if (receive_ != MPI_REQUEST_NULL) {
    PMPI_Cancel(&receive_);
    PMPI_Wait(&receive_, MPI_STATUS_IGNORE);
  }
  for (Outgoing& message : outgoing_) PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
  PMPI_Comm_free(&communicator_);
}

void Control::ask_time(Locked&) {
  post(0, time_tag, bytes_of(ClockQuestion{now_ns(), 0}), nullptr);
}

void Control::send_report(Locked&, int to, const Report& report) {
  const std::pair stream{report.communicator, report.stream};
  const bool on_its_way = std::any_of(
      outgoing_.begin(), outgoing_.end(),
      [&](const Outgoing& message) { return message.coalesces && message.stream == stream; });
  if (on_its_way)
    waiting_reports_[stream] = {to, report};
  else
    post(to, report_tag, bytes_of(report), &report);
}

void Control::send_reports(Locked&, int to, const std::vector<ForwardedReport>& reports) {
  constexpr std::size_t most = limit / sizeof(ForwardedReport);
  for (std::size_t first = 0; first < reports.size(); first += most) {
    const std::size_t count = std::min(most, reports.size() - first);
    auto bytes = std::make_shared<std::vector<std::byte>>(count * sizeof(ForwardedReport));
    std::memcpy(bytes->data(), &reports[first], bytes->size());
    post(to, reports_tag, std::move(bytes), nullptr);
  }
}

void Control::send_ask(Locked&, int to, const Report& report) {
  post(to, ask_tag, bytes_of(report), nullptr);
}

void Control::send_recall(Locked&, const std::vector<int>& to, const Report& report) {
  const auto bytes = bytes_of(report);
  for (const int rank : to) post(rank, recall_tag, bytes, nullptr);
}

void Control::send_answer(Locked&, int to, const Report& report) {
  post(to, answer_tag, bytes_of(report), nullptr);
}

void Control::send_decision(Locked&, const std::vector<int>& to, const Decision& decision) {
  for (auto& message : encode(decision, limit)) {
    const auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(message));
    for (const int rank : to) post(rank, decision_tag, bytes, nullptr);
  }
}

int Control::poll(Locked& locked) {
  int handled = deliver_held_back(locked);
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    check(PMPI_Test(&receive_, &arrived, &status));
    if (!arrived) break;
    handle(locked, status);
    post_receive();
    ++handled;
  }
  if (!outgoing_.empty()) complete_sends();
  return handled;
}

void Control::say_farewell(Locked&) {
  int rank = 0, size = 0;
  check(PMPI_Comm_rank(communicator_, &rank));
  check(PMPI_Comm_size(communicator_, &size));
  for (int other = 0; other < size; ++other)
    if (other != rank) check(PMPI_Send(nullptr, 0, MPI_BYTE, other, farewell_tag, communicator_));
}

void Control::meet(Locked& locked) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(communicator_, &barrier));
  for (int attempt = 0, done = 0;; ++attempt) {
    poll(locked);
    check(PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    if (done) return;
    if (gone_ >= 0)
      throw Error(ErrorKind::order, "PAT_Finalize: process " + std::to_string(gone_) +
                                        " is in MPI_Finalize and has not called PAT_Finalize, call "
                                        "it on every process");
    locked.without([&] { pause(attempt); });
  }
}

void Control::drain(Locked& locked) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(communicator_, &barrier));
  for (int done = 0; !done;) {
    poll(locked);
    check(PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    if (!done) locked.without([] { sched_yield(); });
  }
  poll(locked);
}

void Control::post_receive() {
  check(PMPI_Irecv(incoming_.data(), static_cast<int>(limit), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                   communicator_, &receive_));
}

void Control::post(int to, Tag tag, std::shared_ptr<const std::vector<std::byte>> bytes,
                   const Report* coalesced) {
  Outgoing message;
  message.bytes = std::move(bytes);
  message.coalesces = coalesced != nullptr;
  if (coalesced) message.stream = {coalesced->communicator, coalesced->stream};
  check(PMPI_Isend(message.bytes->data(), static_cast<int>(message.bytes->size()), MPI_BYTE, to,
                   tag, communicator_, &message.request));
  ++sent_;
  bytes_sent_ += message.bytes->size();
  outgoing_.push_back(std::move(message));
}

void Control::handle(Locked& locked, const MPI_Status& status) {
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  if (status.MPI_TAG == farewell_tag) {
    gone_ = status.MPI_SOURCE;
    return;
  }
  const auto length = static_cast<std::size_t>(bytes);
  if (status.MPI_TAG == time_tag)
    return take_time(locked, status.MPI_SOURCE, read_clock_question(incoming_.data(), length));
  if (status.MPI_TAG == reports_tag)
    return take_reports(locked, read_reports(incoming_.data(), length, size_));
  if (status.MPI_TAG == decision_tag) {
    Decision decision;
    if (readers_[status.MPI_SOURCE].read(incoming_.data(), length, decision))
      deliver(locked, [this, decision](Locked& l) { handlers_.decision(l, decision); });
    return;
  }
  const Report report = read_report(incoming_.data(), length);
  const auto& handler = handler_of(status.MPI_TAG);
  deliver(locked,
          [&handler, from = status.MPI_SOURCE, report](Locked& l) { handler(l, from, report); });
}

void Control::take_reports(Locked& locked, const std::vector<ForwardedReport>& reports) {
  for (const ForwardedReport& one : reports)
    deliver(locked, [this, one](Locked& l) { handlers_.report(l, one.from, one.report); });
}

/// Rank 0 is asked, all others are answered. Never held back: that would only be a worse answer.
void Control::take_time(Locked& locked, int from, ClockQuestion time) {
  if (from == 0) return handlers_.time(locked, time.sent_ns, time.theirs_ns);
  time.theirs_ns = now_ns();
  post(from, time_tag, bytes_of(time), nullptr);
}

const std::function<void(Locked&, int, const Report&)>& Control::handler_of(int tag) const {
  switch (tag) {
    case ask_tag:
      return handlers_.ask;
    case recall_tag:
      return handlers_.recall;
    case answer_tag:
      return handlers_.answer;
    default:
      return handlers_.report;
  }
}

void Control::deliver(Locked& locked, std::function<void(Locked&)> message) {
  constexpr unsigned most_polls = 40;
  if (disturb_ > 0.0 && std::uniform_real_distribution<>(0.0, 1.0)(random_) < disturb_)
    held_back_.emplace_back(static_cast<int>(random_() % most_polls), std::move(message));
  else
    message(locked);
}

int Control::deliver_held_back(Locked& locked) {
  std::list<std::pair<int, std::function<void(Locked&)>>> due;
  for (auto message = held_back_.begin(); message != held_back_.end();) {
    const auto next = std::next(message);
    if (--message->first < 0) due.splice(due.end(), held_back_, message);
    message = next;
  }
  for (const auto& message : due) message.second(locked);
  return static_cast<int>(due.size());
}

void Control::complete_sends() {
  std::vector<std::pair<int, Report>> next;
  for (auto message = outgoing_.begin(); message != outgoing_.end();) {
    int done = 0;
    check(PMPI_Test(&message->request, &done, MPI_STATUS_IGNORE));
    if (!done) {
      ++message;
      continue;
    }
    if (message->coalesces) {
      const auto waiting = waiting_reports_.find(message->stream);
      if (waiting != waiting_reports_.end()) {
        next.push_back(waiting->second);
        waiting_reports_.erase(waiting);
      }
    }
    message = outgoing_.erase(message);
  }
  for (const auto& [to, report] : next) post(to, report_tag, bytes_of(report), &report);
}

}  // namespace pat::detail
