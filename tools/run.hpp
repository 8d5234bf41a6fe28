#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace pat {

/// What `pat run` gives the program by its environment, and the program.
struct RunOptions {
  bool watch = false;
  std::string report, trace, algorithms, threads;
  std::vector<std::string> command;
};

/// Becomes the program with libpat-preload.so before its MPI library; does not return. Throws
/// Error(argument or config) for what cannot be. `name`: of the subcommand.
[[noreturn]] void run_program(RunOptions& options, const std::string& name);

/// Calls `run`; of several processes that mpirun has started the first one says what is wrong.
void run_as_one_of_many(const CLI::App& command, const std::function<void()>& run);

}  // namespace pat
