#pragma once

#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

namespace pat::detail {

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

/// Sends a text to whoever connects to a socket, in a thread that sleeps until somebody does and
/// calls no MPI.
class LiveServer {
 public:
  /// `answer` is called in that thread, once a reader. Throws Error(io).
  LiveServer(std::string path, const char* thread_name, std::function<std::string()> answer);
  /// The socket goes, and then the thread.
  ~LiveServer();

  /// Until `wait_ms` have passed, in that thread. False: it is to stop.
  bool sleep(int wait_ms) const { return wait_for(-1, 0, wait_ms); }
  /// Of this process, not of one that it was forked from.
  bool is_mine() const { return getpid() == process_; }

 private:
  bool wait_for(int fd, short events, int wait_ms) const;
  void run(const char* name);
  void serve(int reader);

  const std::string path_;
  const std::function<std::string()> answer_;
  const pid_t process_ = getpid();
  const Descriptor listener_, stop_;
  std::thread thread_;
};

}  // namespace pat::detail
