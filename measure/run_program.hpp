#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "core/launcher.hpp"
#include "core/printable.hpp"
#include "measure/command_line.hpp"

namespace pat::measure {

/// Whether an error comes from what the user wrote, not from files or from PAT itself.
inline bool is_usage(ErrorKind kind) {
  return kind != ErrorKind::io && kind != ErrorKind::internal;
}

/// Says what is wrong with a command line that all of the processes that were started together
/// have: the first of them alone. The others wait, as mpirun ends all when one ends, with the first
/// sentence perhaps unsaid.
inline int refuse_command_line(const std::string& sentence) {
  if (is_first_launched())
    std::cerr << sentence;
  else
    std::this_thread::sleep_for(std::chrono::seconds(1));
  return 2;
}

/// What main() returns: takes the command line and runs `body`, if the callbacks of `app` are not
/// all there is. What goes wrong is one sentence behind the program's name; 2 for what the user
/// wrote, 1 for the rest.
inline int run_program(
    CLI::App& app, int argc, char** argv, const std::function<int()>& body = [] { return 0; }) {
  const auto line = [&](const std::string& sentence) {
    return app.get_name() + ": " + printable(sentence) + "\n";
  };
  const auto says = [&](int code, const std::string& sentence) {
    std::cerr << line(sentence);
    return code;
  };
  int code = 0;
  try {
    app.parse(argc, argv);
    code = body();
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return refuse_command_line(line(complaint(app, error)));
  } catch (const Error& error) {
    return says(is_usage(error.kind()) ? 2 : 1, error.what());
  } catch (const std::bad_alloc&) {
    return says(1,
                "this takes more memory than there is, ask for less (fewer processes, segments or "
                "iterations)");
  } catch (const std::exception& error) {
    return says(1, error.what());
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0)
    return says(1, "the output could not be written, see whether its disk is full");
  return code;
}

}  // namespace pat::measure
