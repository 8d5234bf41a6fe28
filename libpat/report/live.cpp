#include "libpat/report/live.hpp"

#include <poll.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "core/live_socket.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/report/late.hpp"
#include "libpat/report/live_answer.hpp"
#include "libpat/report/look_out.hpp"
#include "libpat/report/stack_line.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// A state is not made anew before it is so old, however often somebody asks.
constexpr auto fresh = std::chrono::milliseconds(100);
/// For the lock: the program's own threads come first.
constexpr auto lock_patience = std::chrono::milliseconds(50);
/// For a reader that does not read.
constexpr auto reader_patience = std::chrono::milliseconds(200);
/// Between two readers, so that many cost no more than this allows.
constexpr int pause_ms = 5;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::io, what + " failed: " + std::strerror(errno));
}

/// Open as long as this lives.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

/// Begins to listen before the socket has its name: whoever finds it gets an answer.
int listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string made = path + ".new";
  if (made.size() >= sizeof address.sun_path)
    throw Error(ErrorKind::io, "the path '" + made +
                                   "' is too long for a socket, set XDG_RUNTIME_DIR to a folder "
                                   "with a shorter one");
  std::memcpy(address.sun_path, made.data(), made.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  unlink(made.c_str());
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, 8) != 0 || rename(made.c_str(), path.c_str()) != 0) {
    const int why = errno;
    close(fd);
    unlink(made.c_str());
    errno = why;
    fail("the socket '" + path + "'");
  }
  return fd;
}

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

/// Answers on the process's socket.
class Live {
 public:
  Live(Session& session, std::string job)
      : session_(session),
        job_(std::move(job)),
        path_(make_path(job_, session.rank())),
        listener_(listen_at(path_)),
        stop_(eventfd(0, EFD_CLOEXEC)) {
    if (session_.config.watchdog_auto) stack_line_.emplace();
    sigset_t all, before;  // signals are for the program's threads
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~Live() {
    unlink(path_.c_str());
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }

  /// Of this process, not of one that it was forked from.
  bool is_mine() const { return getpid() == process_; }

 private:
  static std::string make_path(const std::string& job, int rank) {
    const std::string folder = live_folder();
    open_live_folder(folder);
    return folder + "/" + live_socket_name(job, rank, getpid());
  }

  /// Until `fd` is ready for that, or `wait_ms` have passed (-1: never). False: it is to stop.
  bool wait_for(int fd, short events, int wait_ms) const {
    pollfd both[] = {{stop_.get(), POLLIN, 0}, {fd, events, 0}};
    poll(both, fd >= 0 ? 2 : 1, wait_ms);
    return both[0].revents == 0;
  }

  void run() {
    pthread_setname_np(pthread_self(), "pat-live");
    while (wait_for(listener_.get(), POLLIN, -1)) {
      const Descriptor reader(
          accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (reader.get() >= 0) serve(reader.get());
      if (!wait_for(-1, 0, pause_ms)) return;
    }
  }

  void serve(int reader) {
    const std::string& text = answer();
    const auto until = Clock::now() + reader_patience;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t now = send(reader, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now > 0) {
        sent += static_cast<std::size_t>(now);
        continue;
      }
      if (now < 0 && errno != EAGAIN && errno != EINTR) return;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (left.count() <= 0 || !wait_for(reader, POLLOUT, static_cast<int>(left.count()))) return;
    }
  }

  /// The session's lock is held while plain data is copied, never while it is written or sent.
  const std::string& answer() {
    if (!text_.empty() && Clock::now() - made_ < fresh) return text_;
    LiveState state;
    if (!session_.under_lock_within(lock_patience,
                                    [&](Locked& locked) { state = live_state(locked, session_); }))
      return text_;
    state.job = job_;
    state.host = host_;
    state.pid = process_;
    if (stack_line_ && is_overdue(state)) look_at_stack(*state.phase);
    text_ = text_of(state);
    if (text_.size() > longest_live_text) {  // forecasts of very many ranks
      state.foretold.clear();
      text_ = text_of(state);
    }
    made_ = Clock::now();
    return text_;
  }

  /// Once a phase.
  void look_at_stack(LiveState::Phase& phase) {
    if (std::exchange(seen_phase_ns_, *phase.start_ns) != *phase.start_ns)
      seen_at_ = stack_line_->of(phase.thread);
    phase.seen_at = seen_at_;
  }

  Session& session_;
  const std::string job_, host_ = host_name();
  const pid_t process_ = getpid();
  const std::string path_;
  const Descriptor listener_, stop_;
  std::string text_;
  Clock::time_point made_;
  std::optional<StackLine> stack_line_;  ///< with PAT_WATCHDOG=auto
  std::int64_t seen_phase_ns_ = 0;       ///< the phase that was looked at; and where it was
  std::string seen_at_;
  std::thread thread_;
};

/// Never destroyed by itself: a child process has no thread to wait for.
Live* live = nullptr;

void open(Session& session, const std::string& job) {
  static const int hooked = std::atexit(end_live);
  static_cast<void>(hooked);
  try {
    for (const LiveSocket& one : live_sockets())  // what processes left that were killed
      if (kill(static_cast<pid_t>(one.pid), 0) != 0 && errno == ESRCH) unlink(one.path.c_str());
    live = new Live(session, job);
  } catch (const std::exception& error) {
    // Nobody asked for a socket where only PAT_WATCHDOG is auto, and `pat run` sets that by itself.
    if (session.config.live)
      spdlog::warn("rank {} does not answer `pat top` (PAT_LIVE is 1): {}", session.rank(),
                   error.what());
    else
      spdlog::info("rank {} does not answer those who wait for it (PAT_WATCHDOG is auto): {}",
                   session.rank(), error.what());
  }
}

}  // namespace

void begin_live(MPI_Comm comm, Session& session) {
  const bool answers = session.config.live || session.config.watchdog_auto;
  if (!on_any(comm, answers)) return;
  std::string job = name_of_job();
  broadcast_text(comm, job);
  if (answers) open(session, job);
  begin_look_out(comm, session, job);
}

void end_live() {
  end_look_out();
  Live* const ended = std::exchange(live, nullptr);
  if (ended != nullptr && ended->is_mine()) delete ended;
}

}  // namespace pat::detail
