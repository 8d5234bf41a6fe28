#include "libpat/report/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace pat::detail {
namespace {

int claim = -1;  ///< open and locked; -1: there is none
std::string claimed;

/// Who had the file before may have taken it away meanwhile.
bool is_still_there(int file) {
  struct stat found {};
  return fstat(file, &found) == 0 && found.st_nlink > 0;
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

void release_claim() {
  if (claim >= 0) close(std::exchange(claim, -1));
}

void give_up_claim() {
  if (claim >= 0) unlink(claimed.c_str());
  release_claim();
}

}  // namespace pat::detail
