// The C functions that begin and end a session, and choose its algorithms.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "core/log_lines.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/environment.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/report/claim.hpp"
#include "libpat/report/live.hpp"
#include "libpat/report/report.hpp"
#include "libpat/report/spool.hpp"
#include "libpat/session/finalize_hook.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/settled.hpp"
#include "pat/pat.h"

namespace pat::detail {
namespace {

void use_own_logger() {
  if (spdlog::get("pat")) return;
  auto logger = spdlog::stderr_color_mt("pat");
  logger->set_formatter(log_lines());
  spdlog::set_default_logger(logger);
}

bool wants_daemon(const Config& config) {
  const bool multiple = has_thread_multiple();
  if (config.daemon == Config::Daemon::on && !multiple)
    throw Error(ErrorKind::config,
                "PAT_DAEMON is 'on' but MPI offers less than MPI_THREAD_MULTIPLE, start MPI with "
                "MPI_Init_thread at that level or set PAT_DAEMON to auto");
  return config.daemon != Config::Daemon::off && multiple;
}

void check_that_it_may_begin(MPI_Comm comm) {
  int running = 0, over = 0, is_inter = 0;
  PMPI_Initialized(&running);
  PMPI_Finalized(&over);
  if (!running || over)
    throw Error(ErrorKind::order,
                "PAT_Init was called while MPI is not running, call MPI_Init first");
  if (Session::instance())
    throw Error(ErrorKind::order,
                "PAT_Init was called twice, call PAT_Finalize before the second time");
  if (comm == MPI_COMM_NULL)
    throw Error(ErrorKind::communicator,
                "PAT_Init_comm: comm is MPI_COMM_NULL, give a communicator");
  check(PMPI_Comm_test_inter(comm, &is_inter));
  if (is_inter)
    throw Error(ErrorKind::communicator,
                "PAT_Init_comm: comm is an inter-communicator, give an intra-communicator");
}

/// Files are written where they are named now, wherever the program goes.
void keep_places(Config& config) {
  for (std::string* path : {&config.trace, &config.report})
    if (!path->empty() && *path != "stderr") *path = std::filesystem::absolute(*path).string();
}

int init(MPI_Comm comm, const char* overrides) {
  check_that_it_may_begin(comm);
  use_own_logger();
  Config config;
  bool daemon = false;
  agree_on_settings(comm, [&] {
    config = load_config(overrides ? overrides : "");
    daemon = wants_daemon(config);
    int rank = 0;
    check(PMPI_Comm_rank(comm, &rank));
    if (rank == 0) check_outputs(config);  // it is the one that writes them
  });
  keep_places(config);
  keep_to_own_files(comm, config);
  stop_at_exit();
  try {
    Session::instance() = std::make_unique<Session>(comm, config, daemon);
  } catch (...) {
    give_up_claim();
    throw;
  }
  if (Session::instance()->rank() == 0)
    for (const std::string& sentence : unknown_variables(environment_names()))
      spdlog::warn("{}", sentence);
  begin_spool(*Session::instance());
  begin_live(comm, *Session::instance());
  hook_finalize([] {
    end_live();
    say_last_words(true);
  });
  return MPI_SUCCESS;
}

int init_or_keep_why(MPI_Comm comm, const char* overrides) {
  WhyNone& why = Session::why_none();
  why = {};
  const int code = guarded([&] {
    try {
      return init(comm, overrides);
    } catch (const Error& error) {
      why.on_all = error.kind() == ErrorKind::config;  // they have agreed on it
      throw;
    }
  });
  if (code != MPI_SUCCESS && !Session::instance()) why.sentence = remembered_error();
  return code;
}

int finalize() {
  Session& session = Session::get("PAT_Finalize");
  try {
    session.meet();
  } catch (...) {  // nothing that is collective can follow
    session.stop_background();
    end_live();
    say_last_words(false);
    unhook_finalize();
    drop_settled();
    static_cast<void>(Session::instance().release());
    throw;
  }
  if (guarded([&] {
        session.keep_costs();
        return MPI_SUCCESS;
      }) != MPI_SUCCESS)
    spdlog::error("{}", remembered_error());
  session.under_lock([&](Locked& locked) { session.regions.count_open(locked, "PAT_Finalize"); });
  // A file that cannot be written must not keep the session open.
  const int written = guarded([&] {
    write_trace_and_report(session);
    return MPI_SUCCESS;
  });
  if (written != MPI_SUCCESS) spdlog::error("{}", remembered_error());
  end_spool();
  end_live();
  const int ended = guarded([&] {
    if (session.under_lock([&](Locked& locked) { return session.requests.active(locked); }) > 0)
      throw Error(ErrorKind::order,
                  "PAT_Finalize was called while a request is active, whose data is lost; call "
                  "PAT_Wait before it");
    return MPI_SUCCESS;
  });
  session.close();
  unhook_finalize();
  Session::instance().reset();
  return written != MPI_SUCCESS ? written : ended;
}

int use_algorithm(const char* operation, const char* algorithm) {
  Session& session = Session::get("PAT_UseAlgName");
  if (operation == nullptr || algorithm == nullptr)
    throw Error(ErrorKind::argument,
                "PAT_UseAlgName got a null pointer, give an operation and a name");
  const auto found = find_operation(operation);
  if (!found)
    throw Error(ErrorKind::argument, "there is no operation named '" + std::string(operation) +
                                         "', choose one of " + operation_names());
  const Algorithm* forced = algorithm_or_auto(*found, algorithm);
  session.under_lock([&](Locked& locked) {  // the daemon looks up what is expected by it
    begin_to_choose(*found);
    const bool changed = session.forced.set(*found, forced);
    choose_settled(*found, forced);
    if (changed) session.following.want_forecasts(locked);
  });
  return MPI_SUCCESS;
}

const char* name_of(PAT_Alg algorithm) {
  switch (algorithm) {
    case PAT_Gather_AUTO:
      return "auto";
    case PAT_Gather_MPI:
      return "mpi";
    case PAT_Gather_LIN:
      return "lin";
    case PAT_Gather_LS:
      return "ls";
    case PAT_Gather_SLS:
      return "sls";
    case PAT_Gather_BSLS:
      return "bsls";
  }
  throw Error(ErrorKind::argument, "PAT_UseAlg got " + std::to_string(static_cast<int>(algorithm)) +
                                       ", give one of the PAT_Alg constants");
}

}  // namespace
}  // namespace pat::detail

using pat::detail::guarded;

extern "C" {

int PAT_Init(void) {
  return PAT_Init_comm(MPI_COMM_WORLD, nullptr);
}

int PAT_Init_comm(MPI_Comm comm, const char* config) {
  return pat::detail::init_or_keep_why(comm, config);
}

int PAT_Finalize(void) {
  return guarded([] { return pat::detail::finalize(); });
}

int PAT_Initialized(int* flag) {
  return guarded([&] {
    if (flag == nullptr)
      throw pat::Error(pat::ErrorKind::argument,
                       "PAT_Initialized: flag is a null pointer, give an int");
    *flag = pat::detail::Session::instance() != nullptr;
    return MPI_SUCCESS;
  });
}

const char* PAT_Error_string(void) {
  return pat::detail::remembered_error();
}

int PAT_UseAlg(PAT_Alg algorithm) {
  return guarded(
      [&] { return pat::detail::use_algorithm("gather", pat::detail::name_of(algorithm)); });
}

int PAT_UseAlgName(const char* operation, const char* algorithm) {
  return guarded([&] { return pat::detail::use_algorithm(operation, algorithm); });
}

}  // extern "C"
