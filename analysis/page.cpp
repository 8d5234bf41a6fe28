#include "analysis/page.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analysis/page_assets.hpp"
#include "collectives/operation_row.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

/// JSON that no HTML parser takes for markup: '<' ends a script, '&' is left alone there, but costs
/// nothing to write otherwise.
std::string harmless(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

bool is_rooted(const Json& stream) {
  const auto operation = find_operation(stream.at("operation").get<std::string>());
  return !operation || row(*operation).rooted;
}

/// What was chosen and why: the streams as their leaders tell it.
Json choices_of(const Json& report) {
  Json list = Json::array();
  if (!report.contains("process")) return list;
  for (const Json& process : report["process"])
    for (const Json& stream : process.at("streams"))
      if (stream.at("leader") == process.at("rank") && stream.at("calls") != 0)
        list.push_back({{"operation", stream.at("operation")},
                        {"root", is_rooted(stream) ? stream.at("root") : Json(nullptr)},
                        {"block_bytes", stream.at("block_bytes")},
                        {"calls", stream.at("calls")},
                        {"calls_by_algorithm", stream.at("calls_by_algorithm")},
                        {"reasons", stream.at("reasons")}});
  constexpr std::size_t most = 100;
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
    return a["calls"].get<double>() > b["calls"].get<double>();
  });
  while (list.size() > most) list.erase(list.size() - 1);
  return list;
}

/// A list of words as one text, of which a long one shows how it begins.
Json in_a_line(const Json& value) {
  if (!value.is_array()) return value;
  constexpr std::size_t most = 16;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, value.size()); ++i) words.push_back(value[i]);
  std::string text = join(words, ", ");
  if (value.size() > most) text += " and " + std::to_string(value.size() - most) + " more";
  return text;
}

/// What the report says of the run as a whole, where it ran, and the settings that were changed;
/// older reports have neither of the last two.
Json settings_of(const Json& report) {
  Json settings = Json::object();
  for (const auto& [key, value] : report.items())
    if (!value.is_structured() && key != "environment") settings[key] = value;
  if (report.contains("environment") && report["environment"].is_object())
    for (const auto& [key, value] : report["environment"].items()) settings[key] = in_a_line(value);
  if (report.contains("settings"))
    for (const Json& one : report["settings"])
      settings[one.at("name").get<std::string>()] = one.at("value");
  return settings;
}

/// Ranks whose link is slow, as any process saw it.
Json slow_links_of(const Json& report) {
  std::set<double> ranks;  // a report may hold any number
  if (report.contains("process"))
    for (const Json& process : report["process"])
      for (const Json& rank : process.value("slow_links", Json::array()))
        ranks.insert(rank.get<double>());
  return ranks;
}

/// What messages were taken to cost, and whether that is known of this run; null in older reports.
Json network_of(const Json& report) {
  Json network = report.value("network", Json());
  if (!network.is_null()) network["measured"] = report.value("calibration", "") != "";
  return network;
}

Json data_of(const std::vector<NamedReport>& runs) {
  Json data = Json::array();
  for (const NamedReport& one : runs) {
    data.push_back({{"name", one.name},
                    {"settings", settings_of(one.report)},
                    {"choices", choices_of(one.report)},
                    {"network", network_of(one.report)},
                    {"slow_links", slow_links_of(one.report)},
                    {"analysis", one.report["analysis"]}});
  }
  return data;
}

}  // namespace

bool is_report(const Json& report) {
  if (!report.is_object() || !report.contains("analysis")) return false;
  const Json& analysis = report["analysis"];
  if (!analysis.is_object()) return false;
  for (const char* key : {"elapsed_s", "skew_s", "culprits", "ranks", "places", "maps", "advice"})
    if (!analysis.contains(key)) return false;
  return true;
}

std::string page_of(const std::vector<NamedReport>& runs) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<title>PAT report</title>\n<style>\n";
  page.append(page_assets::style).append("</style>\n</head>\n<body>\n").append(page_assets::body);
  page.append("<script type=\"application/json\" id=\"data\">").append(harmless(data_of(runs)));
  page.append("</script>\n<script>").append(page_assets::chart).append("</script>\n<script>\n");
  page.append(page_assets::script).append("</script>\n</body>\n</html>\n");
  return page;
}

}  // namespace pat
