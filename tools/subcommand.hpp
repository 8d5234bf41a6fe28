#pragma once

#include <CLI/CLI.hpp>

namespace pat {

/// Defines the function that the line `pat_subcommand(NAME)` refers to. It adds the subcommand with
/// its options to `app` and sets its callback. A callback throws pat::Error for bad input: main()
/// prints the sentence and ends with 2 for wrong usage, 1 for anything else.
#define PAT_SUBCOMMAND(id)             \
  void subcommand_##id(CLI::App& app); \
  void subcommand_##id(CLI::App& app)

/// Adds every registered subcommand, in the order of the registration lines.
void add_subcommands(CLI::App& app);

}  // namespace pat
