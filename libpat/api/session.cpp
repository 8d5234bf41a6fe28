// The C functions that are not collectives of data: session, progress, regions, what is predicted.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <string>

#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/report/report.hpp"
#include "libpat/session/attributes.hpp"
#include "libpat/session/runtime.hpp"
#include "pat/pat.h"

namespace pat {
namespace {

void use_own_logger() {
  if (spdlog::get("pat")) return;
  auto logger = spdlog::stderr_color_mt("pat");
  logger->set_pattern("[%n %l] %v");
  spdlog::set_default_logger(logger);
}

bool wants_daemon(const Config& config) {
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level));
  if (config.daemon == Config::Daemon::on && level < MPI_THREAD_MULTIPLE)
    throw Error(ErrorKind::config,
                "PAT_DAEMON is 'on' but MPI offers less than MPI_THREAD_MULTIPLE, start MPI with "
                "MPI_Init_thread at that level or set PAT_DAEMON to auto");
  return config.daemon != Config::Daemon::off && level >= MPI_THREAD_MULTIPLE;
}

int init(MPI_Comm comm, const char* overrides) {
  int running = 0, over = 0, is_inter = 0;
  PMPI_Initialized(&running);
  PMPI_Finalized(&over);
  if (!running || over)
    throw Error(ErrorKind::order,
                "PAT_Init was called while MPI is not running, call MPI_Init first");
  if (Runtime::instance())
    throw Error(ErrorKind::order,
                "PAT_Init was called twice, call PAT_Finalize before the second time");
  if (comm == MPI_COMM_NULL)
    throw Error(ErrorKind::communicator,
                "PAT_Init_comm: comm is MPI_COMM_NULL, give a communicator");
  check(PMPI_Comm_test_inter(comm, &is_inter));
  if (is_inter)
    throw Error(ErrorKind::communicator,
                "PAT_Init_comm: comm is an inter-communicator, give an intra-communicator");
  use_own_logger();
  Config config;
  bool daemon = false;
  agree_on_settings(comm, [&] {
    config = load_config(overrides ? overrides : "");
    daemon = wants_daemon(config);
  });
  Runtime::instance() = std::make_unique<Runtime>(comm, config, daemon);
  if (Runtime::instance()->rank() == 0)
    for (const std::string& name : unknown_variables(environment_names()))
      spdlog::warn("{} is set but PAT knows no such variable, `pat info --env` lists them", name);
  hook_finalize();
  return MPI_SUCCESS;
}

int finalize() {
  Runtime& runtime = Runtime::get("PAT_Finalize");
  // A file that cannot be written must not keep the session open.
  const int written = guarded([&] {
    write_trace_and_report(runtime);
    return MPI_SUCCESS;
  });
  if (written != MPI_SUCCESS) spdlog::error("{}", remembered_error());
  const int ended = guarded([&] {
    if (runtime.active_requests() > 0)
      throw Error(ErrorKind::order,
                  "PAT_Finalize was called while a request is active, whose data is lost; call "
                  "PAT_Wait before it");
    return MPI_SUCCESS;
  });
  runtime.close();
  Runtime::instance().reset();
  return written != MPI_SUCCESS ? written : ended;
}

int use_algorithm(const char* operation, const char* algorithm) {
  Runtime& runtime = Runtime::get("PAT_UseAlgName");
  if (operation == nullptr || algorithm == nullptr)
    throw Error(ErrorKind::argument,
                "PAT_UseAlgName got a null pointer, give an operation and a name");
  const auto found = find_operation(operation);
  if (!found)
    throw Error(ErrorKind::argument, "there is no operation named '" + std::string(operation) +
                                         "', choose one of " + operation_names());
  runtime.set_chosen(*found, chosen_algorithm(*found, algorithm));
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

int get_pattern(PAT_Region handle, double* offsets_s, int n, uint64_t* epoch) {
  Runtime& runtime = Runtime::get("PAT_GetPattern");
  const std::lock_guard lock(runtime.mutex);
  runtime.handle_events();
  const RegionState& region = runtime.region(handle, "PAT_GetPattern");
  const Communicator* comm =
      region.next_communicator ? region.next_communicator : region.communicator;
  const int size = comm != nullptr ? comm->size() : 0;
  if (n != size || offsets_s == nullptr)
    throw Error(ErrorKind::count, "PAT_GetPattern got room for " + std::to_string(n) +
                                      " offsets, give an array of " + std::to_string(size));
  // A pattern of another communicator, which this region led to before, says nothing of this one.
  const bool known = region.pattern.ranks() == n;
  for (int r = 0; r < n; ++r)
    offsets_s[r] = known ? region.pattern.offset_s[static_cast<std::size_t>(r)] : 0.0;
  if (epoch != nullptr) *epoch = known ? region.pattern.epoch : 0;
  return MPI_SUCCESS;
}

int get_forecast(PAT_Region handle, double* mean_s, double* lower_s, double* upper_s) {
  Runtime& runtime = Runtime::get("PAT_GetForecast");
  const std::lock_guard lock(runtime.mutex);
  runtime.handle_events();
  RegionState& region = runtime.region(handle, "PAT_GetForecast");
  region.learn();
  const Forecast& forecast = region.forecast;
  if (!forecast.known) {
    remember_error(
        "PAT_GetForecast: nothing is known of this region yet, ask again after a computing phase");
    return MPI_ERR_PENDING;
  }
  if (mean_s) *mean_s = forecast.mean_s;
  if (lower_s) *lower_s = forecast.lower_s;
  if (upper_s) *upper_s = forecast.upper_s;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace pat

using pat::guarded;
using pat::Runtime;

extern "C" {

int PAT_Init(void) {
  return guarded([] { return pat::init(MPI_COMM_WORLD, nullptr); });
}

int PAT_Init_comm(MPI_Comm comm, const char* config) {
  return guarded([&] { return pat::init(comm, config); });
}

int PAT_Finalize(void) {
  return guarded([] { return pat::finalize(); });
}

int PAT_Initialized(int* flag) {
  return guarded([&] {
    if (flag == nullptr)
      throw pat::Error(pat::ErrorKind::argument,
                       "PAT_Initialized: flag is a null pointer, give an int");
    *flag = Runtime::instance() != nullptr;
    return MPI_SUCCESS;
  });
}

const char* PAT_Error_string(void) {
  return pat::remembered_error();
}

int PAT_Region_start(PAT_Region region) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_start");
    runtime.start(runtime.region(region, "PAT_Region_start"), "PAT_Region_start");
    return MPI_SUCCESS;
  });
}

