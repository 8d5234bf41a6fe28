#include "libpat/report/spool.hpp"

#include <semaphore.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "core/journal.hpp"
#include "core/journal_files.hpp"
#include "core/whole_file.hpp"
#include "libpat/report/claim.hpp"
#include "libpat/report/report.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

constexpr int watched_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCONT};
/// For the lock, and of rank 0 for the others' last words: who is told to end has a second or so,
/// who ends by himself has time.
constexpr auto patience = std::chrono::milliseconds(400);
constexpr auto unhurried = std::chrono::milliseconds(5000);

/// Between two looks at what is new: what a process that dies may lose.
constexpr long pause_ns = 250'000'000;

/// What the handler may touch.
sem_t woken;
std::atomic<int> told_to_end{0};  ///< by which signal
std::atomic<bool> continued{false};
std::atomic<pid_t> process{0};  ///< whose session it is; 0: there is none
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  if (getpid() != process) {  // a child, or a handler that the program kept and set again
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  if (signal == SIGCONT)
    continued = true;
  else
    told_to_end = signal;
  sem_post(&woken);
}

void watch(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler != SIG_DFL) return;  // the program's own business
  struct sigaction ours {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART;
  sigaction(signal, &ours, nullptr);
}

void leave_alone(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler == on_signal) std::signal(signal, SIG_DFL);
}

/// The journal of this process on its way to the disk, and who brings it there.
class Spool {
 public:
  explicit Spool(Session& session) : session_(session), base_(journal_base(session.config)) {
    if (!base_.empty()) file_.open(path_of(session.rank()), std::ios::binary | std::ios::trunc);
    if (!base_.empty() && session.rank() == 0) remove_older();
    process = process_;
    for (const int signal : watched_signals) watch(signal);
    thread_ = std::thread([this] { run(); });
  }

  /// All is written elsewhere.
  ~Spool() {
    stop();
    let_go();
    if (!base_.empty()) unlink(path_of(session_.rank()).c_str());
    release_claim();
  }

  /// Once; in the process that made this, not in its children.
  void say_last_words(std::chrono::milliseconds wait) {
    if (getpid() != process_ || said_.exchange(true)) return;
    write_down("the program ends without PAT_Finalize", End::yes, wait);
    file_.close();
  }

  /// Signals that come now wait for let_go().
  void stop() {
    stop_ = true;
    sem_post(&woken);
    if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
  }

  void let_go() const {
    for (const int signal : watched_signals) leave_alone(signal);
    process = 0;
    continued = false;
    if (const int signal = told_to_end.exchange(0)) kill(process_, signal);
  }

 private:
  std::string path_of(int rank) const { return journal_path(base_, rank); }

  /// What a run of more processes has left, of the same name.
  void remove_older() const {
    for (int rank = session_.size(); unlink(path_of(rank).c_str()) == 0;) ++rank;
  }

  void run() {
    pthread_setname_np(pthread_self(), "pat-journal");
    while (!stop_) {
      flush();
      timespec until{};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_nsec += pause_ns;
      until.tv_sec += until.tv_nsec / 1'000'000'000;
      until.tv_nsec %= 1'000'000'000;
      sem_timedwait(&woken, &until);
      if (stop_) return;
      if (told_to_end != 0) {
        say_last_words(patience);
        stand_in();
        return let_go();
      }
      if (continued.exchange(false)) {
        write_down("SIGCONT came, as a second before mpirun ends a program, or to let it go on",
                   End::no, patience);
        stand_in();
      }
    }
  }

  void flush() {
    session_.journal->write_down([this](const auto& take) {
      return session_.under_lock_within(patience, [&](Locked&) { take(); });
    });
    put(unwritten());
  }

  /// What the journal has and the file has not.
  std::string unwritten() {
    std::string fresh = session_.journal->text(written_);
    written_ += fresh.size();
    return fresh;
  }

  void put(const std::string& fresh) {
    if (fresh.empty() || !file_.is_open() || file_ << fresh << std::flush) return;
    file_.close();
    spdlog::warn(
        "rank {} cannot keep aside what it records in {}: the disk may be full; PAT_Finalize alone "
        "writes the trace",
        session_.rank(), path_of(session_.rank()));
  }

  enum class End : bool { no, yes };
  /// All that this process has; at rank 0 trace and report, too.
  void write_down(const char* why, End end, std::chrono::milliseconds wait) {
    const bool all = session_.journal->write_down([&](const auto& take) {
      return session_.under_lock_within(patience, [&](Locked& locked) {
        session_.following.note_events(locked);
        summary_ = summary_line(locked, session_);
        take();
      });
    });
    if (!all) return;  // this thread is inside the lock: what was flushed must do
    put(unwritten() + summary_);
    if (session_.rank() == 0) write_for_all(why, end, wait);
  }

