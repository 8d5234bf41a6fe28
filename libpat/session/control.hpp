#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "libpat/agreement/clock_question.hpp"
#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/pass_down.hpp"
#include "libpat/agreement/report_tree.hpp"
#include "libpat/session/locked.hpp"

namespace pat::detail {

/// Small messages between the processes of a session: reports, requests for a decision, decisions,
/// what time it is, how a process stands.
/// All travel on the session's private communicator; none is larger than 4 KiB. Ranks are those of
/// the session.
class Control {
 public:
  static constexpr std::size_t limit = 4096;

  /// What to do with each kind of message.
  struct Handlers {
    std::function<void(Locked&, int from, const Report&)> report;
    std::function<void(Locked&, int from, const Report&)> ask;
    std::function<void(Locked&, int from, const Report&)> recall;
    std::function<void(Locked&, int from, const Report&)> answer;
    std::function<void(Locked&, const Decision&)> decision;
    /// What rank 0's clock showed when it answered what was asked at `sent_ns`.
    std::function<void(Locked&, std::int64_t sent_ns, std::int64_t theirs_ns)> time;
    /// Rank 0 asks how this process stands; and what a process has answered to rank 0.
    std::function<void(Locked&)> question;
    std::function<void(Locked&, int from, std::string)> state;
  };

  /// Collective over `session`. The private communicator is made of the same group. `disturb` is
  /// the share of messages that are held back for some polls and so handled out of order: for
  /// tests. `fan`: to how many a process tells what is passed on.
  Control(MPI_Comm session, Handlers handlers, double disturb, int fan);
  /// Local; call drain() first. Cancels the open receive and frees the communicator.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// Only the latest report of a stream waits while an earlier one is still on its way.
  /// Asks rank 0 what its clock shows.
  void ask_time(Locked&);
  void send_report(Locked&, int to, const Report& report);
  /// Reports of several processes, in as few messages as hold them.
  void send_reports(Locked&, int to, const std::vector<ForwardedReport>& reports);
  void send_ask(Locked&, int to, const Report& report);
  /// How a message reaches many: told by this process, or passed on by those whom it tells, for
  /// which all of them must poll whatever their programs do.
  enum class Way : std::uint8_t { told, passed_on };
  void send_recall(Locked&, const std::vector<int>& to, const Report& report, Way way);
  void send_answer(Locked&, int to, const Report& report);
  /// How does it stand? And the answer, at most `limit` bytes.
  void send_question(Locked&, int to);
  void send_state(Locked&, int to, const std::string& text);
  void send_decision(Locked&, const std::vector<int>& to, const Decision& decision, Way way);

  /// Handles what has come and completes what was sent; never waits. Returns how many messages were
  /// handled.
  int poll(Locked& locked);
  /// Tells all others that this process will not come to meet() any more. While MPI still runs.
  void say_farewell(Locked&);
  /// Waits until every process of the session has called it, polling. Collective. Throws
  /// Error(order) that names a process which has said farewell.
  void meet(Locked& locked);
  /// Goes on polling until every process of the session has called it: nobody leaves while another
  /// may still ask. Collective.
  void drain(Locked& locked);

  std::size_t messages_sent(Locked&) const { return sent_; }
  std::size_t bytes_sent(Locked&) const { return bytes_sent_; }
  MPI_Comm communicator() const { return communicator_; }

 private:
  enum Tag : int {
    report_tag = 1,
    ask_tag,
    decision_tag,
    farewell_tag,
    recall_tag,
    answer_tag,
    time_tag,
    reports_tag,
    pass_down_tag,
    question_tag,
    state_tag
  };
  using Message = std::shared_ptr<const std::vector<std::byte>>;
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    Message bytes;
    std::pair<std::uint32_t, std::uint32_t> stream{0, 0};
    bool coalesces = false;
  };

  void post_receive();
  const std::function<void(Locked&, int, const Report&)>& handler_of(int tag) const;
  void post(int to, Tag tag, Message bytes, const Report* coalesced);
  void tell(const std::vector<int>& to, Tag tag, const std::vector<Message>& messages);
  void pass_on(const PassDown& list, Tag tag, const std::vector<Message>& messages);
  PassDown take_list(int from);
  [[noreturn]] void refuse_to_meet() const;
  void wait_for_all(Locked& locked);
  void handle(Locked& locked, const MPI_Status& status);
  void take_time(Locked& locked, int from, ClockQuestion time);
  void take_reports(Locked& locked, const std::vector<ForwardedReport>& reports);
  void take_decision(Locked& locked, int from, std::size_t bytes);
  void take_recall(Locked& locked, int from, std::size_t bytes);
  void deliver(Locked& locked, std::function<void(Locked&)> message);
  int deliver_held_back(Locked& locked);
  void complete_sends();

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;  // of it
  Handlers handlers_;
  std::vector<std::byte> incoming_;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  std::list<Outgoing> outgoing_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, Report>> waiting_reports_;
  std::map<int, DecisionReader> readers_;
  std::map<int, PassDown> lists_;  // by sender: of its next message
  int fan_;
  bool passes_on_ = true;  // not any more when all have called drain()
  int gone_ = -1;          // a process that said farewell
  std::size_t sent_ = 0, bytes_sent_ = 0;
  double disturb_;
  std::mt19937 random_;
  std::list<std::pair<int, std::function<void(Locked&)>>> held_back_;  // polls to go, message
};

}  // namespace pat::detail
