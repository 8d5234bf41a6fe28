#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

namespace pat::measure {

/// How all commands print their help: what a value is in one word (N a whole number, X any number),
/// what it stands for and its default in the text beside it, lines that fit a terminal. CLI11's own
/// form shows the types and checks of its implementation.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `app` and the subcommands that are added later print their help so.
  static void use(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    for (std::size_t at; (at = name.find('{')) != std::string::npos;)
      name.erase(at, name.find('}', at) + 1 - at);  // "--no-progress{false}"
    return name;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string value = value_name(option->get_type_name());
    if (value.empty()) return "";
    const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return " " + value + (many ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description(), preset = option->get_default_str();
    if (preset.size() >= 2 && preset.front() == '[' && preset.back() == ']')
      preset = preset.substr(1, preset.size() - 2);
    if (option->get_required()) text += " (needed)";
    if (!preset.empty()) text += std::string(" (default") + fixed_blank + preset + ")";
    return wrapped(text, description_width);
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), column_width_ + description_width) + "\n";
  }

 private:
  static constexpr std::size_t description_width = 70;
  static constexpr char fixed_blank = '\x01';  // no line ends here

  /// One word for what follows the option; empty for a flag.
  static std::string value_name(const std::string& type) {
    const std::string kind = type.substr(0, type.find(':'));
    if (kind == "INT" || kind == "UINT") return "N";
    if (kind == "FLOAT") return "X";
    return kind == "BOOLEAN" || kind == "ENUM" ? "TEXT" : kind;
  }

  /// The text with line ends in place of blanks, or after commas in a list without blanks, where a
  /// line would be longer than `width`.
  static std::string wrapped(std::string text, std::size_t width) {
    for (std::size_t begin = 0; text.size() - begin > width;) {
      std::size_t end = text.find('\n', begin);
      if (end > begin + width) end = text.rfind(' ', begin + width);
      if (end == std::string::npos || end <= begin) {
        const std::size_t comma = text.rfind(',', begin + width - 1);
        if (comma != std::string::npos && comma > begin) text.insert(end = comma + 1, " ");
      }
      if (end == std::string::npos || end <= begin) end = text.find(' ', begin);
      if (end == std::string::npos) break;
      text[end] = '\n';
      begin = end + 1;
    }
    std::replace(text.begin(), text.end(), fixed_blank, ' ');
    return text;
  }
};

}  // namespace pat::measure
