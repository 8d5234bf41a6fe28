#include "libpat/report/claim.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "core/journal_files.hpp"
#include "core/run_traces.hpp"

namespace pat::detail {
namespace {

using WallClock = std::chrono::system_clock;

const WallClock::time_point begin = WallClock::now();

int claim = -1;  ///< open and locked; -1: there is none
std::string claimed;
bool claimant_is_here = false;
WallClock::time_point written_before;  ///< when what is claimed was written last, before this run

WallClock::time_point written_at(const struct stat& file) {
  return WallClock::time_point(std::chrono::duration_cast<WallClock::duration>(
      std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec)));
}

/// A child that outlives this process must not keep what it has taken.
void close_in_children() {
  static const int registered = pthread_atfork(nullptr, nullptr, release_claim);
  static_cast<void>(registered);
}

/// Keeps the locked file unless who had it before has taken it away meanwhile.
bool keep_claim(int file, const std::string& path) {
  struct stat found {};
  if (fstat(file, &found) != 0 || found.st_nlink == 0) return false;
  close_in_children();
  claim = file;
  claimed = path;
  written_before = written_at(found);
  return true;
}

/// Journals of which somebody has made the trace.
bool are_joined(const std::string& base) {
  struct stat trace {
  }, journal{};
  if (stat(base.c_str(), &trace) != 0 || written_at(trace) < written_before) return false;
  return stat(journal_path(base, 1).c_str(), &journal) != 0 ||
         written_at(trace) >= written_at(journal);
}

}  // namespace

std::string journal_base(const Config& config) {
  return !config.trace.empty() ? config.trace : config.report != "stderr" ? config.report : "";
}

bool claim_journals(const std::string& base) {
  release_claim();
  while (true) {
    const int file = ::open(journal_path(base, 0).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return true;  // who writes there will say what is wrong
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
      if (keep_claim(file, journal_path(base, 0))) return true;
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
  return written_at(now) - written_at(file) < WallClock::now() - begin;
}

/// That of rank 0 is claimed where it is, so what it holds is copied.
std::string put_older_journals_aside(const std::string& base) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path first = journal_path(base, 0);
  if (claim < 0 || fs::file_size(first, failed) == 0 || failed || are_joined(base)) return "";
  std::string aside = before_ending(base, ".interrupted");
  for (int n = 2; fs::exists(journal_path(aside, 0), failed); ++n)
    aside = before_ending(base, ".interrupted" + std::to_string(n));
  fs::copy_file(first, journal_path(aside, 0), failed);
  for (const fs::path& journal : journals_beside(base))
    if (!failed && journal.filename() != first.filename())
      fs::rename(journal, aside + journal.extension().string(), failed);
  if (failed)
    return fmt::format(
        "an earlier run was ended before it wrote {}, and what its processes recorded in "
        "{}.rank* cannot be put aside ({}): it is written over",
        base, base, failed.message());
  return fmt::format(
      "an earlier run was ended before it wrote {}: what its processes recorded lies in {}.rank*, "
      "join it with `pat trace join {}`",
      base, aside, aside);
}

void note_claimant(bool on_this_machine) {
  claimant_is_here = on_this_machine;
}

bool inherit_journals(const std::string& base) {
  const std::string first = journal_path(base, 0);
  const int file = claimant_is_here ? ::open(first.c_str(), O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return false;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && keep_claim(file, first)) return true;
  close(file);
  return false;
}

bool is_newer_than_claimed(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && written_at(file) >= written_before;
}

void release_claim() {
  if (claim >= 0) close(std::exchange(claim, -1));
}

void give_up_claim() {
  if (claim >= 0) unlink(claimed.c_str());
  release_claim();
}

}  // namespace pat::detail
