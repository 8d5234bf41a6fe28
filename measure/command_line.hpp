#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "core/nearest.hpp"
#include "core/units.hpp"

namespace pat::measure {

/// The option takes a time: "20ms", "25us"; a bare number is seconds.
inline CLI::Option* takes_seconds(CLI::Option* option) {
  const auto to_seconds = [](std::string& text) -> std::string {
    const auto seconds = parse_seconds(text, BareNumber::seconds);
    if (!seconds) return "'" + text + "' is not a time, write seconds, or 20ms or 25us";
    std::ostringstream number;
    number.precision(17);
    number << *seconds;
    text = number.str();
    return "";
  };
  return option->type_name("TIME")->transform(CLI::Validator(to_seconds, ""));
}

/// The option takes a whole number, or one in powers of 1024; of others `what_is_taken` is said.
inline CLI::Option* takes_powers_of_1024(CLI::Option* option, const std::string& what_is_taken) {
  const auto to_number = [what_is_taken](std::string& text) -> std::string {
    const auto number = parse_bytes(text);
    if (!number) return "'" + text + "' is not " + what_is_taken;
    text = std::to_string(*number);
    return "";
  };
  return option->transform(CLI::Validator(to_number, ""));
}

/// The option takes a size: "64k", "8MiB"; a bare number is bytes.
inline CLI::Option* takes_bytes(CLI::Option* option) {
  return takes_powers_of_1024(option->type_name("SIZE"), "a size, write bytes, or 64k or 8MiB");
}

/// The option takes a number that names random ones: CLI11 would take -1 for a very large one.
inline CLI::Option* takes_seed(CLI::Option* option) {
  const auto is_seed = [](const std::string& text) -> std::string {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc{} && end == text.data() + text.size()) return "";
    return "'" + text + "' is not a seed, give a whole number of 0 or more";
  };
  return option->check(CLI::Validator(is_seed, ""));
}

/// The option takes a number of elements: "4096", "64k", "1Mi".
inline CLI::Option* takes_count(CLI::Option* option) {
  return takes_powers_of_1024(option->type_name("COUNT"), "a count, write a number, or 64k or 1Mi");
}

/// A sentence about `word`, left over from the command line of `app`, if it was meant for an option
/// or a subcommand; ends with the nearest of these, else with `help`.
inline std::string unknown_name(const CLI::App& app, const std::string& word,
                                const std::string& help) {
  std::vector<std::string> names;
  const std::string option = word.substr(0, word.find('='));
  const std::size_t letters = option.find_first_not_of('-');
  if (letters != 0 && letters != std::string::npos) {
    for (const CLI::Option* known : app.get_options())
      for (const std::string& name : known->get_lnames()) names.push_back(name);
    return option + " is not known, " + did_you_mean("--", option.substr(letters), names, help);
  }
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  if (names.empty()) return "";
  return "there is no subcommand '" + word + "', " + did_you_mean("", word, names, help);
}

/// Of a command that starts a program: whether that was given before an option that is not known.
inline bool has_program(const CLI::App& app) {
  const CLI::Option* program = app.get_option_no_throw("program");
  return program != nullptr && program->count() > 0;
}

/// The sentence about the first option that neither `app` nor a subcommand that was given knows;
/// empty if there is none, and where a subcommand is missing: the options may be its own.
inline std::string unknown_option(const CLI::App& app, const std::string& command) {
  const std::vector<CLI::App*> taken = app.get_subcommands();
  if (taken.empty() && !app.get_subcommands({}).empty()) return "";
  const std::string whole = command + app.get_name();
  for (const std::string& word : app.remaining())
    if (word.starts_with('-') && word.find_first_not_of('-') != std::string::npos)
      return unknown_name(app, word,
                          has_program(app) ? "if it is the program's own write that after --"
                                           : "see " + whole + " --help");
  return taken.empty() ? "" : unknown_option(*taken.front(), whole + " ");
}

/// The sentence about the first argument or option that `app` needs and was not given, with what
/// --help says of it up to a semicolon; empty if none is missing.
inline std::string missing_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    std::string what = option->get_description();
    what.resize(std::min(what.size(), what.find(';')));
    const auto is_upper = [&](std::size_t i) { return what[i] >= 'A' && what[i] <= 'Z'; };
    if (what.size() > 1 && is_upper(0) && !is_upper(1)) what[0] += 'a' - 'A';
    const std::string name = option->get_name();
    return (option->get_positional() ? "no " + name + " is given" : name + " is missing") +
           ", give " + what;
  }
  return "";
}

/// What is wrong with the command line that `app` could not take, in one sentence without an end. A
/// name that is not known is spoken of before what it left missing, and an option before the words
/// that it was to take. `command`: what stands before `app` on the command line.
inline std::string complaint(const CLI::App& app, const CLI::ParseError& error,
                             const std::string& command = "") {
  const std::string whole = command + app.get_name(), help = "see " + whole + " --help";
  if (const std::string sentence = unknown_option(app, command); !sentence.empty()) return sentence;
  for (const std::string& word : app.remaining())
    if (const std::string sentence = unknown_name(app, word, help); !sentence.empty())
      return sentence;
  const std::vector<CLI::App*> taken = app.get_subcommands();
  if (!taken.empty()) return complaint(*taken.front(), error, whole + " ");
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    if (const std::string sentence = missing_option(app); !sentence.empty())
      return sentence + ", " + help;
  return error.what() + (", " + help);
}

}  // namespace pat::measure
