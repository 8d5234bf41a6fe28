#include "libpat/report/stack_line.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "libpat/report/loaded_file.hpp"
#include "libpat/report/site.hpp"

namespace pat::detail {
namespace {

/// For the thread's answer.
constexpr long patience_ns = 50'000'000;

// What the handler touches. It never goes, as a signal may come late.
enum Asked : int { no_one, somebody, writing, written };
std::atomic<int> asked{no_one};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<void*, 48> frames;
int known_frames = 0;
const void* interrupted = nullptr;  ///< null: not known on this machine
sem_t answered;

const void* program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  static_cast<void>(machine);
  return nullptr;
#endif
}

/// In the thread that is asked, wherever it is: nothing here may wait or ask for memory.
void answer_signal(int, siginfo_t* info, void* context) {
  const int error = errno;
  int expected = somebody;
  const bool is_own = info->si_code == SI_TKILL && info->si_pid == getpid();
  if (is_own && asked.compare_exchange_strong(expected, writing)) {
    known_frames = backtrace(frames.data(), static_cast<int>(frames.size()));
    interrupted = program_counter(context);
    asked = written;
    sem_post(&answered);
  }
  errno = error;
}

bool is_free(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler == SIG_DFL;
}

bool is_ours(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == answer_signal;
}

std::ifstream file_of(std::int32_t thread, const char* name) {
  return std::ifstream("/proc/self/task/" + std::to_string(thread) + "/" + name);
}

/// Also if that is not known.
bool blocks(std::int32_t thread, int signal) {
  std::ifstream status = file_of(thread, "status");
  for (std::string line; std::getline(status, line);)
    if (constexpr std::string_view key = "SigBlk:"; line.starts_with(key))
      return (std::strtoull(line.c_str() + key.size(), nullptr, 16) >> (signal - 1) & 1U) != 0;
  return true;
}

/// The call of the system that a thread is in.
struct SystemCall {
  long number = 0;
  std::uint64_t timeout = 0;  ///< where a futex has it
  std::uintptr_t program_counter = 0;
};

/// What /proc says: "running", or number, six arguments, stack pointer and program counter.
struct PresentCall {
  bool known = false;
  std::optional<SystemCall> call;
};

PresentCall present_call(std::int32_t thread) {
  std::string line;
  std::ifstream file = file_of(thread, "syscall");
  std::getline(file, line);
  if (line == "running") return {true, std::nullopt};
  std::istringstream words(line);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  if (all.size() == 3) return {true, std::nullopt};  // -1: it waits for memory
  if (all.size() != 9) return {};
  const auto value = [&](std::size_t i) { return std::strtoull(all[i].c_str(), nullptr, 0); };
  return {true, SystemCall{std::strtol(all[0].c_str(), nullptr, 10), value(4),
                           static_cast<std::uintptr_t>(value(8))}};
}

/// With SA_RESTART, whatever its arguments: signal(7).
bool goes_on_after_signals(const SystemCall& call) {
  switch (call.number) {
    case SYS_read:
    case SYS_write:
    case SYS_readv:
    case SYS_writev:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_openat:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_flock:
    case SYS_wait4:
    case SYS_sched_yield:
      return true;
    case SYS_futex:
      return call.timeout == 0;
    default:
      return false;
  }
}

std::string function_at(std::uintptr_t address) {
  Dl_info found{};
  const bool known = dladdr(reinterpret_cast<const void*>(address), &found) != 0;
  return known && found.dli_sname != nullptr ? found.dli_sname : "";
}

bool is_of_a_library(const void* address) {
  const LoadedFile file = file_loaded_at(address);
  if (file.path.empty()) return true;
  static constexpr std::array<std::string_view, 20> libraries{
      "libpat.",     "libpat-",  "libmpi",     "libopen-", "libpmpi",  "mca_",     "libuc",
      "libfabric",   "libpsm",   "libpmix",    "libevent", "libc.",    "libm.",    "libstdc++",
      "libgfortran", "ld-linux", "linux-vdso", "libasan.", "libtsan.", "libubsan."};
  return std::ranges::any_of(libraries, [&](auto one) { return file.name().starts_with(one); });
}

/// Of what the handler has noted.
std::string innermost_place() {
  const auto end = frames.begin() + std::clamp(known_frames, 0, static_cast<int>(frames.size()));
  auto frame = std::find(frames.begin(), end, interrupted);
  const bool found = frame != end;
  if (!found) frame = frames.begin() + std::min<std::ptrdiff_t>(2, end - frames.begin());
  const void* innermost = nullptr;
  for (; frame != end; ++frame) {
    if (is_of_a_library(*frame)) continue;
    // Where calls return to is behind the call; where the thread was interrupted is not.
    const std::ptrdiff_t behind = found && *frame == interrupted ? 1 : 0;
    const void* const site = static_cast<const char*>(*frame) + behind;
    if (!is_in_a_system_header(site)) return place_of_site(site);
    if (innermost == nullptr) innermost = site;
  }
  return innermost != nullptr ? place_of_site(innermost) : "";
}

bool wait_for_answer() {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += patience_ns;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  int failed = 0;
  do failed = sem_clockwait(&answered, CLOCK_MONOTONIC, &until);
  while (failed != 0 && errno == EINTR);
  return failed == 0;
}

/// From one state to another; false: it is in a third.
bool step(int from, int to) {
  return asked.compare_exchange_strong(from, to);
}

}  // namespace

StackLine::StackLine() {
  static const int made = sem_init(&answered, 0, 0);
  static_cast<void>(made);
  backtrace(frames.data(), static_cast<int>(frames.size()));  // which loads what it needs, once
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN && signal_ == 0; --signal) {
    if (!is_free(signal)) continue;
    struct sigaction ours {};
    ours.sa_sigaction = answer_signal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    if (sigaction(signal, &ours, nullptr) == 0) signal_ = signal;
  }
}

StackLine::~StackLine() {
  if (signal_ == 0 || !is_ours(signal_)) return;
  std::signal(signal_, SIG_IGN);  // one that is still on its way is dropped
  std::signal(signal_, SIG_DFL);
}

std::string StackLine::of(std::int32_t thread) const {
  if (signal_ == 0 || thread <= 0 || !is_ours(signal_) || blocks(thread, signal_)) return "";
  const PresentCall present = present_call(thread);
  if (!present.known) return "";
  if (present.call && !goes_on_after_signals(*present.call))
    return function_at(present.call->program_counter);
  step(written, no_one);  // an answer that came too late
  if (!step(no_one, somebody)) return "";
  while (sem_trywait(&answered) == 0) {
  }
  // A thread that has ended gets none; one of the same number in another process neither.
  if (syscall(SYS_tgkill, getpid(), thread, signal_) != 0 || !wait_for_answer()) {
    step(somebody, no_one);  // the signal may still come: then it is nobody's
    return "";
  }
  std::string place = innermost_place();
  step(written, no_one);
  return place;
}

}  // namespace pat::detail
