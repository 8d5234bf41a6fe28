// pat man FOLDER: the manual pages of pat and of its subcommands, from what --help prints. The
// build calls it; people have the pages.

#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/whole_file.hpp"
#include "measure/help.hpp"
#include "tools/command_tree.hpp"

namespace pat {
namespace {

/// The text for roff: dashes stay dashes, and no line begins with a command.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string reference(const std::string& name) {
  return ".BR " + escaped(name) + " (1)";
}

void add_options(std::string& out, const CommandNode& node, bool positional) {
  const measure::HelpFormatter help;
  for (const CLI::Option* option : node.options(positional))
    out += ".TP\n.B " +
           escaped(help.make_option_name(option, positional) + help.make_option_opts(option)) +
           "\n" + escaped(help.make_option_desc(option)) + "\n";
}

std::string text_of(const CommandNode& node) {
  const std::vector<CommandNode> below = node.below();
  const std::string name = node.joined("-");
  std::string out = ".TH " + escaped(upper(name)) +
                    " 1 \"\" \"PAT " PAT_VERSION "\" \"User Commands\"\n.SH NAME\n" +
                    escaped(name) + " \\- " + escaped(node.summary()) + "\n.SH SYNOPSIS\n.B " +
                    escaped(node.joined(" ")) + "\n[\\fIOPTION\\fR ...]";
  for (const CLI::Option* argument : node.options(true))
    out += " \\fI" + escaped(argument->get_name(true)) + "\\fR";
  if (!below.empty()) out += " \\fISUBCOMMAND\\fR ...";
  out += "\n.SH DESCRIPTION\n" + escaped(node.app.get_description()) + ".\n";
  if (!node.options(true).empty()) {
    out += ".SH ARGUMENTS\n";
    add_options(out, node, true);
  }
  out += ".SH OPTIONS\n";
  add_options(out, node, false);
  if (!below.empty()) out += ".SH SUBCOMMANDS\n";
  for (const CommandNode& sub : below)
    out += ".TP\n" + reference(sub.joined("-")) + "\n" + escaped(sub.app.get_description()) + "\n";
  out +=
      ".SH EXIT STATUS\n0: done; 1: it failed; 2: wrong usage. A sentence on standard error says "
      "what to do.\n";
  if (node.words.size() == 1)
    return out +
           ".SH ENVIRONMENT\nPAT_*: the settings that\n.B pat info \\-\\-env\nlists.\n"
           ".SH SEE ALSO\n.BR pat (3)\n";
  const CommandNode above{node.app, {node.words.begin(), node.words.end() - 1}};
  return out + ".SH SEE ALSO\n" + reference(above.joined("-")) + "\n";
}

void write_pages(const CommandNode& node, const std::filesystem::path& folder) {
  write_whole_file((folder / (node.joined("-") + ".1")).string(), text_of(node));
  for (const CommandNode& sub : node.below()) write_pages(sub, folder);
}

}  // namespace

PAT_SUBCOMMAND(man) {
  CLI::App* man = app.add_subcommand("man", "Write the manual pages into a folder");
  man->group("");  // for the build, not for people
  auto folder = std::make_shared<std::string>();
  man->add_option("folder", *folder, "An existing folder")->required();
  man->callback([&app, folder] { write_pages(command_tree(app), *folder); });
}

}  // namespace pat
