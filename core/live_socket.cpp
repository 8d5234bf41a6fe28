#include "core/live_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "core/errors.hpp"
#include "core/live_state.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

namespace fs = std::filesystem;

std::string fallback_folder() {
  return "/tmp/pat-" + std::to_string(geteuid());
}

bool is_own_folder(const std::string& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

template <class Number>
std::optional<Number> read_number(const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool is_gone(const LiveSocket& socket) {
  return kill(static_cast<pid_t>(socket.pid), 0) != 0 && errno == ESRCH;
}

/// One question on its way.
struct Question {
  int fd = -1;
  std::size_t longest = longest_live_text;
  std::string text;
  bool over = false, refused = false;
};

Question ask(const LiveSocket& socket) {
  Question question;
  if (socket.rank == LiveSocket::others) question.longest = longest_text_of_others;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  question.fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (question.fd < 0 || socket.path.size() >= sizeof address.sun_path) {
    question.over = true;
    return question;
  }
  std::memcpy(address.sun_path, socket.path.data(), socket.path.size());
  if (connect(question.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    question.over = true;
    question.refused = errno == ECONNREFUSED || errno == ENOENT;
  }
  return question;
}

/// What has come. An answer ends with a line's end, and there the process closes its end; one that
/// breaks off before, because the process was killed, is none.
void take(Question& question) {
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t got = recv(question.fd, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got > 0) question.text.append(piece.data(), static_cast<std::size_t>(got));
    if (got > 0 && question.text.size() <= question.longest) continue;
    question.over = true;
    if (got != 0 || !question.text.ends_with('\n')) question.text.clear();
    return;
  }
}

void wait_for(std::vector<Question>& questions, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    std::vector<pollfd> open;
    std::vector<Question*> asked;
    for (Question& question : questions)
      if (!question.over) {
        open.push_back({question.fd, POLLIN, 0});
        asked.push_back(&question);
      }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (open.empty() || left.count() <= 0) return;
    if (poll(open.data(), open.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].revents != 0) take(*asked[i]);
  }
}

}  // namespace

std::string live_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && is_own_folder(runtime))
    return std::string(runtime) + "/pat";
  return fallback_folder();
}

void open_live_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(ErrorKind::io,
                "the folder '" + folder + "' cannot be made: " + std::strerror(errno));
  struct stat about {};
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    throw Error(ErrorKind::io, "'" + folder + "' is no folder, remove it");
  if (about.st_uid != geteuid())
    throw Error(ErrorKind::io, "the folder '" + folder +
                                   "' is another user's, have it removed or set XDG_RUNTIME_DIR to "
                                   "a folder of your own");
  if ((about.st_mode & 0077) != 0)
    throw Error(ErrorKind::io, "the folder '" + folder +
                                   "' is open to other users, close it: chmod 700 " + folder);
}

std::string live_socket_name(const std::string& job, int rank, std::int64_t pid) {
  return job + "." + (rank == LiveSocket::others ? "others" : std::to_string(rank)) + "." +
         std::to_string(pid) + ".sock";
}

std::optional<LiveSocket> parse_live_socket(const std::string& folder, const std::string& name) {
  const std::vector<std::string> parts = split(name, '.');
  if (parts.size() != 4 || parts[0].empty() || parts[3] != "sock") return std::nullopt;
  const auto rank = parts[1] == "others" ? LiveSocket::others : read_number<int>(parts[1]);
  const auto pid = read_number<std::int64_t>(parts[2]);
  if (!rank || !pid || *pid == 0) return std::nullopt;
  return LiveSocket{folder + "/" + name, parts[0], *rank, *pid};
}

std::vector<LiveSocket> live_sockets() {
  std::vector<LiveSocket> sockets;
  std::vector<std::string> folders = {live_folder()};
  if (folders.front() != fallback_folder()) folders.push_back(fallback_folder());
  for (const std::string& folder : folders) {
    if (!fs::exists(fs::symlink_status(folder))) continue;
    open_live_folder(folder);
    for (const auto& entry : fs::directory_iterator(folder))
      if (auto socket = parse_live_socket(folder, entry.path().filename()))
        sockets.push_back(std::move(*socket));
  }
  std::ranges::sort(sockets, {}, [](const LiveSocket& s) { return std::tuple(s.job, s.rank); });
  return sockets;
}

std::vector<std::optional<std::string>> ask_live(const std::vector<LiveSocket>& sockets,
                                                 std::chrono::milliseconds patience) {
  std::vector<Question> questions;
  for (const LiveSocket& socket : sockets) questions.push_back(ask(socket));
  wait_for(questions, patience);
  std::vector<std::optional<std::string>> answers;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    Question& question = questions[i];
    if (question.fd >= 0) close(question.fd);
    if (question.refused || (question.text.empty() && is_gone(sockets[i]))) {
      unlink(sockets[i].path.c_str());
      answers.emplace_back(std::nullopt);
    } else {
      answers.emplace_back(question.over ? std::move(question.text) : std::string());
    }
  }
  return answers;
}

}  // namespace pat
