#include "core/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "core/errors.hpp"
#include "core/nearest.hpp"
#include "core/units.hpp"

namespace pat {
namespace {

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Number>
bool assign(Number& target, const std::string& text, Number low, Number high) {
  const auto value = parse_number<Number>(text);
  if (!value || !(*value >= low && *value <= high)) return false;
  target = *value;
  return true;
}

bool assign_choice(std::string& target, const std::string& value,
                   std::initializer_list<const char*> choices) {
  for (const char* choice : choices) {
    if (value == choice) {
      target = value;
      return true;
    }
  }
  return false;
}

bool assign_flag(bool& target, const std::string& value) {
  if (value != "0" && value != "1") return false;
  target = value == "1";
  return true;
}

constexpr std::array<const char*, 3> reproducible_names = {"0", "1", "any-order"};

bool assign_reproducible(Config& config, const std::string& value) {
  const auto found = std::find(reproducible_names.begin(), reproducible_names.end(), value);
  if (found == reproducible_names.end()) return false;
  config.reproducible =
      static_cast<Config::Reproducible>(std::distance(reproducible_names.begin(), found));
  return true;
}

bool assign_daemon(Config& config, const std::string& value) {
  if (value == "auto")
    config.daemon = Config::Daemon::automatic;
  else if (value == "on")
    config.daemon = Config::Daemon::on;
  else if (value == "off")
    config.daemon = Config::Daemon::off;
  else
    return false;
  return true;
}

bool assign_seconds(double& target, const std::string& value, double high) {
  const auto seconds = parse_seconds(value, BareNumber::seconds);
  if (!seconds || *seconds > high) return false;
  target = *seconds;
  return true;
}

bool assign_bytes(std::size_t& target, const std::string& value) {
  const auto bytes = parse_bytes(value);
  if (bytes) target = *bytes;
  return bytes.has_value();
}

bool assign_watchdog(Config& config, const std::string& value) {
  config.watchdog_auto = value == "auto";
  config.watchdog_s = 0.0;
  return config.watchdog_auto || assign_seconds(config.watchdog_s, value, 1e6);
}

std::string show_double(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string show_daemon(const Config& config) {
  switch (config.daemon) {
    case Config::Daemon::on:
      return "on";
    case Config::Daemon::off:
      return "off";
    default:
      return "auto";
  }
}

constexpr const char* bytes_allowed = "bytes, such as 65536, 64k or 4MiB";
constexpr const char* cost_allowed = "seconds from 0 to 1000, such as 25e-6, or 25us";

const std::array table = {
    Variable{"PAT_LOG", "How much is logged to standard error.",
             "trace, debug, info, warn, error or off", [](const Config& c) { return c.log; },
             [](Config& c, const std::string& v) {
               return assign_choice(c.log, v, {"trace", "debug", "info", "warn", "error", "off"});
             }},
    Variable{"PAT_DAEMON", "Background thread: auto starts it when MPI offers MPI_THREAD_MULTIPLE.",
             "auto, on or off", show_daemon, assign_daemon},
    Variable{"PAT_DAEMON_CORE", "Core that the background thread is pinned to; -1 leaves it free.",
             "a core number, or -1", [](const Config& c) { return std::to_string(c.daemon_core); },
             [](Config& c, const std::string& v) { return assign(c.daemon_core, v, -1, 65535); }},
    Variable{"PAT_PREDICTOR", "Model that forecasts computing times.",
             "a registered model with its parameters, such as last or sma:5",
             [](const Config& c) { return c.predictor; },
             [](Config& c, const std::string& v) { return !(c.predictor = v).empty(); }},
    Variable{"PAT_ALG", "Algorithm for each operation; the ones not named are chosen by auto.",
             "operation=name pairs with commas, such as gather=bsls; mpi: all go to the library",
             [](const Config& c) { return c.algorithms; },
             [](Config& c, const std::string& v) {
               c.algorithms = v;
               return true;
             }},
    Variable{"PAT_TRACE", "File that the arrival trace is written to.",
             "a path, .pftrace, .otf2, .csv or .talp.json for viewers; empty: no trace",
             [](const Config& c) { return c.trace; },
             [](Config& c, const std::string& v) {
               c.trace = v;
               return true;
             }},
    Variable{"PAT_REPORT", "Where the closing report goes.",
             "stderr, a path ending in .json or .html, or empty for none",
             [](const Config& c) { return c.report; },
             [](Config& c, const std::string& v) {
               c.report = v;
               return v.empty() || v == "stderr" || v.ends_with(".json") || v.ends_with(".html");
             }},
    Variable{"PAT_SCRATCH", "Most memory that early data may land in, per process.", bytes_allowed,
             [](const Config& c) { return std::to_string(c.scratch_bytes); },
             [](Config& c, const std::string& v) { return assign_bytes(c.scratch_bytes, v); }},
    Variable{
        "PAT_WINDOW",
        "How many leaves may send to the root at once in paced gathers; 0: by the network's cost.",
        "0 to 1024", [](const Config& c) { return std::to_string(c.window); },
        [](Config& c, const std::string& v) { return assign(c.window, v, 0, 1024); }},
    Variable{"PAT_SEGMENTS",
             "Pieces that a collective in segments cuts its vector or each block into; 0: its own "
             "choice.",
             "0 to 32767", [](const Config& c) { return std::to_string(c.segments); },
             [](Config& c, const std::string& v) { return assign(c.segments, v, 0, 32767); }},
    Variable{"PAT_LEASE_MAX", "Most calls that one decision may cover.", "1 to 4096",
             [](const Config& c) { return std::to_string(c.lease_max); },
             [](Config& c, const std::string& v) { return assign(c.lease_max, v, 1, 4096); }},
    Variable{"PAT_RECALL",
             "1: a lease is called back when a process leaves what it was given for; 0: it is not; "
             "auto: it is where each process has a core.",
             "0, 1 or auto", [](const Config& c) { return c.recall; },
             [](Config& c, const std::string& v) {
               return assign_choice(c.recall, v, {"0", "1", "auto"});
             }},
    Variable{"PAT_MIN_BYTES", "Smallest total size for which auto considers anything but mpi.",
             bytes_allowed, [](const Config& c) { return std::to_string(c.min_bytes); },
             [](Config& c, const std::string& v) { return assign_bytes(c.min_bytes, v); }},
    Variable{
        "PAT_CALIBRATION",
        "File of `pat calibrate` with what messages and collectives cost here; cache: what runs "
        "learn is kept in the user's cache folder for the next.",
        "a path, cache (./cache: a file of that name) or empty",
        [](const Config& c) { return c.calibration; },
        [](Config& c, const std::string& v) {
          c.calibration = v;
          return true;
        }},
    Variable{
        "PAT_CALIBRATE",
        "Whether PAT_Init measures what messages cost, unless PAT_CALIBRATION or the costs are "
        "set: quick takes 20 ms, full a second.",
        "off, quick or full", [](const Config& c) { return c.calibrate; },
        [](Config& c, const std::string& v) {
          c.calibrate = v;
          return v == "off" || v == "quick" || v == "full";
        }},
    Variable{"PAT_ALPHA", "Start-up time of a message, for auto.", cost_allowed,
             [](const Config& c) { return show_double(c.alpha_s); },
             [](Config& c, const std::string& v) { return assign_seconds(c.alpha_s, v, 1e3); }},
    Variable{
        "PAT_BETA", "Transfer time of a byte, for auto.", cost_allowed,
        [](const Config& c) { return show_double(c.beta_s_per_byte); },
        [](Config& c, const std::string& v) { return assign_seconds(c.beta_s_per_byte, v, 1e3); }},
    Variable{
        "PAT_GAMMA", "Time to combine a byte, for auto.", cost_allowed,
        [](const Config& c) { return show_double(c.gamma_s_per_byte); },
        [](Config& c, const std::string& v) { return assign_seconds(c.gamma_s_per_byte, v, 1e3); }},
    Variable{"PAT_GAIN",
             "Share of the run time that auto must expect to save before it leaves mpi.", "0 to 1",
             [](const Config& c) { return show_double(c.gain); },
             [](Config& c, const std::string& v) { return assign(c.gain, v, 0.0, 1.0); }},
    Variable{"PAT_EXPLORE",
             "1: auto tries what may be better; what that loses is held to about 1 % of the time of "
             "each kind of call; 0: only what is expected to be.",
             "0 or 1", [](const Config& c) { return std::string(c.explore ? "1" : "0"); },
             [](Config& c, const std::string& v) { return assign_flag(c.explore, v); }},
    Variable{"PAT_WATCHDOG",
             "Time after which a collective that has not ended prints its state, 0 is never; auto: "
             "who is later than foretold is named, `pat run` does so unless it is set.",
             "seconds from 0 to 1e6, such as 20 or 1.5, or 500ms, or auto",
             [](const Config& c) { return c.watchdog_auto ? "auto" : show_double(c.watchdog_s); },
             assign_watchdog},
    Variable{"PAT_LIVE",
             "1: each process answers `pat top`, on a socket that its user alone can open.",
             "0 or 1", [](const Config& c) { return std::string(c.live ? "1" : "0"); },
             [](Config& c, const std::string& v) { return assign_flag(c.live, v); }},
    Variable{
        "PAT_DISTURB",
        "For tests: share of the control messages that are held back and handled out of order.",
        "0 to 1", [](const Config& c) { return show_double(c.disturb); },
        [](Config& c, const std::string& v) { return assign(c.disturb, v, 0.0, 1.0); }},
    Variable{"PAT_REPORT_TREE",
             "Communicators of more processes pass reports to the leader along a tree.",
             "a whole number from 1 to 16777216",
             [](const Config& c) { return std::to_string(c.report_tree); },
             [](Config& c, const std::string& v) { return assign(c.report_tree, v, 1, 1 << 24); }},
    Variable{"PAT_REPRODUCIBLE",
             "1: reductions whose bits depend on the order combine in one fixed tree, whatever the "
             "arrivals; any-order: sums of float, double and complex numbers have the same bits in "
             "any order, the rest as with 1.",
             "0, 1 or any-order",
             [](const Config& c) {
               return std::string(reproducible_names[static_cast<std::size_t>(c.reproducible)]);
             },
             assign_reproducible},
    Variable{"PAT_RUN",
             "For programs that were not changed (`pat run`): on, watch them only, or leave them "
             "alone; there PAT_REPRODUCIBLE is 1 unless it is set.",
             "on, watch or off", [](const Config& c) { return c.run; },
             [](Config& c, const std::string& v) {
               return assign_choice(c.run, v, {"on", "watch", "off"});
             }},
    Variable{"PAT_THREADS",
             "Under `pat run`: the thread level that MPI starts with, the program's own or "
             "MPI_THREAD_MULTIPLE, which the background thread needs.",
             "own or multiple", [](const Config& c) { return c.threads; },
             [](Config& c, const std::string& v) {
               return assign_choice(c.threads, v, {"own", "multiple"});
             }},
};

/// What `pat inject` sets for the preloaded library.
constexpr std::array injected = {"INJECT",       "INJECT_FUNCTION", "INJECT_SEED",
                                 "INJECT_EVERY", "INJECT_LEAST",    "INJECT_MOST"};

/// Of all variables, without PAT_.
std::vector<std::string> names_in_environment() {
  std::vector<std::string> names(injected.begin(), injected.end());
  for (const Variable& variable : table) names.emplace_back(variable.name.substr(4));
  return names;
}

std::string key_of(const Variable& variable) {
  std::string key(variable.name.substr(4));
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key;
}

std::vector<std::string> keys() {
  std::vector<std::string> names;
  for (const Variable& variable : table) names.push_back(key_of(variable));
  return names;
}

/// How a sentence about the setting `wrong`, which there is not, ends.
std::string known_settings(const std::string& before, const std::string& wrong,
                           const std::vector<std::string>& names) {
  return did_you_mean(before, wrong, names, "`pat info --env` lists them");
}

void set(Config& config, const Variable& variable, const std::string& value) {
  if (!variable.parse(config, value))
    throw Error(ErrorKind::config, std::string(variable.name) + " is '" + value + "', set it to " +
                                       std::string(variable.allowed));
}

void set_override(Config& config, const std::string& pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string::npos)
    throw Error(ErrorKind::config, "the configuration holds '" + pair +
                                       "', write key=value with a key that `pat info --env` lists");
  const std::string key = pair.substr(0, equals);
  for (const Variable& variable : table)
    if (key_of(variable) == key) return set(config, variable, pair.substr(equals + 1));
  throw Error(ErrorKind::config, "the configuration holds '" + pair +
                                     "' and there is no such key, " +
                                     known_settings("", key, keys()));
}

}  // namespace

std::span<const Variable> variables() {
  return table;
}

Config load_config(
    const std::function<std::optional<std::string>(const std::string&)>& read_environment,
    const std::string& overrides) {
  Config config;
  for (const Variable& variable : table) {
    if (const auto value = read_environment(std::string(variable.name)))
      set(config, variable, *value);
  }
  for (std::size_t begin = 0; begin < overrides.size();) {
    const std::size_t end = std::min(overrides.find(';', begin), overrides.size());
    if (end > begin) set_override(config, overrides.substr(begin, end - begin));
    begin = end + 1;
  }
  return config;
}

Config load_config(const std::string& overrides) {
  return load_config(
      [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return value;
      },
      overrides);
}

std::vector<std::string> unknown_variables(const std::vector<std::string>& names) {
  std::vector<std::string> unknown;
  // What the scripts and tests of this project use for themselves.
  constexpr std::array others = {"PAT_CLUSTER_", "PAT_TEST_", "PAT_REPRODUCE_",
                                 "PAT_BIN",      "PAT_JOBS",  "PAT_RUN_PID"};
  const std::vector<std::string> known = names_in_environment();
  for (const std::string& name : names) {
    const bool ours = name.starts_with("PAT_") &&
                      std::none_of(others.begin(), others.end(),
                                   [&](const char* other) { return name.starts_with(other); });
    if (ours && std::find(known.begin(), known.end(), name.substr(4)) == known.end())
      unknown.push_back(name + " is set but PAT knows no such variable, " +
                        known_settings("PAT_", name.substr(4), known));
  }
  return unknown;
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace pat
