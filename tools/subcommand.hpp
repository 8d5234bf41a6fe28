#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat {

/// Defines the function that the line `pat_subcommand(NAME)` refers to. It adds the subcommand with
/// its options to `app` and sets its callback. A callback throws pat::Error for bad input: main()
/// prints the sentence and ends with 2 for wrong usage, 1 for anything else.
#define PAT_SUBCOMMAND(id)             \
  void subcommand_##id(CLI::App& app); \
  void subcommand_##id(CLI::App& app)

/// Adds every registered subcommand, in the order of the registration lines.
void add_subcommands(CLI::App& app);

/// Throws Error(argument) for an option with an empty value, such as a shell's unset variable
/// leaves: to go on as if it had not been given would hide the mistake.
inline void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end())
      throw Error(ErrorKind::argument,
                  option->get_name() + " is empty, give it a value or leave it out");
  }
}

/// The option takes one of these formats, the first of which is for people: "table" and "text" both
/// name that.
inline CLI::Option* takes_format(CLI::Option* option, const std::vector<std::string>& formats) {
  const auto to_format = [formats](std::string& text) -> std::string {
    if (text == "table" || text == "text") text = formats.front();
    if (std::find(formats.begin(), formats.end(), text) != formats.end()) return "";
    return "there is no format named '" + text + "', choose " +
           listed({formats.begin(), formats.end()}, " or ");
  };
  return option->transform(CLI::Validator(to_format, ""));
}

/// What the help says of an argument that is a trace.
inline constexpr const char* trace_argument =
    "A trace, as PAT_TRACE=run.trace or pat run --trace run.trace writes it";

/// What the option of a file to write is called in all subcommands.
inline constexpr const char* output_names = "-o,--output,--out";

}  // namespace pat
