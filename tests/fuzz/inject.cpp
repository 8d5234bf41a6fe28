// What `pat inject` leaves in the environment, and who delays processes by hand sets there: a line
// a variable, "PAT_INJECT_EVERY=2".

#include <map>
#include <optional>

#include "core/text.hpp"
#include "libpat/preload/inject_settings.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

/// In an environment none holds a zero.
std::map<std::string, std::string> variables(const std::string& text) {
  std::map<std::string, std::string> set;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) set[line.substr(0, equals)] = line.substr(equals + 1).c_str();
  }
  return set;
}

void use_sizes(const detail::InjectSettings& settings) {
  const std::string other = settings.function + "v";
  fuzz::require(settings.function.empty() || !settings.want(other.c_str(), 0));
  const char* const called = settings.function.c_str();
  const bool any_size = !settings.least && !settings.most;
  fuzz::require(settings.want(called, -1) == any_size);
  const std::int64_t least = settings.least.value_or(0), most = settings.most.value_or(least);
  fuzz::require(least >= 0 && most >= 0);
  for (const std::int64_t bytes : {least, most})
    fuzz::require(settings.want(called, bytes) == (any_size || least <= most));
}

void use_delays(const detail::InjectSettings& settings, int ranks) {
  const auto delays = settings.delays(ranks);
  for (std::uint64_t call = 0; call < 3; ++call) {
    const std::vector<double> delay_s = delays->at(call);
    fuzz::require(delay_s.size() == static_cast<std::size_t>(ranks));
    for (const double delay : delay_s) fuzz::require(static_cast<std::int64_t>(1e9 * delay) >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto set = variables(fuzz::text(data, size));
  const auto pattern = set.find("PAT_INJECT");
  if (pattern != set.end() && pattern->second.find("trace:") != std::string::npos)
    return 0;  // names a file
  const auto variable = [&](const std::string& name) {
    const auto found = set.find(name);
    return found != set.end() ? std::optional(found->second) : std::nullopt;
  };
  constexpr int ranks = 3;
  fuzz::read([&] {
    const auto settings = detail::read_inject_settings(variable, ranks);
    fuzz::require(settings.has_value() == (pattern != set.end() && !pattern->second.empty()));
    if (!settings) return;
    fuzz::require(settings->every > 0);
    use_sizes(*settings);
    use_delays(*settings, ranks);
    use_delays(*settings, 1);  // on another communicator; may not fit
  });
  return 0;
}
