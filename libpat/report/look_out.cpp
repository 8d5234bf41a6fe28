#include "libpat/report/look_out.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/live_socket.hpp"
#include "core/seconds.hpp"
#include "core/text.hpp"
#include "libpat/report/late.hpp"
#include "libpat/report/live_answer.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

using Condition = Neighbour::Condition;

/// Between two looks at the process's own call.
constexpr auto pause_between = std::chrono::milliseconds(250);
/// A pause that took so much longer was not the program's: the process was stopped, or there was no
/// processor for it.
constexpr double hiccup_s = 0.5;
/// For a process that does not answer, and for the lock: the program's own threads come first.
constexpr auto answer_patience = std::chrono::milliseconds(300);
constexpr auto busy_patience = std::chrono::milliseconds(50);
/// For rank 0, which asks its daemon, which asks those elsewhere.
constexpr auto elsewhere_patience = std::chrono::milliseconds(600);
/// A process that does not answer is asked once more before that is spoken of.
constexpr int most_silences = 2;
/// Who has come may get no processor to answer, or answers as it stood before: asked so often.
constexpr int most_looks = 8;
/// An answer that is older was not made for this question.
constexpr double stale_s = 1.0;

struct Process {
  int rank = 0;
  std::int64_t pid = 0;
};

/// The other processes of the session on this machine.
std::vector<Process> neighbours(const std::vector<SocketPlace>& places, int rank) {
  const auto mine = static_cast<std::size_t>(rank);
  std::vector<Process> here;
  for (std::size_t r = 0; r < places.size(); ++r)
    if (r != mine && places[r].machine == places[mine].machine && places[mine].machine != 0)
      here.push_back({static_cast<int>(r), places[r].pid});
  return here;
}

/// Of each rank, for those on the machine of rank 0 where there are ranks elsewhere; else empty.
std::vector<std::uint64_t> machines_seen(const std::vector<SocketPlace>& places, int rank) {
  const std::uint64_t here = places[static_cast<std::size_t>(rank)].machine;
  if (here == 0 || here != places[0].machine) return {};
  std::vector<std::uint64_t> machines;
  for (const SocketPlace& place : places) machines.push_back(place.machine);
  const bool all_here =
      std::ranges::all_of(machines, [here](std::uint64_t machine) { return machine == here; });
  return all_here ? std::vector<std::uint64_t>() : machines;
}

/// As /proc says it: 'T' is stopped, 't' by a debugger, 'Z' has ended; nothing: there is none.
std::optional<char> process_state(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_ends = line.rfind(')');  // the name may hold anything
  if (name_ends == std::string::npos || name_ends + 2 >= line.size()) return std::nullopt;
  return line[name_ends + 2];
}

Condition condition_of(std::int64_t pid) {
  const auto state = process_state(pid);
  if (!state || *state == 'Z' || *state == 'X') return Condition::gone;
  return *state == 'T' || *state == 't' ? Condition::stopped : Condition::silent;
}

/// What is found is said at once, and again each time that the wait has become twice as long.
class LookOut {
 public:
  LookOut(Session& session, std::string job, std::vector<Process> others,
          std::vector<std::uint64_t> machines, std::int64_t pid_of_rank_0)
      : session_(session),
        job_(std::move(job)),
        others_(std::move(others)),
        machines_(std::move(machines)),
        pid_of_rank_0_(pid_of_rank_0),
        patience_s_(session.config.watchdog_auto ? std::nullopt
                                                 : std::optional(session.config.watchdog_s)) {
    sigset_t all, before;  // signals are for the program's threads
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~LookOut() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    condition_.notify_one();
    thread_.join();
    if (const auto present = session_.watchdog()->present();
        !present || present->since_ns != since_ns_)
      note_the_end();
    say_that_it_goes_on(0);
  }

  /// Of this process, not of one that it was forked from.
  bool is_mine() const { return getpid() == process_; }

 private:
  void run() {
    pthread_setname_np(pthread_self(), "pat-look-out");
    std::unique_lock lock(mutex_);
    std::int64_t before_ns = now_ns();
    while (!condition_.wait_for(lock, pause_between, [this] { return stop_; })) {
      lock.unlock();
      const double pause_s = seconds(now_ns() - before_ns);
      look_at_own_call(pause_s > hiccup_s ? pause_s : 0.0);
      before_ns = now_ns();
      lock.lock();
    }
  }

