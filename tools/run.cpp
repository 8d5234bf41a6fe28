// pat run: starts a program that was not changed with PAT before it.

#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/launcher.hpp"
#include "libpat/mpi/built_with.hpp"
#include "libpat/mpi/settings.hpp"
#include "libpat/session/forced.hpp"
#include "predictors/predictor.hpp"
#include "tools/run.hpp"
#include "tools/run/elf_program.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libpat-preload.so";

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::argument, sentence);
}

/// Beside this command, in the build folder and where both are installed.
fs::path preload_library() {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* folder : {"../lib", "../" PAT_LIBRARY_FOLDER, "."}) {
    const fs::path library = bin / folder / library_name;
    if (fs::exists(library)) return fs::canonical(library);
  }
  refuse(fmt::format("{} is not beside {}, put it there or build its target pat_preload",
                     library_name, bin.string()));
}

/// Where the shell would find it.
fs::path find_program(const std::string& name) {
  const auto is_program = [](const fs::path& path) {
    return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name)) refuse("there is no program '" + name + "', give the path of one");
    if (!is_program(name))
      refuse("'" + name + "' cannot be executed, give a program or make it one with chmod +x");
    return name;
  }
  std::istringstream folders(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  refuse("there is no program '" + name + "' on the path, give its path, such as ./" + name);
}

ElfProgram read_program(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return read_elf_program(text.str());
}

bool needs(const ElfProgram& program, std::string_view library) {
  for (const std::string& name : program.libraries)
    if (name.starts_with(library)) return true;
  return false;
}

/// MPI libraries with an interface of their own, and how the file begins that programs with it
/// need.
constexpr std::pair<std::string_view, std::string_view> interfaces[] = {
    {"Open MPI", "libmpi.so.40"}, {"MPICH", "libmpich.so"}};

/// A script runs as it is: what it starts is seen.
void check_program(const fs::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID)) != 0)
    refuse(
        fmt::format("'{}' runs as another user, for whom the system preloads nothing; give a "
                    "program without the set-user-ID bit",
                    path.string()));
  const ElfProgram program = read_program(path);
  if (!program.is_elf) return;
  if (!program.is_64_bit)
    refuse(fmt::format("'{}' is a 32-bit program and PAT is not, build it for 64 bits",
                       path.string()));
  if (!program.is_dynamic)
    refuse(
        fmt::format("'{}' is linked statically, so nothing can stand before its MPI; link it "
                    "with the shared MPI library",
                    path.string()));
  for (const auto& [name, library] : interfaces)
    if (name != detail::built_with && needs(program, library))
      refuse(
          fmt::format("'{}' is linked with {} and this PAT was built with {}, build PAT with that",
                      path.string(), name, detail::built_with));
}

void set(const char* name, const std::string& value) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw Error(ErrorKind::io, std::string(name) + " cannot be set, the environment is full");
}

void set_environment(const RunOptions& options) {
  if (options.watch) set("PAT_RUN", "watch");
  if (!options.report.empty()) set("PAT_REPORT", options.report);
  if (!options.trace.empty()) set("PAT_TRACE", options.trace);
  if (!options.algorithms.empty()) set("PAT_ALG", options.algorithms);
  if (!options.threads.empty()) set("PAT_THREADS", options.threads);
  if (std::getenv("PAT_WATCHDOG") == nullptr) set("PAT_WATCHDOG", "auto");
  // Wrong values are refused here, before the program starts.
  const Config config = load_config();
  detail::use_setting("PAT_ALG", config.algorithms,
                      [&] { detail::Forced().parse(config.algorithms); });
  detail::use_setting("PAT_PREDICTOR", config.predictor, [&] { make_predictor(config.predictor); });
  const std::string before = std::getenv("LD_PRELOAD") != nullptr ? std::getenv("LD_PRELOAD") : "";
  if (before.find(library_name) == std::string::npos)
    set("LD_PRELOAD", before + (before.empty() ? "" : ":") + preload_library().string());
  set("PAT_RUN_PID", std::to_string(getpid()));
}

/// An argument of the program may be empty.
void refuse_empty_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional() && option->count() > 0 && option->as<std::string>().empty())
      refuse(option->get_name() + " is empty, give it a value or leave it out");
}

/// They may be meant for the program.
void refuse_options_behind_program(const CLI::App& command) {
  bool has_program = false;
  for (const CLI::Option* option : command.parse_order()) {
    if (has_program && !option->get_positional())
      refuse(option->get_name() +
             " stands behind the program, write it before, or the program after -- if it is its "
             "own");
    has_program = has_program || option->get_positional();
  }
}

}  // namespace

void run_program(RunOptions& options, const std::string& name) {
  if (options.command.empty())
    refuse(fmt::format(
        "no program is given, write it after --: pat {0} -- ./app; see pat {0} --help", name));
  const fs::path program = find_program(options.command.front());
  check_program(program);
  set_environment(options);
  std::vector<char*> arguments;
  for (std::string& argument : options.command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(ErrorKind::argument, fmt::format("'{}' cannot be started ({}), give a program",
                                               program.string(), std::strerror(errno)));
}

void run_as_one_of_many(const CLI::App& command, const std::function<void()>& run) {
  try {
    refuse_empty_options(command);
    refuse_options_behind_program(command);
    run();
  } catch (const Error&) {
    if (!is_first_launched()) sleep(5);  // it says the same, and then mpirun ends the others
    throw;
  }
}

PAT_SUBCOMMAND(run) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run_app = app.add_subcommand(
      "run",
      "Run a program that was not changed with PAT: mpirun -n 8 pat run [OPTION] -- ./app "
      "ARGUMENT. Its collectives go through PAT, which foretells arrivals by where the program "
      "calls from; PAT_* settings hold");
  run_app->add_flag("--watch", options->watch,
                    "Watch only: all collectives stay those of the MPI library (PAT_RUN=watch)");
  run_app->add_option("--report", options->report,
                      "Where the closing report goes: stderr, or a file ending in .json "
                      "or .html (PAT_REPORT)");
  run_app->add_option("--trace", options->trace, "File for the arrivals (PAT_TRACE)");
  run_app->add_option("--alg", options->algorithms,
                      "Algorithms, such as gather=bsls; auto chooses (PAT_ALG)");
  run_app->add_option("--threads", options->threads,
                      "multiple: MPI starts with MPI_THREAD_MULTIPLE, which the background thread "
                      "needs (PAT_THREADS)");
  run_app->add_option("program", options->command,
                      "The program and its arguments, after -- if one begins with a dash");
  run_app->callback(
      [options, run_app] { run_as_one_of_many(*run_app, [&] { run_program(*options, "run"); }); });
}

}  // namespace pat
