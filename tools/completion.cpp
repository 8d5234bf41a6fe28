// pat completion: what a shell needs to complete pat's subcommands and options, from what --help
// lists.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "measure/help.hpp"
#include "tools/command_tree.hpp"

namespace pat {
namespace {

/// "--alg", or "-o" where there is no long name.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// The lines of a `case` over the words typed so far: what may come next, and which options are
/// followed by a value.
void add_bash_cases(std::string& paths, std::string& words, const CommandNode& node) {
  std::string next, valued;
  for (const CommandNode& sub : node.below()) {
    next += sub.words.back() + " ";
    paths += "      '" + sub.joined(" ") + "') path='" + sub.joined(" ") + "' ;;\n";
  }
  for (const CLI::Option* option : node.options(false))
    for (const std::string& name : names_of(*option)) {
      if (name.size() > 2) next += name + " ";
      if (takes_value(*option)) valued += name + " ";
    }
  words += "    '" + node.joined(" ") + "') words='" + next + "' valued=' " + valued + "' ;;\n";
  for (const CommandNode& sub : node.below()) add_bash_cases(paths, words, sub);
}

std::string bash(const CommandNode& root) {
  std::string paths, words;
  add_bash_cases(paths, words, root);
  return "# Completion of pat for bash; printed by `pat completion bash`.\n"
         "_pat() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local path=pat words='' valued='' i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    [[ ${COMP_WORDS[i]} != -- ]] || return 0  # the program of pat run: files\n"
         "    case \"$path ${COMP_WORDS[i]}\" in\n" +
         paths +
         "    esac\n"
         "  done\n"
         "  case $path in\n" +
         words +
         "  esac\n"
         "  [[ $valued != *\" $before \"* ]] || return 0  # a value: files\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _pat pat\n";
}

/// Text within a specification of zsh's _arguments, in single quotes.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '\n' || c == '\x01') {
      out += ' ';
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_function(const CommandNode& node) {
  return "_" + node.joined("_");
}

void add_zsh_functions(std::string& out, const CommandNode& node) {
  const std::vector<CommandNode> below = node.below();
  for (const CommandNode& sub : below) add_zsh_functions(out, sub);
  out += zsh_function(node) + "() {\n  local -a specifications=(\n";
  for (const CLI::Option* option : node.options(false))
    for (const std::string& name : names_of(*option))
      out += "    '" + name + (takes_value(*option) ? name.size() > 2 ? "=" : "+" : "") + "[" +
             zsh_text(option->get_description()) + "]" +
             (takes_value(*option) ? ":value:_files" : "") + "'\n";
  if (below.empty()) {
    out += "    '*:file:_files'\n  )\n  _arguments $specifications\n}\n";
    return;
  }
  out +=
      "    '1:subcommand:->subcommand'\n    '*::argument:->argument'\n  )\n  local state line\n"
      "  _arguments -C $specifications\n  case $state in\n    subcommand)\n      local -a "
      "subcommands=(\n";
  for (const CommandNode& sub : below)
    out += "        '" + sub.words.back() + ":" + zsh_text(sub.summary()) + "'\n";
  out +=
      "      )\n      _describe subcommand subcommands ;;\n    argument)\n      case $line[1] in\n";
  for (const CommandNode& sub : below)
    out += "        " + sub.words.back() + ") " + zsh_function(sub) + " ;;\n";
  out += "      esac ;;\n  esac\n}\n";
}

std::string zsh(const CommandNode& root) {
  std::string out = "#compdef pat\n# Completion of pat for zsh; printed by `pat completion zsh`.\n";
  add_zsh_functions(out, root);
  return out + "_pat \"$@\"\n";
}

}  // namespace

PAT_SUBCOMMAND(completion) {
  CLI::App* completion = app.add_subcommand(
      "completion", "What a shell needs to complete pat: source <(pat completion bash)");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([&app, shell] {
    const CommandNode root = command_tree(app);
    std::cout << (*shell == "bash" ? bash(root) : zsh(root));
  });
}

}  // namespace pat
