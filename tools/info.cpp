// pat info: what this installation is made of, and every setting with its present value.

#include <mpi.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>

#include "core/clock.hpp"
#include "core/config.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

void print_environment() {
  const Config config = load_config();
  const Config defaults;
  for (const Variable& variable : variables()) {
    const auto shown = [](const std::string& value) { return value.empty() ? "(none)" : value; };
    std::cout << std::left << std::setw(18) << variable.name << std::setw(12)
              << shown(variable.show(config)) << variable.meaning << "\n"
              << std::setw(30) << ""
              << "allowed: " << variable.allowed << "; default: " << shown(variable.show(defaults))
              << "\n";
  }
  for (const std::string& sentence : unknown_variables(environment_names()))
    std::cerr << "pat: " << sentence << "\n";
}

/// "Open MPI v4.1.4" or "MPICH Version: 4.0.2": the first line of what the library says of itself.
std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, std::find_if(text, text + length, [](char c) { return c == ',' || c == '\n'; })};
}

/// The best thread level that the MPI library grants; starts and ends MPI to ask.
std::string best_thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  MPI_Finalize();
  if (level == MPI_THREAD_MULTIPLE) return "MPI_THREAD_MULTIPLE (the daemon can run)";
  if (level == MPI_THREAD_SERIALIZED) return "MPI_THREAD_SERIALIZED (no daemon)";
  if (level == MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED (no daemon)";
  return "MPI_THREAD_SINGLE (no daemon)";
}

void print_versions() {
  const ClockInfo& clock = clock_info();
  const auto row = [](const char* label) -> std::ostream& {
    return std::cout << std::left << std::setw(20) << label;
  };
  row("PAT") << PAT_VERSION << "\n";
  row("MPI") << mpi_version() << "\n";
  row("thread level") << best_thread_level() << "\n";
  row("PAPI") << (clock.papi_available ? clock.papi_version : "not available") << "\n";
  row("hardware counters") << clock.hardware_counters
                           << (clock.hardware_counters ? "" : " (none on this machine)") << "\n";
  row("clock") << clock.source << " (PAPI " << std::fixed << std::setprecision(0)
               << clock.papi_cost_ns << " ns, clock_gettime " << clock.monotonic_cost_ns
               << " ns a call)\n";
}

}  // namespace

PAT_SUBCOMMAND(info) {
  CLI::App* info =
      app.add_subcommand("info", "Versions and clock; --env: the settings with their values");
  auto list = std::make_shared<bool>(false);
  info->add_flag("--env", *list, "List the PAT_* variables with meaning, default, present value");
  info->callback([list] { *list ? print_environment() : print_versions(); });
}

}  // namespace pat