int PAT_Region_edge(PAT_Region region, double fraction) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_edge");
    runtime.edge(runtime.region(region, "PAT_Region_edge"), fraction, "PAT_Region_edge");
    return MPI_SUCCESS;
  });
}

int PAT_Region_end(PAT_Region region) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_end");
    runtime.end(runtime.region(region, "PAT_Region_end"), "PAT_Region_end");
    return MPI_SUCCESS;
  });
}

int PAT_ProcessingStart(void) {
  return guarded([] {
    Runtime& runtime = Runtime::get("PAT_ProcessingStart");
    runtime.start(runtime.region(nullptr, ""), "PAT_ProcessingStart");
    return MPI_SUCCESS;
  });
}

int PAT_Edge(double fraction) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Edge");
    runtime.edge(runtime.region(nullptr, ""), fraction, "PAT_Edge");
    return MPI_SUCCESS;
  });
}

int PAT_Progress(double done, double total) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Progress");
    if (!(total > 0.0 && std::isfinite(total)) || !(done >= 0.0 && done <= total))
      throw pat::Error(pat::ErrorKind::argument,
                       "PAT_Progress got " + std::to_string(done) + " of " + std::to_string(total) +
                           ", give work done from 0 to a finite total above 0");
    if (done > 0.0 && done < total)
      runtime.edge(runtime.region(nullptr, ""), done / total, "PAT_Progress");
    return MPI_SUCCESS;
  });
}

int PAT_Region_hint(PAT_Region region, const char* name, double value) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_hint");
    runtime.hint(runtime.region(region, "PAT_Region_hint"), name ? name : "", value,
                 "PAT_Region_hint");
    return MPI_SUCCESS;
  });
}

int PAT_Hint(const char* name, double value) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Hint");
    runtime.hint(runtime.region(nullptr, ""), name ? name : "", value, "PAT_Hint");
    return MPI_SUCCESS;
  });
}

int PAT_ProcessingEnd(void) {
  return guarded([] {
    Runtime& runtime = Runtime::get("PAT_ProcessingEnd");
    runtime.end(runtime.region(nullptr, ""), "PAT_ProcessingEnd");
    return MPI_SUCCESS;
  });
}

int PAT_Region_create(MPI_Comm comm, const char* name, PAT_Region* region) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_create");
    if (comm == MPI_COMM_NULL)
      throw pat::Error(pat::ErrorKind::communicator,
                       "PAT_Region_create: comm is MPI_COMM_NULL, give a communicator");
    if (name == nullptr || region == nullptr)
      throw pat::Error(
          pat::ErrorKind::argument,
          "PAT_Region_create got a null pointer, give a name and a place for the handle");
    *region = reinterpret_cast<PAT_Region>(runtime.create_region(comm, name));
    return MPI_SUCCESS;
  });
}

int PAT_Region_predictor(PAT_Region region, const char* predictor) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_predictor");
    runtime.set_predictor(runtime.region(region, "PAT_Region_predictor"),
                          predictor ? predictor : "");
    return MPI_SUCCESS;
  });
}

int PAT_Region_free(PAT_Region* region) {
  return guarded([&] {
    Runtime& runtime = Runtime::get("PAT_Region_free");
    if (region == nullptr || *region == PAT_REGION_DEFAULT)
      throw pat::Error(pat::ErrorKind::argument,
                       "PAT_Region_free got no region of its own, the default one is not freed");
    runtime.free_region(runtime.region(*region, "PAT_Region_free"));
    *region = PAT_REGION_DEFAULT;
    return MPI_SUCCESS;
  });
}

int PAT_GetPattern(PAT_Region region, double* offsets_s, int n, uint64_t* epoch) {
  return guarded([&] { return pat::get_pattern(region, offsets_s, n, epoch); });
}

int PAT_GetForecast(PAT_Region region, double* mean_s, double* lower_s, double* upper_s) {
  return guarded([&] { return pat::get_forecast(region, mean_s, lower_s, upper_s); });
}

int PAT_UseAlg(PAT_Alg algorithm) {
  return guarded([&] { return pat::use_algorithm("gather", pat::name_of(algorithm)); });
}

int PAT_UseAlgName(const char* operation, const char* algorithm) {
  return guarded([&] { return pat::use_algorithm(operation, algorithm); });
}

}  // extern "C"