  void look_at_own_call(double hiccup) {
    const auto present = session_.watchdog()->present();
    const std::int64_t since_ns = present ? present->since_ns : 0;
    if (since_ns_ != since_ns) {
      note_the_end();
      since_ns_ = since_ns;
      excused_s_ = 0.0;
      look_after_s_ = first_look_s_;
      say_after_s_ = 0.0;
      silences_.clear();
    }
    say_that_it_goes_on(most_looks);
    if (!present) return;
    excused_s_ += hiccup;
    const double waited_s = seconds(now_ns() - since_ns) - excused_s_;
    if (waited_s < look_after_s_) return;
    look_after_s_ = next_look_s(waited_s);
    try {
      if (const auto found = look(); found && waited_s >= say_after_s_) {
        spdlog::critical("{}", found->sentence);
        say_after_s_ = 2.0 * waited_s;
        for (const int rank : found->late)
          if (std::ranges::find(named_, rank) == named_.end()) named_.push_back(rank);
        std::ranges::sort(named_);
      }
    } catch (const Error& error) {  // such as a folder that others can enter
      spdlog::debug("rank {} cannot look who is late: {}", session_.rank(), error.what());
    }
  }

  /// A call in which somebody was named, and which is over.
  struct Ended {
    LiveState waited;        ///< at the latest look
    std::vector<int> named;  ///< who was said to be late
    double lasted_s = 0.0;
    int looks = 0;  ///< for who has come
  };

  void note_the_end() {
    if (named_.empty()) return;
    say_that_it_goes_on(0);  // of the call before
    const auto left = session_.watchdog()->left();
    const std::int64_t end_ns = left && left->exit_ns > since_ns_ ? left->exit_ns : now_ns();
    ended_ = Ended{waited_, std::exchange(named_, {}), seconds(end_ns - since_ns_)};
  }

  /// Once, when those who were late say that they have come, or after `looks`.
  void say_that_it_goes_on(int looks) {
    if (!ended_) return;
    try {
      const std::vector<int> came = who_came(ended_->waited, how_they_stand(ended_->named));
      if (came.size() < ended_->named.size() && ++ended_->looks < looks) return;
      spdlog::warn("{}", goes_on(ended_->waited, came, ended_->lasted_s));
    } catch (const Error& error) {
      spdlog::debug("rank {} cannot look who has come: {}", session_.rank(), error.what());
    }
    ended_.reset();
  }

  std::vector<Neighbour> how_they_stand(const std::vector<int>& ranks) {
    const auto is_asked = [&](const auto& one) {
      return std::ranges::find(ranks, one.rank) != ranks.end();
    };
    std::vector<Process> here;
    std::ranges::copy_if(others_, std::back_inserter(here), is_asked);
    std::vector<Neighbour> now = ask(here, session_.regions.synchronised_now());
    if (here.size() < ranks.size())
      std::ranges::copy_if(ask_elsewhere(session_.regions.synchronised_now()),
                           std::back_inserter(now), is_asked);
    return now;
  }

  std::optional<Alarm> look() {
    std::optional<LiveState> own;
    session_.under_lock_within(busy_patience,
                               [&](Locked& locked) { own = live_state(locked, session_); });
    if (!own || !own->present) return std::nullopt;
    if (own->present->since_ns != since_ns_ + session_.regions.clock_offset())
      return std::nullopt;  // another call, meanwhile
    std::vector<Neighbour> found;
    lower_may_answer_ = false;
    for (const std::vector<Process>& asked : in_turn())
      for (Neighbour& one : ask(asked, own->now_ns)) {
        if (one.state && leaves_word_to(*own, *one.state)) {
          speaker_ = one.rank;
          return std::nullopt;
        }
        found.push_back(std::move(one));
      }
    if (lower_may_answer_) return std::nullopt;
    for (Neighbour& one : ask_elsewhere(own->now_ns)) found.push_back(std::move(one));
    std::ranges::sort(found, {}, &Neighbour::rank);
    waited_ = *own;
    return who_is_late(*own, found, excused_s_, patience_s_);
  }

  /// First who spoke last, then lower ranks, always twice as many at once, as most of all that wait
  /// need ask no further; then the others.
  std::vector<std::vector<Process>> in_turn() const {
    std::vector<std::vector<Process>> turns(1);
    std::vector<Process> higher;
    std::size_t many = 1;
    for (const Process& one : others_) {
      if (one.rank > session_.rank()) {
        higher.push_back(one);
      } else if (one.rank == speaker_) {
        turns.front().push_back(one);
      } else {
        if (turns.size() == 1 || turns.back().size() == many) {
          many = turns.size() == 1 ? 1 : 2 * many;
          turns.emplace_back();
        }
        turns.back().push_back(one);
      }
    }
    turns.push_back(std::move(higher));
    return turns;
  }

