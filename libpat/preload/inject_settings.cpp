#include "libpat/preload/inject_settings.hpp"

#include <charconv>

#include "collectives/call_name.hpp"
#include "core/errors.hpp"
#include "core/units.hpp"

namespace pat::detail {
namespace {

/// Text of a variable, whose name stands in what is said of it.
struct Text {
  std::string name, value;

  [[noreturn]] void refuse(const std::string& remedy) const {
    throw Error(ErrorKind::config, name + " is '" + value + "', set it to " + remedy);
  }
};

/// `usual` where nothing is set.
std::uint64_t number(const Text& text, std::int64_t least, std::uint64_t usual) {
  if (text.value.empty()) return usual;
  std::int64_t number = 0;
  const char* const last = text.value.data() + text.value.size();
  const auto [end, error] = std::from_chars(text.value.data(), last, number);
  if (error != std::errc{} || end != last || number < least)
    text.refuse("a whole number of " + std::to_string(least) + " or more");
  return static_cast<std::uint64_t>(number);
}

std::optional<std::int64_t> size(const Text& text) {
  if (text.value.empty()) return std::nullopt;
  const std::optional<std::size_t> bytes = parse_bytes(text.value);
  if (!bytes) text.refuse("bytes or such as 64k");
  return static_cast<std::int64_t>(*bytes);
}

}  // namespace

bool InjectSettings::want(const char* called, std::int64_t bytes) const {
  if (!function.empty() && function != called) return false;
  if (!least && !most) return true;
  return bytes >= 0 && bytes >= least.value_or(0) && bytes <= most.value_or(bytes);
}

std::unique_ptr<measure::Delays> InjectSettings::delays(int ranks) const {
  return measure::make_delays(
      pattern, {.ranks = ranks, .seed = seed, .operation = operation_of_function(function)});
}

std::optional<InjectSettings> read_inject_settings(
    const std::function<std::optional<std::string>(const std::string&)>& read_environment,
    int ranks) {
  const auto text = [&](const std::string& name) {
    return Text{name, read_environment(name).value_or("")};
  };
  InjectSettings read;
  read.pattern = text("PAT_INJECT").value;
  if (read.pattern.empty()) return std::nullopt;
  read.function = text("PAT_INJECT_FUNCTION").value;
  read.seed = number(text("PAT_INJECT_SEED"), 0, read.seed);
  read.every = number(text("PAT_INJECT_EVERY"), 1, read.every);
  read.least = size(text("PAT_INJECT_LEAST"));
  read.most = size(text("PAT_INJECT_MOST"));
  read.delays(ranks);  // throws if the pattern is none
  return read;
}

}  // namespace pat::detail
