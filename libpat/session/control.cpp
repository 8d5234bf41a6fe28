#include "libpat/session/control.hpp"

#include <sched.h>
#include <spdlog/spdlog.h>

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

std::vector<std::shared_ptr<const std::vector<std::byte>>> shared(
    std::vector<std::vector<std::byte>> messages) {
  std::vector<std::shared_ptr<const std::vector<std::byte>>> list;
  for (auto& message : messages)
    list.push_back(std::make_shared<const std::vector<std::byte>>(std::move(message)));
  return list;
}

}  // namespace

Control::Control(MPI_Comm session, Handlers handlers, double disturb, int fan)
    : communicator_(private_communicator(session)),
      handlers_(std::move(handlers)),
      incoming_(limit),
      fan_(fan),
      disturb_(disturb) {
  check(PMPI_Comm_rank(communicator_, &rank_));
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

void Control::send_recall(Locked&, const std::vector<int>& to, const Report& report, Way way) {
  if (way == Way::told) return tell(to, recall_tag, {bytes_of(report)});
  pass_on({rank_, to}, recall_tag, {bytes_of(report)});
}

void Control::send_answer(Locked&, int to, const Report& report) {
  post(to, answer_tag, bytes_of(report), nullptr);
}

void Control::send_question(Locked&, int to) {
  post(to, question_tag, std::make_shared<std::vector<std::byte>>(), nullptr);
}

void Control::send_state(Locked&, int to, const std::string& text) {
  auto bytes = std::make_shared<std::vector<std::byte>>(std::min(text.size(), limit));
  if (!bytes->empty()) std::memcpy(bytes->data(), text.data(), bytes->size());
  post(to, state_tag, std::move(bytes), nullptr);
}

void Control::send_decision(Locked&, const std::vector<int>& to, const Decision& decision,
                            Way way) {
  if (way == Way::told) return tell(to, decision_tag, shared(encode(decision, limit)));
  pass_on({rank_, to}, decision_tag, shared(encode(decision, limit)));
}

void Control::tell(const std::vector<int>& to, Tag tag, const std::vector<Message>& messages) {
  for (const Message& message : messages)
    for (const int rank : to) post(rank, tag, message, nullptr);
}

/// Each of a few is told whom to tell, and then what.
void Control::pass_on(const PassDown& list, Tag tag, const std::vector<Message>& messages) {
  if (!passes_on_) return;
  for (const std::vector<int>& share : shares_of(list.below, fan_)) {
    const PassDown rest{list.from, {share.begin() + 1, share.end()}};
    tell({share.front()}, pass_down_tag, shared(encode(rest, limit)));
    tell({share.front()}, tag, messages);
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
    if (gone_ >= 0) refuse_to_meet();
    locked.without([&] { pause(attempt); });
  }
}

/// One of the others says it, for programs that ignore what PAT_Finalize returns.
void Control::refuse_to_meet() const {
  const std::string sentence = "PAT_Finalize: process " + std::to_string(gone_) +
                               " is in MPI_Finalize and has not called PAT_Finalize, call it on "
                               "every process";
  if (rank_ == (gone_ == 0 ? 1 : 0)) spdlog::error("{}", sentence);
  throw Error(ErrorKind::order, sentence);
}

void Control::drain(Locked& locked) {
  wait_for_all(locked);
  passes_on_ = false;    // nobody needs anything any more
  wait_for_all(locked);  // what is still being passed on has come
  poll(locked);
}

void Control::wait_for_all(Locked& locked) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(communicator_, &barrier));
  for (int done = 0; !done;) {
    poll(locked);
    check(PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    if (!done) locked.without([] { sched_yield(); });
  }
}

void Control::post_receive() {
  check(PMPI_Irecv(incoming_.data(), static_cast<int>(limit), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                   communicator_, &receive_));
}

void Control::post(int to, Tag tag, Message bytes, const Report* coalesced) {
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
  if (status.MPI_TAG == question_tag) return handlers_.question(locked);
  if (status.MPI_TAG == state_tag)
    return handlers_.state(locked, status.MPI_SOURCE,
                           {reinterpret_cast<const char*>(incoming_.data()), length});
  if (status.MPI_TAG == reports_tag)
    return take_reports(locked, read_reports(incoming_.data(), length, size_));
  if (status.MPI_TAG == pass_down_tag)
    return read_pass_down(incoming_.data(), length, size_, lists_[status.MPI_SOURCE]);
  if (status.MPI_TAG == decision_tag) return take_decision(locked, status.MPI_SOURCE, length);
  if (status.MPI_TAG == recall_tag) return take_recall(locked, status.MPI_SOURCE, length);
  const Report report = read_report(incoming_.data(), length);
  const auto& handler = handler_of(status.MPI_TAG);
  deliver(locked,
          [&handler, from = status.MPI_SOURCE, report](Locked& l) { handler(l, from, report); });
}

void Control::take_decision(Locked& locked, int from, std::size_t bytes) {
  Decision decision;
  if (!readers_[from].read(incoming_.data(), bytes, decision)) return;
  deliver(locked, [this, list = take_list(from), decision](Locked& l) {
    pass_on(list, decision_tag, shared(encode(decision, limit)));
    handlers_.decision(l, decision);
  });
}

void Control::take_recall(Locked& locked, int from, std::size_t bytes) {
  const Report recall = read_report(incoming_.data(), bytes);
  deliver(locked, [this, list = take_list(from), recall](Locked& l) {
    pass_on(list, recall_tag, {bytes_of(recall)});
    handlers_.recall(l, list.from, recall);
  });
}

/// To whom this process passes on what came after it.
PassDown Control::take_list(int from) {
  PassDown list;
  std::swap(list, lists_[from]);
  if (list.from < 0) list.from = from;
  return list;
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
