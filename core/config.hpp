#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/link_defaults.hpp"

namespace pat {

/// Settings of a session. The API beats the environment, the environment beats the default.
struct Config {
  /// What is promised of reductions: nothing, that one fixed tree combines, or that what can be
  /// summed so has the same bits in any order, and the rest one fixed tree.
  enum class Reproducible : std::uint8_t { no, fixed_tree, any_order };
  enum class Daemon { automatic, on, off };

  std::string log = "warn";
  Daemon daemon = Daemon::automatic;
  int daemon_core = -1;
  std::string predictor = "ensemble";
  std::string algorithms;  ///< "gather=bsls,reduce=auto": operation=name pairs; empty: auto
  std::string trace;
  std::string report;
  std::size_t scratch_bytes = std::size_t{64} << 20;
  int window = 0;  ///< 0: by the cost of the network
  int segments = 0;
  int lease_max = 1024;
  std::string recall = "auto";
  std::size_t min_bytes = 4096;
  std::string calibration;
  std::string calibrate = "quick";
  double alpha_s = link_defaults::alpha_s;
  double beta_s_per_byte = link_defaults::beta_s_per_byte;
  double gamma_s_per_byte = link_defaults::gamma_s_per_byte;
  double gain = 0.02;
  bool explore = true;
  double watchdog_s = 0.0;     ///< 0: never, or by the forecasts
  bool watchdog_auto = false;  ///< by the forecasts
  bool names_who_is_late() const { return watchdog_auto || watchdog_s > 0.0; }
  bool live = false;
  double disturb = 0.0;
  int report_tree = 64;
  Reproducible reproducible = Reproducible::no;
  std::string run = "on";       ///< under the preload
  std::string threads = "own";  ///< under the preload
};

/// One setting as `pat info --env` lists it.
struct Variable {
  std::string_view name;     ///< "PAT_LOG"; the key in a config string is "log"
  std::string_view meaning;  ///< one sentence
  std::string_view allowed;  ///< what is accepted, in words
  std::string (*show)(const Config&);
  bool (*parse)(Config&, const std::string& value);  ///< false: not allowed
};

/// All settings, in the order in which they are listed.
std::span<const Variable> variables();

/// Defaults, then the environment (through `read_environment`, usually getenv), then `overrides`
/// ("key=value;key=value", keys as in the variables' names without PAT_, in lower case).
/// Throws Error(config) that names the variable, the value and what is allowed; refuses unknown
/// keys.
Config load_config(
    const std::function<std::optional<std::string>(const std::string&)>& read_environment,
    const std::string& overrides);

/// load_config with the process environment.
Config load_config(const std::string& overrides = "");

/// A sentence for each of `names` that begins with PAT_ but names no setting, most likely misspelt:
/// with the name that was meant, where one is near.
std::vector<std::string> unknown_variables(const std::vector<std::string>& names);

/// The names of all variables in the environment of the process.
std::vector<std::string> environment_names();

}  // namespace pat
