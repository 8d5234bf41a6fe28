#include "analysis/report_shape.hpp"

#include <cmath>
#include <string_view>
#include <vector>

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

/// A value is "number", "text", "truth" or "numbers or null" (a list), with " or null" where it may
/// be unknown; a list holds the form of its elements, and "or null" before an object that may be
/// missing. A key that ends in '?' is one that older reports lack.
constexpr const char* form_of_report = R"({
  "environment?": ["or null", {"hosts?": ["text"]}],
  "settings?": [{"name": "text", "value": "text"}],
  "calibration?": "text",
  "network?": ["or null", {"alpha_s": "number", "beta_s_per_byte": "number"}],
  "process?": [{
    "rank": "number", "slow_links?": ["number"],
    "mistakes?": [{"kind": "text", "region": "text", "first": "text", "times": "number"}],
    "streams": [{
      "operation": "text", "root": "number or null", "leader": "number", "calls": "number",
      "block_bytes": "number", "calls_by_algorithm": {},
      "reasons": [{"calls": "number", "reason": "text"}]}]}],
  "analysis": {
    "wall_s?": "number or null", "elapsed_s": "number", "skew_s": "number",
    "skew_share": "number or null", "transfer_s": "number or null",
    "in_messages_s?": "number or null", "recoverable_skew_s": "number or null", "balance_only_skew_s": "number or null",
    "gained_s?": "number or null", "gained_lower_s?": "number or null",
    "gained_upper_s?": "number or null",
    "load_balance": "number or null", "communication_efficiency": "number or null",
    "parallel_efficiency": "number or null",
    "advice": [{"sentence": "text"}], "summary?": "text",
    "culprits": [{
      "rank": "number", "place": "text", "charged_s": "number", "share": "number",
      "times_last": "number", "iterations": "number", "saved_if_on_time_s": "number",
      "few_calls?": "number", "in_few_calls_s?": "number", "latest_in_call?": "number"}],
    "ranks": [{
      "rank": "number", "computing_s": "number", "waited_s": "number", "charged_s": "number",
      "times_last": "number", "saved_if_on_time_s": "number",
      "in_messages_s?": "number or null"}],
    "maps": [{
      "processes": ["number"], "iterations": "number", "rows": "number", "columns": "number",
      "latest_s": ["number"]}],
    "level_changes?": [{
      "rank": "number", "place": "text", "first_call": "number", "calls": "number",
      "size_s": "number", "added_s": "number", "for_good": "truth"}],
    "places": [{
      "place": "text", "processes": "number", "iterations": "number", "skew_s": "number",
      "mean_imbalance_s": "number", "saved_if_balanced_s": "number",
      "recoverable_s": "number or null",
      "histogram": {"width_s": "number", "counts": ["number"]},
      "algorithms?": [{
        "algorithm": "text", "calls": "number", "after_last_s": "number",
        "gained_s": "number or null", "gained_lower_s": "number or null",
        "gained_upper_s": "number or null"}],
      "played?": ["or null", {
        "algorithm": "text or null", "calls": "number", "as_done_s": "number",
        "saved_s": "number", "saved_if_known_s": "number"}],
      "forecast": ["or null", {
        "rank": "number", "model": "text", "first_iteration": "number",
        "mean_error_s": "number", "mean_error_with_edge_s": "number", "coverage": "number",
        "better_model?": ["or null", {
          "model": "text", "mean_error_s": "number",
          "mean_error_without_hints_s": "number or null"}],
        "arrival_s": ["number"], "forecast_s": ["number or null"],
        "lower_s": ["number or null"], "upper_s": ["number or null"]}]}]}
})";

std::optional<std::string> fault(const Json& value, const Json& form, const std::string& where);

/// Times 100, for a share, or in milliseconds it is a number still.
constexpr double most = 1e15;

std::optional<std::string> fault_of_value(const Json& value, std::string_view form,
                                          const std::string& where) {
  constexpr std::string_view unknown = " or null";
  if (form.ends_with(unknown)) {
    if (value.is_null()) return std::nullopt;
    form.remove_suffix(unknown.size());
  }
  const bool is_so = form == "number" ? value.is_number()
                     : form == "text" ? value.is_string()
                                      : value.is_boolean();
  if (is_so && value.is_number() && !(std::abs(value.get<double>()) <= most))
    return where + " is beyond any time or count";
  if (is_so) return std::nullopt;
  return where + " is no " + (form == "truth" ? "truth value" : std::string(form));
}

std::optional<std::string> fault_of_list(const Json& value, const Json& form,
                                         const std::string& where) {
  if (form.size() == 2)  // or null
    return value.is_null() ? std::nullopt : fault(value, form[1], where);
  if (!value.is_array()) return where + " is no list";
  for (std::size_t i = 0; i < value.size(); ++i)
    if (auto found = fault(value[i], form[0], where + "[" + std::to_string(i) + "]")) return found;
  return std::nullopt;
}

std::optional<std::string> fault_of_object(const Json& value, const Json& form,
                                           const std::string& where) {
  if (!value.is_object()) return (where.empty() ? "it" : where) + " is no object";
  for (const auto& [name, inner] : form.items()) {
    const bool may_lack = name.ends_with('?');
    const std::string key = may_lack ? name.substr(0, name.size() - 1) : name;
    const std::string there = where.empty() ? key : where + "." + key;
    const auto found = value.find(key);
    if (found != value.end()) {
      if (auto one = fault(*found, inner, there)) return one;
    } else if (!may_lack) {
      return there + " is missing";
    }
  }
  return std::nullopt;
}

std::optional<std::string> fault(const Json& value, const Json& form, const std::string& where) {
  if (form.is_string()) return fault_of_value(value, form.get_ref<const std::string&>(), where);
  if (form.is_array()) return fault_of_list(value, form, where);
  return fault_of_object(value, form, where);
}

/// The page makes a picture of so many tiles.
std::optional<std::string> fault_of_maps(const Json& maps) {
  for (const Json& map : maps) {
    const double rows = map["rows"], columns = map["columns"];
    const Json& tiles = map["latest_s"];
    if (!tiles.empty() &&
        (rows < 1.0 || columns < 1.0 || rows * columns != static_cast<double>(tiles.size())))
      return "analysis.maps.latest_s has no rows x columns numbers";
  }
  return std::nullopt;
}

/// Where the first of these is known the others are.
std::optional<std::string> fault_of_sums(const Json& analysis) {
  static const std::vector<std::vector<std::string>> together = {
      {"recoverable_skew_s", "balance_only_skew_s"},
      {"gained_s", "gained_lower_s", "gained_upper_s"},
      {"load_balance", "communication_efficiency", "parallel_efficiency"}};
  for (const std::vector<std::string>& keys : together)
    for (const std::string& key : keys)
      if (!analysis.value(keys.front(), Json()).is_null() && analysis.value(key, Json()).is_null())
        return "analysis." + key + " is no number";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of(const Json& report) {
  static const Json form = Json::parse(form_of_report);
  if (auto found = fault(report, form, "")) return found;
  for (const Json& process : report.value("process", Json::array()))
    for (const Json& stream : process["streams"])
      for (const auto& [name, calls] : stream["calls_by_algorithm"].items())
        if (!calls.is_number())
          return "process.streams.calls_by_algorithm." + name + " is no number";
  if (auto found = fault_of_sums(report["analysis"])) return found;
  return fault_of_maps(report["analysis"]["maps"]);
}

}  // namespace pat
