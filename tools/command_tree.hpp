#pragma once

#include <string>
#include <vector>

#include "tools/subcommand.hpp"

namespace pat {

/// One command of the tree of subcommands, as its manual page and the completion of shells see it.
struct CommandNode {
  const CLI::App& app;
  std::vector<std::string> words;  ///< {"pat", "trace", "show"}

  std::string joined(const std::string& separator) const {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : separator) + word;
    return out;
  }

  /// Its subcommands that --help lists.
  std::vector<CommandNode> below() const {
    std::vector<CommandNode> nodes;
    for (const CLI::App* sub : app.get_subcommands({})) {
      if (sub->get_group().empty()) continue;
      nodes.push_back({*sub, words});
      nodes.back().words.push_back(sub->get_name());
    }
    return nodes;
  }

  /// What begins with a dash, and --help lists; or the others.
  std::vector<const CLI::Option*> options(bool positional) const {
    std::vector<const CLI::Option*> found;
    for (const CLI::Option* option : app.get_options())
      if ((positional ? option->get_positional() : option->nonpositional()) &&
          !option->get_group().empty())
        found.push_back(option);
    return found;
  }

  /// The description up to the end of its first clause.
  std::string summary() const {
    const std::string text = app.get_description();
    return text.substr(0, text.find_first_of(".:;\n"));
  }
};

/// The whole tree. `root` is the command itself.
inline CommandNode command_tree(const CLI::App& root) {
  return {root, {root.get_name()}};
}

}  // namespace pat