  /// What ends the others may have killed rank 0 already. Who finds that out first writes for it.
  void stand_in() {
    if (session_.rank() == 0 || base_.empty()) return;
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!inherit_journals(base_)) {
      if (stop_ || access(path_of(0).c_str(), F_OK) != 0 ||
          std::chrono::steady_clock::now() > until)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!is_all_written())
      write_for_all(
          fmt::format("rank 0 has died, and rank {} writes for it", session_.rank()).c_str(),
          End::yes, patience);
    release_claim();
  }

  /// Since rank 0 had its last word.
  bool is_all_written() const {
    const Config& config = session_.config;
    return (config.trace.empty() || is_newer_than_claimed(config.trace)) &&
           (config.report.empty() || config.report == "stderr" ||
            is_newer_than_claimed(config.report));
  }

  void write_for_all(const char* why, End end, std::chrono::milliseconds wait) {
    const std::string mine = session_.journal->text() + summary_;
    try {
      int missing = write_files(mine);  // there may be time for no more
      if (missing > 0 && !base_.empty()) {
        wait_for_others(wait);
        missing = write_files(mine);
      }
      print_once();
      tell(why, missing);
      if (missing > 0 || end == End::no) return;
      for (int rank = 0; rank < session_.size(); ++rank) unlink(path_of(rank).c_str());
    } catch (const std::exception& error) {
      spdlog::error("{}", error.what());
    }
  }

  /// Trace and report of what all have left. Returns how many had no last word, but for a rank 0
  /// that has died.
  int write_files(const std::string& mine) {
    JournalJoin join(base_);
    join.add(mine);
    int missing = 0;
    for (int rank = 0; rank < session_.size(); ++rank) {
      if (rank == session_.rank()) continue;
      const auto text = base_.empty() ? std::nullopt : read_whole_file(path_of(rank));
      if (text) join.add(*text);
      if (rank != 0 && (!text || !has_summary(*text))) ++missing;
    }
    joined_ = join.result();
    joined_.complete = false;
    Config files = session_.config;
    if (files.report == "stderr") files.report.clear();
    if (joined_.traces.empty()) files.trace.clear();
    write_trace_and_report(files, joined_);
    return missing;
  }

  void print_once() {
    if (session_.config.report != "stderr" || std::exchange(printed_, true)) return;
    Config screen = session_.config;
    screen.trace.clear();
    write_trace_and_report(screen, joined_);
  }

  void tell(const char* why, int missing) const {
    const std::string what =
        std::string(why) + ": trace and report say what was recorded until now";
    if (missing == 0)
      spdlog::warn("{}", what);
    else if (base_.empty())
      spdlog::warn("{}, of rank 0 alone; with PAT_TRACE it is of all", what);
    else
      spdlog::warn(
          "{}; {} of {} processes had no last word, what they recorded lies in {}.rank*, "
          "join it with `pat trace join {}`",
          what, missing, session_.size(), base_, base_);
  }

  static bool has_summary(const std::string& text) {
    const std::size_t last =
        text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
    return last != std::string::npos && text.compare(last + 1, 11, "{\"summary\":") == 0;
  }

  void wait_for_others(std::chrono::milliseconds wait) const {
    const auto until = std::chrono::steady_clock::now() + wait;
    for (int rank = 1; rank < session_.size(); ++rank)
      while (std::chrono::steady_clock::now() < until) {
        const auto text = read_whole_file(path_of(rank));
        if (text && has_summary(*text)) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
  }

  Session& session_;
  const pid_t process_ = getpid();
  const std::string base_;
  std::ofstream file_;
  std::size_t written_ = 0;
  std::string summary_;  ///< how this process stood when it was written down last
  JoinedJournals joined_;
  bool printed_ = false;
  std::atomic<bool> stop_{false}, said_{false};
  std::thread thread_;
};

std::unique_ptr<Spool>& spool() {
  static std::unique_ptr<Spool> the;
  return the;
}

}  // namespace

void begin_spool(Session& session) {
  if (session.journal == nullptr) return;
  static const bool prepared = [] {
    sem_init(&woken, 0, 0);
    spool();  // made before, so that it is destroyed after the last words
    std::atexit([] { say_last_words(false); });
    return true;
  }();
  static_cast<void>(prepared);
  spool() = std::make_unique<Spool>(session);
}

void end_spool() {
  spool().reset();
}

void say_last_words(bool others_too) {
  if (!spool()) return;
  spool()->stop();
  spool()->say_last_words(others_too ? unhurried : patience);
  spool()->let_go();
  static_cast<void>(spool().release());  // its file stays
}

}  // namespace pat::detail