  std::vector<Neighbour> ask(const std::vector<Process>& processes, std::int64_t asked_ns) {
    const std::string folder = live_folder();
    std::vector<LiveSocket> sockets;
    for (const Process& one : processes)
      sockets.push_back(
          {folder + "/" + live_socket_name(job_, one.rank, one.pid), job_, one.rank, one.pid});
    const auto texts = ask_live(sockets, answer_patience);
    std::vector<Neighbour> answers;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      Neighbour one{processes[i].rank, processes[i].pid, Condition::answers, std::nullopt};
      if (texts[i] && !texts[i]->empty()) one.state = read(*texts[i], asked_ns);
      if (one.state) {
        silences_.erase(one.rank);
      } else {
        one.condition = texts[i] ? condition_of(one.pid) : Condition::gone;
        if (++silences_[one.rank] < most_silences && one.condition != Condition::stopped) {
          lower_may_answer_ |= one.rank < session_.rank();
          continue;
        }
      }
      answers.push_back(std::move(one));
    }
    return answers;
  }

  /// Rank 0 answers for them.
  std::vector<Neighbour> ask_elsewhere(std::int64_t asked_ns) const {
    if (machines_.empty()) return {};
    const std::string name = live_socket_name(job_, LiveSocket::others, pid_of_rank_0_);
    const auto texts =
        ask_live({{live_folder() + "/" + name, job_, LiveSocket::others, pid_of_rank_0_}},
                 elsewhere_patience);
    std::vector<Neighbour> answers;
    for (const std::string& line : split(texts.front().value_or(""), '\n')) {
      if (line.empty()) continue;
      LiveState state = read_live_state(line);
      const auto rank = static_cast<std::size_t>(state.rank);
      if (rank >= machines_.size()) continue;
      if (state.silent_s)
        answers.push_back({state.rank, 0, Condition::silent, std::nullopt, machines_[rank]});
      else if (seconds(asked_ns - state.now_ns) <= stale_s)
        answers.push_back(
            {state.rank, state.pid, Condition::answers, std::move(state), machines_[rank]});
    }
    return answers;
  }

  static std::optional<LiveState> read(const std::string& text, std::int64_t asked_ns) try {
    LiveState state = read_live_state(text);
    if (seconds(asked_ns - state.now_ns) > stale_s) return std::nullopt;
    return state;
  } catch (const Error&) {
    return std::nullopt;
  }

  Session& session_;
  const std::string job_;
  const std::vector<Process> others_;          ///< in the order of ranks
  const std::vector<std::uint64_t> machines_;  ///< see machines_seen()
  const std::int64_t pid_of_rank_0_;
  const pid_t process_ = getpid();
  const std::optional<double> patience_s_;  ///< the user's own
  const double first_look_s_ = std::max(late_at_least_s, patience_s_.value_or(0.0));

  // Of the call that lasts.
  std::int64_t since_ns_ = 0;
  double excused_s_ = 0.0, look_after_s_ = 0.0, say_after_s_ = 0.0;
  LiveState waited_;             ///< at the latest look
  std::vector<int> named_;       ///< who was said to be late, at whichever look
  std::optional<Ended> ended_;   ///< of which that is still to be said
  std::map<int, int> silences_;  ///< of each rank, in a row
  int speaker_ = -1;             ///< who spoke last for this process
  bool lower_may_answer_ =
      false;  ///< some lower rank, which may speak itself, is to be asked again

  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;
  std::thread thread_;
};

/// Never destroyed by itself: a child process has no thread to wait for.
LookOut* look_out = nullptr;

}  // namespace

void begin_look_out(Session& session, const std::string& job,
                    const std::vector<SocketPlace>& places) {
  if (!session.config.names_who_is_late()) return;
  std::vector<Process> others = neighbours(places, session.rank());
  std::vector<std::uint64_t> machines = machines_seen(places, session.rank());
  if (!others.empty() || !machines.empty())
    look_out =
        new LookOut(session, job, std::move(others), std::move(machines), places.front().pid);
}

void end_look_out() {
  LookOut* const ended = std::exchange(look_out, nullptr);
  if (ended != nullptr && ended->is_mine()) delete ended;
}

}  // namespace pat::detail
