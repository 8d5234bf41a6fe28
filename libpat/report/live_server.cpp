#include "libpat/report/live_server.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// For a reader that does not read.
constexpr auto reader_patience = std::chrono::milliseconds(200);
/// Between two readers, so that many cost no more than this allows.
constexpr int pause_ms = 5;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::io, what + " failed: " + std::strerror(errno));
}

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

}  // namespace

LiveServer::LiveServer(std::string path, const char* thread_name,
                       std::function<std::string()> answer)
    : path_(std::move(path)),
      answer_(std::move(answer)),
      listener_(listen_at(path_)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  sigset_t all, before;  // signals are for the program's threads
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this, thread_name] { run(thread_name); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LiveServer::~LiveServer() {
  unlink(path_.c_str());
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

/// Until `fd` is ready for that, or `wait_ms` have passed (-1: never). False: it is to stop.
bool LiveServer::wait_for(int fd, short events, int wait_ms) const {
  pollfd both[] = {{stop_.get(), POLLIN, 0}, {fd, events, 0}};
  poll(both, fd >= 0 ? 2 : 1, wait_ms);
  return both[0].revents == 0;
}

void LiveServer::run(const char* name) {
  pthread_setname_np(pthread_self(), name);
  while (wait_for(listener_.get(), POLLIN, -1)) {
    const Descriptor reader(
        accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (reader.get() >= 0) serve(reader.get());
    if (!sleep(pause_ms)) return;
  }
}

void LiveServer::serve(int reader) {
  const std::string text = answer_();
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

}  // namespace pat::detail
