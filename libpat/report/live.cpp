#include "libpat/report/live.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/live_socket.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/report/late.hpp"
#include "libpat/report/live_answer.hpp"
#include "libpat/report/live_server.hpp"
#include "libpat/report/look_out.hpp"
#include "libpat/report/socket_place.hpp"
#include "libpat/report/stack_line.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// A state is not made anew before it is so old, however often somebody asks.
constexpr auto fresh = std::chrono::milliseconds(100);
/// For the lock: the program's own threads come first.
constexpr auto lock_patience = std::chrono::milliseconds(50);

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// "fft-12345": what `pat top --job` is given, and part of a file's name.
std::string name_of_job() {
  std::string name = std::string(program_invocation_short_name).substr(0, 32);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name + "-" + std::to_string(getpid());
}

/// In the folder of sockets, which is made if there is none.
std::string path_of(const std::string& name) {
  const std::string folder = live_folder();
  open_live_folder(folder);
  return folder + "/" + name;
}

/// Says how this process stands.
class Live {
 public:
  Live(Session& session, std::string job)
      : session_(session), job_(std::move(job)), host_(host_name()) {
    if (session_.config.watchdog_auto) stack_line_.emplace();
    server_.emplace(path_of(live_socket_name(job_, session.rank(), process_)), "pat-live",
                    [this] { return answer(); });
  }

  bool is_mine() const { return server_->is_mine(); }

  /// Of one that is overdue, with PAT_WATCHDOG=auto: once a phase. Thread-safe.
  void look_at_stack(LiveState& state) {
    if (!stack_line_ || !is_overdue(state)) return;
    LiveState::Phase& phase = *state.phase;
    const std::lock_guard lock(stack_mutex_);
    if (std::exchange(seen_phase_ns_, *phase.start_ns) != *phase.start_ns)
      seen_at_ = stack_line_->of(phase.thread);
    phase.seen_at = seen_at_;
  }

 private:
  /// The session's lock is held while plain data is copied, never while it is written or sent.
  std::string answer() {
    if (!text_.empty() && Clock::now() - made_ < fresh) return text_;
    LiveState state;
    if (!session_.under_lock_within(lock_patience,
                                    [&](Locked& locked) { state = live_state(locked, session_); }))
      return text_;
    state.job = job_;
    state.host = host_;
    state.pid = process_;
    look_at_stack(state);
    text_ = text_of(state);
    if (text_.size() > longest_live_text) {  // forecasts of very many ranks
      state.foretold.clear();
      text_ = text_of(state);
    }
    made_ = Clock::now();
    return text_;
  }

  Session& session_;
  const std::string job_, host_;
  const pid_t process_ = getpid();
  std::string text_;
  Clock::time_point made_;
  std::optional<StackLine> stack_line_;  ///< with PAT_WATCHDOG=auto
  std::mutex stack_mutex_;
  std::int64_t seen_phase_ns_ = 0;  ///< the phase that was looked at; and where it was
  std::string seen_at_;
  std::optional<LiveServer> server_;  ///< goes first
};

/// Never destroyed by itself: a child process has no thread to wait for.
Live* live = nullptr;
/// Held while the daemon uses `live`, which must not go meanwhile.
std::mutex live_mutex;

// ---- ranks on other machines, told of by rank 0

/// Says at rank 0 how processes stand whose sockets are elsewhere.
class Others {
 public:
  Others(Session& session, const std::string& job)
      : session_(session),
        server_(path_of(live_socket_name(job, LiveSocket::others, getpid())), "pat-others",
                [this] { return answer(); }) {}

  bool is_mine() const { return server_.is_mine(); }

 private:
  std::string answer() {
    session_.look_elsewhere();
    for (int waited_ms = 0; waited_ms < answers_patience_ms; waited_ms += look_ms)
      if (session_.negotiation.elsewhere().all_have_answered() || !server_.sleep(look_ms)) break;
    std::string text;
    session_.under_lock_within(lock_patience, [&](Locked& locked) {
      text = session_.negotiation.elsewhere().states(locked);
    });
    return text.empty() ? "\n" : text;
  }

  /// A daemon at rest looks for messages five times a second.
  static constexpr int answers_patience_ms = 350, look_ms = 5;

  Session& session_;
  LiveServer server_;
};

Others* others_here = nullptr;

/// The ranks whose sockets are not where rank 0's is.
std::vector<int> ranks_elsewhere(const std::vector<SocketPlace>& places) {
  std::vector<int> elsewhere;
  for (std::size_t r = 1; r < places.size(); ++r)
    if (places[r].machine != places[0].machine) elsewhere.push_back(static_cast<int>(r));
  return elsewhere;
}

/// What the daemon answers to rank 0: the lock is held while plain data is copied.
std::string state_for_rank_0(Locked& locked, Session& session, const std::string& job) {
  LiveState state = live_state(locked, session);
  std::string text;
  locked.without([&] {
    state.job = job;
    state.host = host_name();
    state.pid = getpid();
    {
      const std::lock_guard lock(live_mutex);
      if (live != nullptr) live->look_at_stack(state);
    }
    text = text_of(std::move(state), Control::limit);
  });
  return text;
}

void open_others(Session& session, const std::string& job, std::vector<int> ranks) {
  if (session.rank() != 0) {
    if (std::ranges::binary_search(ranks, session.rank()))
      session.under_lock([&](Locked& locked) {
        session.negotiation.elsewhere().answer_with(
            locked, [&session, job](Locked& l) { return state_for_rank_0(l, session, job); });
      });
    return;
  }
  session.under_lock([&](Locked& locked) {
    session.negotiation.elsewhere().begin(locked, std::move(ranks), session.size(),
                                          session.circumstances.daemon_everywhere);
  });
  others_here = new Others(session, job);
}

void open(Session& session, const std::string& job, const std::vector<int>& elsewhere) {
  static const int hooked = std::atexit(end_live);
  static_cast<void>(hooked);
  try {
    for (const LiveSocket& one : live_sockets())  // what processes left that were killed
      if (kill(static_cast<pid_t>(one.pid), 0) != 0 && errno == ESRCH) unlink(one.path.c_str());
    live = new Live(session, job);
    if (!elsewhere.empty() && session.has_daemon()) open_others(session, job, elsewhere);
  } catch (const std::exception& error) {
    // Nobody asked for a socket where only PAT_WATCHDOG is set, and `pat run` does that by itself.
    if (session.config.live)
      spdlog::warn("rank {} does not answer `pat top` (PAT_LIVE is 1): {}", session.rank(),
                   error.what());
    else
      spdlog::info("rank {} does not answer those who wait for it (PAT_WATCHDOG is set): {}",
                   session.rank(), error.what());
  }
}

}  // namespace

void begin_live(MPI_Comm comm, Session& session) {
  const bool answers = session.config.live || session.config.names_who_is_late();
  if (!on_any(comm, answers)) return;
  std::string job = name_of_job();
  broadcast_text(comm, job);
  const std::vector<SocketPlace> places = socket_places(comm);
  if (answers) open(session, job, ranks_elsewhere(places));
  check(PMPI_Barrier(comm));  // whoever is looked for can be found
  begin_look_out(session, job, places);
}

void end_live() {
  end_look_out();
  if (Others* const ended = std::exchange(others_here, nullptr);
      ended != nullptr && ended->is_mine())
    delete ended;
  if (live == nullptr || !live->is_mine()) return;  // whose mutex may be held for ever
  Live* ended = nullptr;
  {
    const std::lock_guard lock(live_mutex);
    ended = std::exchange(live, nullptr);
  }
  delete ended;
}

}  // namespace pat::detail
