#include "measure/stop.hpp"

#include <semaphore.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace pat::measure {
namespace {

volatile std::sig_atomic_t stop_asked = 0;
sem_t wake_up;  // of the one object there is; sem_post() may be called in a handler

extern "C" void ask_to_stop(int) {
  const int before = errno;
  stop_asked = 1;
  sem_post(&wake_up);
  errno = before;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> at_once) {
  sem_init(&wake_up, 0, 0);
  watcher_ = std::thread([at_once = std::move(at_once)] {
    while (sem_wait(&wake_up) != 0) {
    }
    if (asked() && at_once) at_once();
  });
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  sem_post(&wake_up);
  watcher_.join();
}

bool StopSignals::asked() {
  return stop_asked != 0;
}

}  // namespace pat::measure
