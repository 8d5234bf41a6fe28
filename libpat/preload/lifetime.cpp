// When the preloaded library takes part, and when it leaves a program alone.

#include "libpat/preload/lifetime.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/launcher.hpp"
#include "libpat/mpi/thread.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/inject.hpp"
#include "libpat/preload/same_mpi.hpp"
#include "libpat/preload/say.hpp"
#include "libpat/report/live.hpp"
#include "libpat/report/site.hpp"
#include "libpat/report/spool.hpp"
#include "libpat/session/session.hpp"
#include "pat/pat.h"

/// Nothing of this library is destroyed, and nothing of it ends at exit() but by unload() below:
/// what the program does then, such as the destructors of its static objects, may call MPI. The
/// linker puts this in the place of __cxa_atexit here.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}

/// In every copy of this library.
extern "C" const char PAT_Preload_version[] = "0.1";

namespace pat::detail {
namespace {

/// Agreed upon by all processes: the one that wants least counts.
enum class Part : int { none, off, watch, on };

bool began = false;          ///< MPI was started
bool has_sessions = false;   ///< of MPI 4
bool began_session = false;  ///< the session is this library's, not the program's
pid_t session_process = 0;
pid_t asked_for = 0;  ///< the process that `pat run` was

/// The first of the copies in memory is the one that stands before the program's calls.
bool is_second_behind() {
  return next_function("PAT_Preload_version") != nullptr;
}

std::optional<Config> settings() {
  try {
    return load_config();
  } catch (const Error&) {
    return std::nullopt;  // PAT_Init says it, the same on all processes
  }
}

/// A program that calls PAT itself loads its library.
bool calls_pat_itself() {
  return dlopen("libpat.so.0", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

/// The least that any process wants. Says so if others do not come: they do not run PAT.
Part agreed(Part mine) {
  int here = static_cast<int>(mine), least = here;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(&here, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
    return Part::none;
  const auto since = std::chrono::steady_clock::now();
  bool told = false;
  for (int attempt = 0, done = 0; !done; ++attempt) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) pause(attempt);
    if (!told && std::chrono::steady_clock::now() - since > std::chrono::seconds(10)) {
      told = true;
      say("PAT has waited 10 s for other processes of this run that do not load it: start all of "
          "them with `pat run`");
    }
  }
  return static_cast<Part>(least);
}

Part wanted(const std::optional<Config>& config) {
  if (!config) return Part::on;
  if (config->run == "off") return Part::off;
  return config->run == "watch" ? Part::watch : Part::on;
}

/// What holds unless the environment says otherwise, and what watching means. A reduction that is
/// left to MPI is as reproducible as MPI.
std::string overrides(Part part) {
  const char* algorithms = std::getenv("PAT_ALG");
  std::string text;
  if (part == Part::watch) {
    text = "alg=mpi;reproducible=0;";
    if (std::getenv("PAT_PREDICTOR") == nullptr) text += "predictor=last;";  // nobody acts on it
  }
  const bool left_to_mpi = algorithms != nullptr && std::string_view(algorithms) == "mpi";
  if (part == Part::on && !left_to_mpi && std::getenv("PAT_REPRODUCIBLE") == nullptr)
    text = "reproducible=1;";
  if (std::getenv("PAT_WATCHDOG") == nullptr) text += "watchdog=auto;";
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) text += "trace=;report=;";  // the parents write there
  return text;
}

void begin_session(Part part) {
  log_to_own_stderr();
  const char* const before = std::exchange(Session::begun_by, "MPI_Init");
  const int code = PAT_Init_comm(MPI_COMM_WORLD, overrides(part).c_str());
  Session::begun_by = before;
  if (code != MPI_SUCCESS) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) say(fmt::format("PAT is off: {}", PAT_Error_string()));
    return;
  }
  if (const auto& watchdog = Session::instance()->watchdog())
    watchdog->name_sites_by(place_of_site);
  began_session = true;
  session_process = getpid();
  preloaded::finds_phases = true;
  preloaded::on = true;
  begin_injecting();
}

[[gnu::constructor]] void load() {
  remember_stderr();
  spdlog::default_logger_raw();  // made before main(), so that it outlives this library
  const char* pid = std::getenv("PAT_RUN_PID");
  if (pid != nullptr) asked_for = static_cast<pid_t>(std::strtol(pid, nullptr, 10));
  unsetenv("PAT_RUN_PID");  // of no child, and of nothing that this becomes
}

bool has_had_children() {
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return children.ru_maxrss > 0;
}

/// A session that is still there was not ended by MPI_Finalize, and will not be.
void end_open_session() {
  if (Session::instance() == nullptr || session_process != getpid()) return;
  preloaded::on = preloaded::finds_phases = began_session = false;
  end_live();
  say_last_words(false);
  Session::instance()->stop_background();
  static_cast<void>(Session::instance().release());
}

/// All that the program does at its end is done.
[[gnu::destructor]] void unload() {
  end_open_session();
  if (began || has_sessions || asked_for != getpid() || has_had_children() || !is_first_launched())
    return;
  say(
      fmt::format("PAT saw nothing: {} did not call MPI_Init of a shared MPI library; give `pat "
                  "run` the MPI program itself",
                  program_invocation_short_name));
}

}  // namespace

bool is_watching() {
  return preloaded::on.load(std::memory_order_relaxed) && Session::instance() != nullptr;
}

bool wants_thread_multiple() {
  const auto config = settings();
  return config && config->threads == "multiple" && config->run != "off" && !is_second_behind();
}

void begin_watching() {
  if (std::exchange(began, true)) return;
  if (is_second_behind()) {
    if (is_first_launched())
      say("libpat-preload.so is loaded twice, name it once in LD_PRELOAD; the second copy works");
    return;
  }
  if (is_other_mpi()) return;
  const Part part = agreed(wanted(settings()));
  if (part <= Part::off) return;
  if (calls_pat_itself()) {
    session_process = getpid();
    preloaded::on = true;
    return;
  }
  begin_session(part);
}

void note_session_of_program() {
  has_sessions = true;
}

void end_watching() {
  const bool was_on = preloaded::on.exchange(false);
  preloaded::finds_phases = false;
  if (!std::exchange(began_session, false)) return;
  if (was_on) end_injecting();
  Session* const session = Session::instance().get();
  if (session == nullptr) return;
  session->ended_by = "MPI_Finalize";
  if (PAT_Finalize() != MPI_SUCCESS)
    say(fmt::format("PAT ended with an error: {}", PAT_Error_string()));
}

}  // namespace pat::detail
