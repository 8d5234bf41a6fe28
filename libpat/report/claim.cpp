#include "libpat/report/claim.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace pat::detail {
namespace {

using Clock = std::chrono::system_clock;

const Clock::time_point begin = Clock::now();

int claim = -1;  ///< open and locked; -1: there is none
std::string claimed;

/// Who had the file before may have taken it away meanwhile.
bool is_still_there(int file) {
  struct stat found {};
  return fstat(file, &found) == 0 && found.st_nlink > 0;
}

Clock::time_point written_at(const struct stat& file) {
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(
      std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec)));
}

/// A child that outlives this process must not keep what it has taken.
void close_in_children() {
  static const int registered = pthread_atfork(nullptr, nullptr, release_claim);
  static_cast<void>(registered);
}

}  // namespace

std::string journal_base(const Config& config) {
  return !config.trace.empty() ? config.trace : config.report != "stderr" ? config.report : "";
}

std::string journal_path(const std::string& base, int rank) {
  return base + ".rank" + std::to_string(rank);
}

bool claim_journals(const std::string& base) {
  release_claim();
  while (true) {
    const int file = open(journal_path(base, 0).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return true;  // who writes there will say what is wrong
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
      if (is_still_there(file)) {
        close_in_children();
        claim = file;
        claimed = journal_path(base, 0);
        return true;
      }
      close(file);
      continue;
    }
    const bool is_taken = errno == EWOULDBLOCK;
    close(file);
    return !is_taken;
  }
}

bool is_of_this_run(const std::string& path) {
  struct stat file {
  }, now{};
  if (claim < 0 || stat(path.c_str(), &file) != 0) return false;
  if (futimens(claim, nullptr) != 0 || fstat(claim, &now) != 0) return false;
  return written_at(now) - written_at(file) < Clock::now() - begin;
}

void release_claim() {
  if (claim >= 0) close(std::exchange(claim, -1));
}

void give_up_claim() {
  if (claim >= 0) unlink(claimed.c_str());
  release_claim();
}

}  // namespace pat::detail
